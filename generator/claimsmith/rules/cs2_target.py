"""CS201 to CS209: what is wrong with the Kubernetes that a Cluster document describes."""

from collections.abc import Mapping

from claimsmith.findings import Consequence, Rule, Severity, register


class _Invalid(Rule):
    severity = Severity.ERROR
    consequence = Consequence.INVALID


class _ElsewhereKnown(_Invalid):
    """A name that a minor lacks: the help says which minors have it, and ``help`` is for those nobody has."""

    @classmethod
    def render_help(cls, data: Mapping[str, object]) -> str:
        exists_in = data.get("exists_in")
        return f"it exists in {exists_in}" if exists_in else super().render_help(data)


@register
class UnknownMinor(_Invalid):
    id = "CS201"
    name = "unknown-kubernetes-minor"
    message = "Kubernetes `{kubernetes}` is not known"
    help = "known are {known}"
    why = (
        "Which fields a cluster keeps, what it enforces and what it accepts differ from minor to minor. The "
        "output is made for one minor, given as MAJOR.MINOR in quotes and without a patch."
    )
    bad = 'kubernetes: "v1.36.3"\n'
    good = 'kubernetes: "1.36"\n'


@register
class NewerMinor(_Invalid):
    id = "CS202"
    name = "newer-kubernetes-minor"
    message = "Kubernetes `{kubernetes}` is newer than {newest}, the newest that this claimsmith knows"
    help = "upgrade claimsmith, or say {newest} and leave out what is new"
    why = (
        "Gates are locked or taken away, and defaults change, with every minor. What a minor that nobody "
        "has read would do with the output cannot be promised."
    )
    bad = 'kubernetes: "1.99"\n'
    good = 'kubernetes: "1.37"\n'


@register
class UnknownGate(_ElsewhereKnown):
    id = "CS203"
    name = "unknown-feature-gate"
    message = "Kubernetes {kubernetes} has no feature gate `{gate}` that concerns DRA"
    help = "only gates that concern DRA belong here"
    why = (
        "A control plane refuses to start with a gate that it does not know, so a cluster like this does "
        "not exist. A gate that has nothing to do with DRA changes nothing here and could hide a "
        "misspelling."
    )
    bad = "featureGates: {DRADeviceTaint: true}\n"
    good = "featureGates: {DRADeviceTaints: true}\n"


@register
class LockedGate(_Invalid):
    id = "CS204"
    name = "locked-feature-gate"
    message = "the feature gate `{gate}` is locked to {locked_to} in Kubernetes {kubernetes}"
    help = "leave it out"
    why = (
        "Once a feature is finished, its gate can no longer be set to anything but its default: the control "
        "plane refuses to start."
    )
    bad = 'kubernetes: "1.37"\nfeatureGates: {DRAPrioritizedList: false}\n'
    good = 'kubernetes: "1.37"\nfeatureGates: {}\n'


@register
class UnmetGateDependency(_Invalid):
    id = "CS205"
    name = "unmet-gate-dependency"
    message = "the feature gate `{gate}` is on and needs `{needs}`, which is off in Kubernetes {kubernetes}"
    help = "set both the same way"
    why = "Since 1.35 a control plane refuses to start with a gate on whose needs are off."
    bad = 'kubernetes: "1.35"\nfeatureGates: {DRADeviceTaintRules: true}\n'
    good = 'kubernetes: "1.35"\nfeatureGates: {DRADeviceTaintRules: true, DRADeviceTaints: true}\n'


@register
class UnknownRuntimeConfig(_ElsewhereKnown):
    id = "CS206"
    name = "unknown-runtime-config"
    message = "Kubernetes {kubernetes} has no API `{key}` in resource.k8s.io to switch"
    help = "known are {known}"
    why = (
        "The keys of runtimeConfig are those of the API server's --runtime-config that concern "
        "resource.k8s.io: `api/all`, `api/ga`, `api/beta`, `api/alpha`, a version, or one resource of a "
        "version. The API server refuses to start with a version that does not exist, and ignores an "
        "unknown resource."
    )
    bad = 'kubernetes: "1.36"\nruntimeConfig: {resource.k8s.io/v1beta3: true}\n'
    good = 'kubernetes: "1.36"\nruntimeConfig: {resource.k8s.io/v1beta2: true}\n'


@register
class UnknownPreset(_Invalid):
    id = "CS207"
    name = "unknown-preset"
    message = "there is no preset `{preset}`"
    help = "known are {known}; without a preset the minor's defaults hold, and featureGates and runtimeConfig"
    why = "A preset stands for a managed Kubernetes whose control plane its customers do not configure."
    bad = "preset: gkee\n"
    good = "preset: gke\n"


@register
class PresetForbids(_Invalid):
    id = "CS208"
    name = "fixed-by-preset"
    message = "the preset `{preset}` does not let `{key}` be changed in {setting}"
    help = "leave it out; or, where the cluster really has it so, leave out the preset"
    why = (
        "On a managed cluster the provider decides about feature gates and most API versions. Output made "
        "for a gate that nobody can switch on would lose its fields without a word. The sources are listed "
        "with the preset in the documentation."
    )
    bad = "preset: gke\nfeatureGates: {DRADeviceTaintRules: true}\n"
    good = "preset: gke\n"


@register
class DraSwitchedOff(Rule):
    id = "CS209"
    name = "dra-switched-off"
    severity = Severity.ERROR
    consequence = Consequence.IGNORED
    message = "`{missing}` is off on this Kubernetes {kubernetes}, so nothing here has an effect"
    help = "leave it on"
    why = (
        "Without the gate DynamicResourceAllocation (which 1.34 still lets be switched off) the control "
        "plane ignores claims, and scheduler and controllers watch claims, classes and slices in "
        "resource.k8s.io/v1 only."
    )
    bad = 'kubernetes: "1.34"\nfeatureGates: {DynamicResourceAllocation: false}\n'
    good = 'kubernetes: "1.34"\n'
