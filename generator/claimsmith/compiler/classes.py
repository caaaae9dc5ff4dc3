"""Device classes: one a model, partition or plain device type that a cluster declares."""

from collections.abc import Mapping, Sequence

from claimsmith.compiler import selectors
from claimsmith.compiler.context import ClusterContext, DeviceClassRef
from claimsmith.compiler.objects import MANAGED_BY, KubernetesObject
from claimsmith.compiler.requirements import Comparison, OneOf
from claimsmith.drivers.view import DriverView

Exclusions = Mapping[str, Sequence[str]]


def device_classes(context: ClusterContext, excluded: Exclusions) -> list[KubernetesObject]:
    """Our classes, by name. ``excluded`` has, by driver, the identities of devices to keep out of all of them."""
    ours = sorted((each for each in context.classes if each.ours), key=lambda each: each.name)
    return [_device_class(context, each, excluded) for each in ours]


def _device_class(context: ClusterContext, ref: DeviceClassRef, excluded: Exclusions) -> KubernetesObject:
    spec: dict[str, object] = {"selectors": [{"cel": {"expression": text}} for text in class_selectors(ref, excluded)]}
    extended = extended_resource_name(context, ref)
    if extended and context.target.keeps_extended_resource_name:
        spec["extendedResourceName"] = extended
    return {
        "apiVersion": context.target.api_version("DeviceClass"),
        "kind": "DeviceClass",
        "metadata": {"name": ref.name, "labels": dict(MANAGED_BY)},
        "spec": spec,
    }


def extended_resource_name(context: ClusterContext, ref: DeviceClassRef) -> str | None:
    """The extended resource that the cluster document gives to a model's class."""
    driver = context.cluster.driver(ref.view.name) if ref.view else None
    if driver is None or ref.model is None or ref.partition is not None:
        return None
    wanted = ref.model.lower()
    return next((name for model, name in driver.extended_resource_name.items() if model.lower() == wanted), None)


def class_selectors(ref: DeviceClassRef, excluded: Exclusions) -> list[str]:
    """The selectors of one class of ours: type of device, then model, then partition, then exclusions."""
    view = ref.view
    assert view is not None
    assert ref.device_type is not None
    texts = [" && ".join([selectors.driver_is(view.name), *_type_selectors(view, ref.device_type)])]
    if ref.model is not None:
        texts += _model_selectors(view, ref.model)
    if ref.partition is not None and view.partitioning is not None:
        condition = Comparison("==", ref.partition)
        texts += selectors.attribute_selectors(view.partitioning.attribute, [condition])
    identities = excluded.get(view.name, ())
    if identities:
        # A part of a device is out with the device, whose identity it publishes as its parent's.
        names = (view.identity_of(ref.device_type), view.parent_identity_of(ref.device_type))
        texts += [selectors.identity_not_in(name, identities) for name in names if name]
    return texts


def _type_selectors(view: DriverView, device_type: str) -> list[str]:
    """What tells this type from the driver's others."""
    own = view.device_type(device_type)
    assert own is not None
    if own.discriminator is not None:
        return [_marked(own.discriminator.attribute, own.discriminator.equals, own.discriminator.exists)]
    return []


def _marked(attribute: str, equals: str | int | bool | None, exists: bool | None) -> str:
    if equals is None:
        return selectors.attribute_present(attribute, exists is not False)
    return selectors.attribute_selectors(attribute, [Comparison("==", equals)])[0]


def _model_selectors(view: DriverView, name: str) -> tuple[str, ...]:
    model = view.model(name)
    assert model is not None
    assert view.model_attribute is not None
    products = tuple(product.name for product in model.products)
    condition = Comparison("==", products[0]) if len(products) == 1 else OneOf(products)
    return selectors.attribute_selectors(view.model_attribute, [condition])
