"""``claimsmith cel eval``: what selectors are for the devices of recorded ResourceSlices."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from claimsmith.cel.check import check
from claimsmith.cel.devices import Device, devices
from claimsmith.cel.environment import Environment, environment_of
from claimsmith.cel.evaluate import EvaluationError, compile_selector
from claimsmith.cli.common import Failure
from claimsmith.documents.nodes import to_plain
from claimsmith.documents.yaml_reader import read
from claimsmith.kubernetes.minors import MINORS, NEWEST
from claimsmith.kubernetes.target import resolve_target

_ENDINGS = (".yaml", ".yml", ".json")


@click.command("eval")
@click.option(
    "--slices",
    "folder",
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of ResourceSlices, YAML or JSON.",
)
@click.option(
    "--kubernetes", type=click.Choice([str(minor) for minor in MINORS]), default=str(NEWEST), show_default=True
)
@click.option("--feature-gates", default="", metavar="NAME=true,…", help="Gates that differ from the minor's defaults.")
def command(folder: Path, kubernetes: str, feature_gates: str) -> None:
    """Evaluate selectors as the scheduler does.

    Reads {"id", "expression"} a line from standard input and writes a line for each: {"id", "matches"} with true,
    false or "error: …" for each "<file>:<slice>/<device>", or {"id", "error"} for what does not compile.
    """
    environment = _environment(kubernetes, feature_gates)
    fleet = dict(_read_fleet(folder))
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            click.echo(json.dumps(_answer(_question(line, number), environment, fleet)))


def _environment(kubernetes: str, feature_gates: str) -> Environment:
    settings: dict[str, bool] = {}
    for item in filter(None, feature_gates.split(",")):
        name, _, value = item.partition("=")
        if value.lower() not in ("true", "false"):
            raise click.BadParameter(f"{item!r} is not NAME=true or NAME=false", param_hint="--feature-gates")
        settings[name.strip()] = value.lower() == "true"
    target, problems = resolve_target(kubernetes, settings)
    for problem in problems:
        raise click.BadParameter(f"{'.'.join(problem.path)}: {problem.rule}", param_hint="--feature-gates")
    assert target is not None
    return environment_of(target, scheduler=True)


def _question(line: bytes, number: int) -> tuple[Any, str]:
    try:
        asked = json.loads(line)
        return asked["id"], _string(asked["expression"])
    except (ValueError, KeyError, TypeError) as error:
        raise Failure(f'line {number} is not {{"id": …, "expression": "…"}}: {error}') from error


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("the expression must be a string")
    return value


def _answer(question: tuple[Any, str], environment: Environment, fleet: dict[str, Device]) -> dict[str, Any]:
    identifier, expression = question
    checked = check(expression, environment)
    if not checked.compiles:
        return {"id": identifier, "error": checked.message}
    selector = compile_selector(checked, environment)
    found: dict[str, bool | str] = {}
    for key, device in fleet.items():
        verdict = selector.matches(device)
        found[key] = f"error: {verdict.text}" if isinstance(verdict, EvaluationError) else verdict
    return {"id": identifier, "matches": found}


def _read_fleet(folder: Path) -> Iterator[tuple[str, Device]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in _ENDINGS and path.is_file():
            file = path.relative_to(folder).as_posix()
            for resource_slice in _slices(path, file):
                yield from ((f"{file}:{device.key}", device) for device in _devices(resource_slice, file))


def _devices(resource_slice: dict[str, Any], file: str) -> list[Device]:
    try:
        return devices(resource_slice)
    except ValueError as error:
        raise Failure(f"{file}: {error}") from error


def _slices(path: Path, file: str) -> Iterator[dict[str, Any]]:
    documents, _ = read(path.read_bytes(), file)
    for document in documents:
        value = to_plain(document)
        for item in _items(value):
            if isinstance(item, dict) and item.get("kind") == "ResourceSlice":
                yield item


def _items(value: object) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("items"), list):
        # What `kubectl get resourceslices -o json` writes; the items of a typed list have no kind of their own.
        kind = str(value.get("kind", "")).removesuffix("List")
        return [{"kind": kind, **item} for item in value["items"] if isinstance(item, dict)]
    return [value]
