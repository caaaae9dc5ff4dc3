"""What a server with stock gates leaves out of objects that have every gated field, and says nothing about."""

from tests.cluster.cluster import Cluster
from tests.cluster.gated import OBJECTS, missing
from tests.cluster.records import Records
from tests.cluster.scenario import TEAM


def test_fields_are_dropped_and_a_second_apply_does_not_show_it(cluster: Cluster, minor: str, records: Records) -> None:
    cluster.namespace(TEAM)
    for document in OBJECTS:
        stored = cluster.api.create(document)["spec"]
        dropped = [{"path": ["spec", *path], "value": value} for path, value in missing(document["spec"], stored)]
        assert bool(dropped) is (minor in ("1.34", "1.35")), dropped
        records.keep("dropped", document["kind"], dropped)
        assert cluster.api.apply(document, dry_run=True, force=True)["spec"] == stored
