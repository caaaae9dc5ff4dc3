"""Names that YAML readers take for something else stay names: through the server's reader and through kustomize."""

from pathlib import Path

from tests.cluster.client import NAMESPACE, TEMPLATE
from tests.cluster.cluster import Cluster
from tests.cluster.emitted import as_emitted, differences, read_output, split_documents
from tests.cluster.scenario import TEAM, Company
from tests.cluster.test_stored import apply, assert_stored_as_emitted
from tests.cluster.tools import kustomize
from tests.repo import Repo

NAMES = ("n", "y", "on", "off", "null", "true", "123", "012", "1e3", "0x1f", "0o17", "0b1")

PROFILE = """\
apiVersion: claimsmith/v1alpha1
kind: TeamProfile
metadata: {{name: "{name}"}}
spec:
  namespaces: ["{name}"]
  claims:
  - name: "{name}"
    requests:
    - name: "{name}"
      driver: gpu.nvidia.com
      prefer: [{{model: H100-80GB}}]
      tolerate: [{{key: example.com/dedicated, operator: Equal, value: "{name}", effect: NoSchedule}}]
  workloads:
  - {{name: "{name}", kind: Job, claims: ["{name}"], nodePool: h100}}
"""


def compile_names(root: Path, minor: str) -> Path:
    company = Company(
        minor, more="  admissionPolicy: true\n  quotas:\n" + "".join(QUOTA.format(name=name) for name in NAMES)
    )
    documents = company.documents() | {f"profiles/teams/name-{name}.yaml": PROFILE.format(name=name) for name in NAMES}
    root.mkdir(exist_ok=True)
    repo = Repo(root)
    repo.write_all(documents)
    run = repo.run("compile")
    assert run.status == 0, run.stdout + run.stderr
    return root / "output" / "test"


QUOTA = '  - {{team: "{name}", model: H100-80GB, devices: 8}}\n'


def test_names_like_other_values_are_stored_as_they_are(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    folder = compile_names(tmp_path, minor)
    assert_stored_as_emitted(cluster, folder)
    for name in NAMES:
        assert cluster.api.get(NAMESPACE, name)["metadata"]["name"] == name
        (template,) = cluster.api.list(TEMPLATE, name)
        assert template["metadata"]["labels"]["claimsmith/team"] == name
        assert template["spec"]["metadata"]["labels"] == {"claimsmith/team": name, "claimsmith/claim": name}
        (request,) = template["spec"]["spec"]["devices"]["requests"]
        assert request["name"] == name


def test_names_like_other_values_survive_kustomize(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    folder = compile_names(tmp_path, minor)
    for name in (TEAM, *NAMES):
        cluster.namespace(name)
    for built in split_documents(kustomize(folder), "kustomize build"):
        apply(cluster, built)
    for each in read_output(folder):
        assert differences(each.document, as_emitted(cluster.api.stored(each.document))) == []
