"""A cluster made ready to compile for: its target, its drivers at their releases, its device classes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from claimsmith.documents.cluster import Cluster, ClusterDriver, NodePool, Quota
from claimsmith.documents.guardrails import Quarantine, Reservation
from claimsmith.documents.load import DocumentSet
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.drivers.view import DriverView, release_names
from claimsmith.findings import Finding
from claimsmith.kubernetes.target import Target, resolve_target
from claimsmith.values.names import dns_subdomain_problem
from claimsmith.values.suggest import closest

QUOTA_SUFFIX = ".deviceclass.resource.k8s.io"
"""What follows the name of a class in the key of its quota, which must be a DNS subdomain as a whole."""


@dataclass(frozen=True, slots=True)
class DeviceClassRef:
    """A device class that a request can name.

    ``view`` and ``device_type`` are None where nothing is known of its devices; ``ours`` says that we write it.
    """

    name: str
    view: DriverView | None = None
    device_type: str | None = None
    model: str | None = None
    partition: str | None = None
    ours: bool = False


@dataclass(frozen=True, slots=True)
class ClusterContext:
    cluster: Cluster
    target: Target
    drivers: Mapping[str, DriverView]
    classes: tuple[DeviceClassRef, ...]
    quarantines: tuple[Quarantine, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    quotas: Mapping[str, tuple[Quota, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.cluster.name

    def class_of_model(self, driver: str, model: str, partition: str | None) -> DeviceClassRef | None:
        """The class that we write for a model, whatever the case of its name."""
        return self._find(driver, model.lower(), (partition or "").lower())

    def class_of_type(self, driver: str, device_type: str) -> DeviceClassRef | None:
        return next(
            (
                each
                for each in self.classes
                if each.ours
                and each.view
                and (each.view.name, each.model, each.device_type) == (driver, None, device_type)
            ),
            None,
        )

    def class_named(self, name: str) -> DeviceClassRef | None:
        return next((each for each in self.classes if each.name == name), None)

    def pools_with(self, model: str) -> tuple[NodePool, ...]:
        """Node pools that hold a model and publish it, in the order of the cluster document."""
        return tuple(pool for pool in self.all_pools_with(model) if pool.devices == "dra")

    def all_pools_with(self, model: str) -> tuple[NodePool, ...]:
        """The same, with pools whose devices a device plugin hands out."""
        wanted = model.lower()
        return tuple(pool for pool in self.cluster.node_pools if any(each.lower() == wanted for each in pool.models))

    def _find(self, driver: str, model: str, partition: str) -> DeviceClassRef | None:
        for each in self.classes:
            if each.view is None or each.view.name != driver or each.model is None:
                continue
            if each.model.lower() == model and (each.partition or "").lower() == partition:
                return each
        return None


def build_context(
    cluster: Cluster, catalogue: Catalogue, documents: DocumentSet
) -> tuple[ClusterContext | None, list[Finding]]:
    """The context, or None where the cluster document is too wrong to compile for."""
    findings: list[Finding] = []
    target, problems = resolve_target(cluster.kubernetes, cluster.feature_gates, cluster.runtime_config, cluster.preset)
    findings += [cluster.finding(each.rule, *each.path, **each.data) for each in problems]
    drivers: dict[str, DriverView] = {}
    classes: list[DeviceClassRef] = []
    for driver in cluster.drivers:
        view = _driver_view(driver, catalogue, findings)
        if view is None:
            continue
        if driver.name in drivers:
            findings.append(driver.finding("CS150", "name", what="driver", name=driver.name))
            continue
        drivers[driver.name] = view
        findings += _unknown_gates(driver, view)
        classes += _classes(driver, view, findings)
    classes += [DeviceClassRef(name) for name in cluster.device_classes]
    classes += _vendor_classes(drivers.values(), {each.name for each in classes})
    findings += _name_collisions(cluster, classes)
    findings += _unknown_pool_models(cluster)
    findings = [finding.on(cluster.name) for finding in findings]
    if target is None or len(drivers) < len(cluster.drivers):
        return None, findings
    context = ClusterContext(
        cluster,
        target,
        drivers,
        tuple(classes),
        tuple(each for each in documents.quarantines if applies(each.clusters, cluster)),
        tuple(each for each in documents.reservations if applies(each.clusters, cluster)),
        _by_team(cluster.quotas),
    )
    return context, findings


def _by_team(quotas: Iterable[Quota]) -> dict[str, tuple[Quota, ...]]:
    found: dict[str, list[Quota]] = {}
    for quota in quotas:
        found.setdefault(quota.team, []).append(quota)
    return {team: tuple(each) for team, each in found.items()}


def applies(clusters: tuple[str, ...] | None, cluster: Cluster) -> bool:
    """Whether a document with this list of clusters concerns a cluster; no list concerns all."""
    return clusters is None or cluster.name in clusters


def _driver_view(driver: ClusterDriver, catalogue: Catalogue, findings: list[Finding]) -> DriverView | None:
    schema = catalogue.schema(driver.name)
    if schema is None:
        known = catalogue.names()
        hint = closest(driver.name, known)
        findings.append(driver.finding("CS140", "name", driver=driver.name, known=", ".join(known), did_you_mean=hint))
        return None
    view = catalogue.view(driver.name, driver.release, driver.feature_gates)
    if view is None:
        known = release_names(schema)
        hint = closest(driver.release, known)
        findings.append(
            driver.finding(
                "CS141",
                "release",
                driver=driver.name,
                release=driver.release,
                known=", ".join(known),
                did_you_mean=hint,
            )
        )
    return view


def _unknown_gates(driver: ClusterDriver, view: DriverView) -> Iterator[Finding]:
    known = [gate.name for gate in view.schema.feature_gates]
    for gate in driver.feature_gates:
        if gate not in known:
            yield driver.finding(
                "CS163",
                "featureGates",
                gate,
                driver=driver.name,
                gate=gate,
                known=", ".join(known) or "none",
                did_you_mean=closest(gate, known),
            )


def class_name(suffix: str, *parts: str) -> str:
    """``<part>-<part>.<suffix>`` in lower case; ``+`` of MIG profiles becomes ``-``."""
    return "-".join(part.lower().replace("+", "-") for part in parts) + f".{suffix}"


def _classes(driver: ClusterDriver, view: DriverView, findings: list[Finding]) -> Iterator[DeviceClassRef]:
    suffix = driver.class_suffix or driver.name
    partitions = {model.lower(): names for model, names in driver.partitions.items()}
    for index, name in enumerate(driver.models):
        model = view.model(name)
        if model is None:
            findings.append(_unknown_model(driver, view, name, "models", index))
            continue
        yield DeviceClassRef(class_name(suffix, model.name), view, model.device_type, model.name, None, True)
        for profile in partitions.get(name.lower(), ()):
            partition = view.partition(model.name, profile)
            if partition is None or view.partitioning is None:
                known = [each.profile for each in model.partitions]
                findings.append(
                    driver.finding(
                        "CS144",
                        "partitions",
                        name,
                        driver.partitions[name].index(profile) if name in driver.partitions else 0,
                        model=model.name,
                        partition=profile,
                        known=", ".join(known) or "none",
                        did_you_mean=closest(profile, known),
                    )
                )
                continue
            yield DeviceClassRef(
                class_name(suffix, model.name, partition.profile),
                view,
                view.partitioning.device_type,
                model.name,
                partition.profile,
                True,
            )
    declared = {name.lower() for name in driver.models}
    for name in driver.partitions:
        if name.lower() not in declared:
            findings.append(driver.finding("CS143", "partitions", name, model=name, cluster="the driver's models"))
    for name in driver.extended_resource_name:
        if name.lower() not in declared:
            findings.append(
                driver.finding("CS143", "extendedResourceName", name, model=name, cluster="the driver's models")
            )
    yield from _type_classes(driver, view, suffix, findings)


def _type_classes(
    driver: ClusterDriver, view: DriverView, suffix: str, findings: list[Finding]
) -> Iterator[DeviceClassRef]:
    vendor = {each.name for each in view.classes}
    if driver.device_types is None:
        for device_type in view.types_without_models():
            name = class_name(suffix, device_type)
            if name not in vendor:
                yield DeviceClassRef(name, view, device_type, ours=True)
        return
    for index, device_type in enumerate(driver.device_types):
        known = [each.id for each in view.device_types()]
        if device_type not in known:
            findings.append(
                driver.finding(
                    "CS146",
                    "deviceTypes",
                    index,
                    driver=driver.name,
                    device_type=device_type,
                    known=", ".join(known),
                    did_you_mean=closest(device_type, known),
                )
            )
        else:
            yield DeviceClassRef(class_name(suffix, device_type), view, device_type, ours=True)


def _unknown_model(driver: ClusterDriver, view: DriverView, name: str, field: str, index: int) -> Finding:
    known = view.model_names()
    return driver.finding(
        "CS142",
        field,
        index,
        driver=view.name,
        model=name,
        known=", ".join(known) or "none",
        did_you_mean=closest(name, known),
    )


def _vendor_classes(drivers: Iterable[DriverView], taken: set[str]) -> Iterator[DeviceClassRef]:
    for view in drivers:
        for each in view.classes:
            if each.name not in taken and not each.pattern:
                yield DeviceClassRef(each.name, view, each.device_type)


def _name_collisions(cluster: Cluster, classes: list[DeviceClassRef]) -> Iterator[Finding]:
    vendor = {each.name for ref in classes if ref.view for each in ref.view.classes}
    seen: set[str] = set()
    for each in classes:
        problem = None
        if each.ours:
            problem = dns_subdomain_problem(each.name)
            if problem is None and (longer := dns_subdomain_problem(f"{each.name}{QUOTA_SUFFIX}")):
                problem = f"with the `{QUOTA_SUFFIX}` of its quota it {longer}"
            if each.name in vendor:
                problem = "the driver's own chart makes it"
        if each.name in seen:
            problem = "two things would get it"
        seen.add(each.name)
        driver = cluster.driver(each.view.name) if each.view else None
        if problem and driver:
            yield driver.finding("CS149", "classSuffix", name=each.name, problem=problem)
        elif problem:
            yield cluster.finding("CS149", "deviceClasses", name=each.name, problem=problem)


def _unknown_pool_models(cluster: Cluster) -> Iterator[Finding]:
    declared = {model.lower(): model for driver in cluster.drivers for model in driver.models}
    names: set[str] = set()
    for pool in cluster.node_pools:
        if pool.name in names:
            yield pool.finding("CS150", "name", what="node pool", name=pool.name)
        names.add(pool.name)
        for index, model in enumerate(pool.models):
            if model.lower() not in declared:
                yield pool.finding(
                    "CS143",
                    "models",
                    index,
                    model=model,
                    cluster="the cluster's drivers",
                    did_you_mean=closest(model, declared.values()),
                )
