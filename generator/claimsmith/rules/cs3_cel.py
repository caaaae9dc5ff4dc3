"""CS3xx: CEL that the API server refuses."""

from claimsmith.findings import Consequence, Rule, Severity, register


class _Rejected(Rule):
    severity = Severity.ERROR
    consequence = Consequence.REJECTED


@register
class RejectedCel(_Rejected):
    id = "CS301"
    name = "cel-rejected"
    message = "the API server refuses this selector: {problem}"
    help = "{hint}"
    why = "The API server parses and types every selector, and refuses the whole object for one that does not compile."
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture = "Hopper"\n'
    good = 'require:\n  cel: device.attributes["gpu.nvidia.com"].architecture == "Hopper"\n'


@register
class CostlyCel(_Rejected):
    id = "CS302"
    name = "cel-too-costly"
    message = "the API server refuses this selector: {problem}"
    help = "leave out nested loops and long regular expressions, or split it into several selectors"
    why = "Selectors are limited in length and in the cost that the API server estimates for the worst device."


@register
class NewerCel(_Rejected):
    id = "CS303"
    name = "cel-needs-another-target"
    message = "Kubernetes {minor} refuses this selector: {problem}"
    help = "it is accepted {where}"
    why = (
        "The language of selectors grows with Kubernetes, a minor later than the library that it comes from, and with "
        "feature gates."
    )
    bad = 'require:\n  cel: device.attributes["gpu.nvidia.com"].includes(0)\n'
