"""CS4xx: CEL that the API server takes and that fails at scheduling, by what the driver publishes."""

from claimsmith.findings import Consequence, Rule, Severity, register

_STOPS = (
    "The API server knows no attribute names, so it takes this. At scheduling the error stops the whole Pod, on every "
    "node and in whichever alternative it is reached."
)


class _Fatal(Rule):
    severity = Severity.ERROR
    consequence = Consequence.FATAL
    why = _STOPS


@register
class UnknownAttribute(_Fatal):
    id = "CS401"
    name = "unknown-attribute"
    message = "{devices} publish no {what} `{name}`"
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productname == "NVIDIA L4"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName == "NVIDIA L4"\n'


@register
class WrongDomain(_Fatal):
    id = "CS402"
    name = "wrong-domain"
    message = "{devices} publish nothing in the domain `{domain}`{reason}"
    help = "known: {known}"
    why = "An unknown domain is an empty map, so the error speaks of the attribute. " + _STOPS
    bad = 'require:\n  cel: device.attributes["nvidia.com"].architecture == "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class NotInRelease(_Fatal):
    id = "CS403"
    name = "not-in-release"
    message = "{devices} do not publish `{name}`{history}"
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].index == 0\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].?index.orValue(0) == 0\n'


@register
class MissingDomain(_Fatal):
    id = "CS404"
    name = "missing-domain"
    message = "`{key}` is an attribute, and the first key is its domain"
    help = "write {mend}"
    bad = 'require:\n  cel: device.attributes["architecture"].string == "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class QualifiedKey(_Fatal):
    id = "CS405"
    name = "qualified-name-as-key"
    message = "`{key}` is two keys: the domain and the attribute"
    help = "write {mend}"
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com/architecture"].string == "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class DottedDomain(_Fatal):
    id = "CS406"
    name = "dotted-domain"
    message = "`{written}` is read as one key after the other"
    help = "write {mend}"
    bad = 'require:\n  cel: device.attributes.gpu.nvidia.com.architecture == "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class OtherField(_Fatal):
    id = "CS407"
    name = "attribute-or-capacity"
    message = "`{name}` is {right}, not {wrong}"
    help = "write {mend}"
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0\n'
    good = 'require:\n  cel: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0\n'


@register
class MissingOnType(_Fatal):
    id = "CS408"
    name = "missing-on-device-type"
    severity = Severity.WARNING
    message = "{devices} do not publish `{name}`, and nothing keeps this from being read on them"
    help = "{mend}"
    why = (
        "It works until the allocator comes to such a device: where the devices of a node are in use, or of another order. "
        + _STOPS
    )


@register
class ValueSuffix(_Fatal):
    id = "CS409"
    name = "value-suffix"
    message = "`.{suffix}` is how a ResourceSlice writes the value; in CEL `{name}` is the value itself"
    help = "write {mend}"
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture.string == "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class UnguardedConditional(_Fatal):
    id = "CS410"
    name = "unguarded-conditional"
    severity = Severity.WARNING
    message = "{devices} need not publish `{name}`{condition}"
    help = "{mend}"
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].addressingMode == "ATS"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].?addressingMode.orValue("None") == "ATS"\n'


@register
class RarelyMissing(_Fatal):
    id = "CS411"
    name = "missing-on-unknown-models"
    severity = Severity.INFO
    message = "every known model publishes `{name}`, but {devices} need not{condition}"
    help = "{mend}"


@register
class OtherDrivers(_Fatal):
    id = "CS412"
    name = "class-without-driver"
    severity = Severity.WARNING
    message = "this fails on the devices of every other driver, which do not publish `{name}`"
    help = 'put `device.driver == "{driver}" &&` before it'
    why = "A class sees the devices of all drivers of a node. " + _STOPS


@register
class WrongType(_Fatal):
    id = "CS413"
    name = "wrong-attribute-type"
    message = "`{name}` is a {kind}, for which `{operator}` does not work here"
    help = "{mend}"
    why = "An attribute may have any type as far as the API server knows. " + _STOPS
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].driverVersion == "570.0.0"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].driverVersion == semver("570.0.0")\n'


@register
class InvalidLiteral(_Fatal):
    id = "CS414"
    name = "invalid-literal"
    message = "`{text}` is no {kind}: {problem}"
    why = "The API server does not look into these literals. " + _STOPS
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("570"))\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("570.0.0"))\n'


@register
class NotBool(_Fatal):
    id = "CS415"
    name = "result-not-bool"
    message = "the selector comes to a {kind}, where it must be true or false"
    help = "compare it with a value"
    why = "An attribute may have any type as far as the API server knows. " + _STOPS
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class FailsEverywhere(_Fatal):
    id = "CS416"
    name = "fails-on-every-device"
    severity = Severity.WARNING
    message = "this fails on every device that claimsmith knows of: {problem}"


@register
class GuardedAttribute(Rule):
    id = "CS420"
    name = "guarded-attribute-unpublished"
    severity = Severity.WARNING
    consequence = Consequence.NEVER_MATCHES
    message = "{devices} publish no `{name}`{history}, so the guard keeps the selector from ever matching"
    why = "A guard turns a wrong name from an error into silence."
    bad = 'require:\n  cel: has(device.attributes["gpu.nvidia.com"].arch) && device.attributes["gpu.nvidia.com"].arch == "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class MisspeltGuarded(Rule):
    id = "CS421"
    name = "guarded-attribute-misspelt"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "{devices} publish no `{name}`, so this part says nothing about them"
    why = "A guard turns a wrong name from an error into silence."
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].?adressingMode.orValue("None") != "HMM"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].?addressingMode.orValue("None") != "HMM"\n'


@register
class AbsentGuarded(Rule):
    id = "CS422"
    name = "guarded-attribute-absent"
    severity = Severity.INFO
    consequence = Consequence.STYLE
    message = "{devices} publish no `{name}`{history}, so this part says nothing about them"
    why = "It does no harm, and is needed where a selector is to fit several releases of a driver."
