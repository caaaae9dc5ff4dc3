"""CS504 to CS509, CS513 to CS516: selectors of one's own that never match, or match something else than was meant."""

from claimsmith.findings import Consequence, Rule, Severity, register


class _NeverMatches(Rule):
    severity = Severity.ERROR
    consequence = Consequence.NEVER_MATCHES


@register
class NeverMatches(_NeverMatches):
    id = "CS504"
    name = "selector-never-matches"
    message = "no device of {devices} is ever true for this{reason}"
    why = "All selectors of a class and of its request must be true for a device; for a choice, use a list or ||."
    bad = 'require:\n  cel: device.driver == "nvidia.com/gpu"\n'
    good = 'require:\n  cel: device.driver == "gpu.nvidia.com"\n'


@register
class TemplateLeft(_NeverMatches):
    id = "CS505"
    name = "template-left"
    message = "`{text}` is a template that nobody has filled in"
    help = "render it first, or quote it so that the template engine sees it"
    why = "The braces are plain text in CEL, which no attribute has."
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName == "{{ .Values.model }}"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName == "NVIDIA L4"\n'


@register
class MismatchedTypes(_NeverMatches):
    id = "CS506"
    name = "mismatched-types"
    message = "`{name}` is a {kind} and never equals the {other} {literal}"
    help = "{mend}"
    why = "Values of different types are not equal, and the API server does not know the type of an attribute."
    bad = 'require:\n  cel: device.attributes["dra.net"].rdma == "true"\n'
    good = 'require:\n  cel: device.attributes["dra.net"].rdma == true\n'


@register
class NoKnownModel(_NeverMatches):
    id = "CS507"
    name = "no-known-model"
    severity = Severity.WARNING
    message = "no known model of `{driver}` is true for this{reason}"
    why = (
        "Product names are those of the driver, with its spaces; node labels have dashes in their place. A model that "
        "claimsmith does not know can be added to a driver schema of your own."
    )
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName == "NVIDIA-L4"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName == "NVIDIA L4"\n'


@register
class AlwaysTrue(Rule):
    id = "CS508"
    name = "selector-always-true"
    severity = Severity.INFO
    consequence = Consequence.STYLE
    message = "every device of {devices} is true for this"
    why = "It selects nothing, and can be left out."


@register
class OtherModelsToo(Rule):
    id = "CS509"
    name = "matches-other-models"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "`{text}` is also a part of {others}"
    help = "compare whole product names, or add what tells them apart"
    why = "One product name can be a part of another: someone who asks for an H20 this way is given an H200."
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName.contains("B200")\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].productName == "NVIDIA B200"\n'


@register
class CapacityEquality(Rule):
    id = "CS513"
    name = "capacity-equality"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "`{name}` is compared for equality, and cards of one size publish different amounts"
    help = "compare with .compareTo(quantity(…)) >= 0"
    why = 'An "80 GB" H100 publishes 81559Mi, an 80 GB A100 exactly 80Gi, and a driver may change what it counts.'
    bad = 'require:\n  cel: device.capacity["gpu.nvidia.com"].memory == quantity("80Gi")\n'
    good = 'require:\n  cel: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("79Gi")) >= 0\n'


@register
class NarrowMiss(Rule):
    id = "CS514"
    name = "threshold-narrowly-misses"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "`{name}` {wanted} leaves out {models}"
    help = "{hint}"
    why = (
        "Published memory is less than the number on the card, so that a rounded threshold excludes the very model "
        "that was meant."
    )
    bad = 'require:\n  cel: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0\n'
    good = 'require:\n  cel: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("79Gi")) >= 0\n'


@register
class ValueNeverPublished(Rule):
    id = "CS515"
    name = "value-never-published"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "no device has `{name}` `{value}`, so this comparison is always the same"
    help = "known: {known}"
    why = "The driver publishes one of a few values and their case counts."
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture != "hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture != "Hopper"\n'


@register
class ConstantComparison(Rule):
    id = "CS516"
    name = "mismatched-types-compared"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "`{name}` is a {kind} and never equals the {other} {literal}, so this comparison is always the same"
    help = "{mend}"
    why = "Values of different types are not equal, and the API server does not know the type of an attribute."
    bad = 'require:\n  cel: device.attributes["dra.net"].rdma != "true"\n'
    good = 'require:\n  cel: device.attributes["dra.net"].rdma != true\n'
