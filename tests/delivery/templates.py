"""Values templates outside a repository: a model to render with, and how a rendering is told."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from claimsmith.delivery.values_template import compile_template, render
from claimsmith.report.diagnostic import diagnose

FILE = "profiles/templates/t.yaml.j2"
MODEL: Mapping[str, object] = {
    "team": "vision",
    "namespaces": ["vision", "vision-dev"],
    "cluster": "prod",
    "kubernetes": "1.37",
    "workload": {"name": "trainer", "kind": "Job", "image": None, "container": "main", "pods": 2, "elastic": True},
    "claims": {
        "gpu": {
            "name": "gpu",
            "template": "vision-gpu-0a1b2c3d",
            "requests": [
                {
                    "name": "gpu",
                    "alternatives": [
                        {
                            "name": "h100-80gb",
                            "model": "H100-80GB",
                            "count": 4,
                            "deviceClass": "h100-80gb.gpu.nvidia.com",
                        },
                        {
                            "name": "a100-80gb",
                            "model": "A100-80GB",
                            "count": 8,
                            "deviceClass": "a100-80gb.gpu.nvidia.com",
                        },
                    ],
                }
            ],
        }
    },
    "podSpec": {
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "vision-gpu-0a1b2c3d"}],
        "nodeSelector": {"pool": "yes"},
    },
    "container": {"resources": {"claims": [{"name": "gpu"}]}},
    "job": {"backoffLimit": 3},
}
NAMES = ", ".join(sorted(MODEL))


@dataclass(frozen=True, slots=True)
class Told:
    """A finding: where (line, column and end column) and in which words."""

    rule: str
    place: tuple[int, int, int]
    message: str
    help: str


def rendered(text: str, model: Mapping[str, object] = MODEL) -> tuple[object, list[Told]]:
    """The values that a template makes, and what is wrong with it."""
    template, findings = compile_template(text, FILE, frozenset(model))
    values: object = None
    if template is not None:
        values, findings = render(template, model)
    told = [
        Told(each.rule, (each.position.line, each.position.column, each.position.end_column), each.message, each.help)
        for each in diagnose(findings)
    ]
    assert all(each.position.file == FILE for each in findings)
    return values, told


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Fails what takes longer, instead of waiting for it."""
    import signal

    def stop(signum: int, frame: object) -> None:
        raise AssertionError(f"still not done after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
