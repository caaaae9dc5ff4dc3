"""CS120 to CS139: what is wrong inside one claimsmith document."""

from claimsmith.findings import Consequence, Rule, Severity, register


class _Invalid(Rule):
    severity = Severity.ERROR
    consequence = Consequence.INVALID


@register
class NotADocument(_Invalid):
    id = "CS120"
    name = "not-a-document"
    message = "{problem}"
    help = "start with `apiVersion: claimsmith/v1alpha1`, `kind` and `metadata`"
    why = "A claimsmith document is a YAML mapping with apiVersion, kind, metadata and spec, as in Kubernetes."
    bad = "- vision\n"
    good = "apiVersion: claimsmith/v1alpha1\nkind: TeamProfile\nmetadata: {name: vision}\n"


@register
class UnknownField(_Invalid):
    id = "CS121"
    name = "unknown-field"
    message = "unknown field `{field}`"
    help = "{refused}known here: {known}"
    why = (
        "A misspelt field would be left out in silence, and a constraint that is left out changes which device a "
        "Pod gets. So every field that the document's schema does not have is an error."
    )
    bad = "prefer:\n- {model: H100-80GB, cuont: 4}\n"
    good = "prefer:\n- {model: H100-80GB, count: 4}\n"


@register
class MissingField(_Invalid):
    id = "CS122"
    name = "missing-field"
    message = "`{field}` is missing in {where}"
    why = "The field has no default that would be right for everybody."
    bad = "requests:\n- {driver: gpu.nvidia.com}\n"
    good = "requests:\n- {name: gpu, driver: gpu.nvidia.com}\n"


@register
class WrongType(_Invalid):
    id = "CS123"
    name = "wrong-type"
    message = "`{field}` takes {expected} and has {got}"
    help = "{hint}"
    why = 'YAML gives a scalar its type by its looks: 1.36 is a number, "1.36" is a string.'
    bad = "kubernetes: 1.36\n"
    good = 'kubernetes: "1.36"\n'


@register
class UnknownValue(_Invalid):
    id = "CS124"
    name = "unknown-value"
    message = "`{value}` is not one of: {known}"
    why = "The field takes one of a few words."
    bad = "quarantine: rules\n"
    good = "quarantine: rule\n"


@register
class MalformedValue(_Invalid):
    id = "CS125"
    name = "malformed-value"
    message = "`{value}` cannot stand in `{field}`: {reason}"
    why = "The value goes into a Kubernetes object, and the API server has rules for its form; or it has a form of its own."
    bad = "metadata: {name: Vision_Team}\n"
    good = "metadata: {name: vision-team}\n"


@register
class OutOfRange(_Invalid):
    id = "CS126"
    name = "out-of-range"
    message = "`{field}` {problem}"
    why = "Too little, too much, or the same thing twice."
    bad = "prefer: []\n"
    good = "prefer:\n- {model: H100-80GB}\n"


@register
class ForeignDocument(Rule):
    id = "CS127"
    name = "foreign-document"
    severity = Severity.INFO
    consequence = Consequence.STYLE
    message = "this is not a claimsmith document (`{api_version}` `{kind}`), so it was left unread"
    why = "Documents of other tools may stand beside profiles; this says which ones claimsmith did not look at."
    bad = "apiVersion: v1\nkind: ConfigMap\n"
    good = "apiVersion: claimsmith/v1alpha1\nkind: TeamProfile\n"


@register
class DuplicateDocument(_Invalid):
    id = "CS128"
    name = "duplicate-document"
    message = "there are two documents `{kind}` named `{name}`; the first is at {first}"
    help = "rename one or remove it"
    why = "Output paths and object names come from document names, so one would overwrite the other."
    bad = "metadata: {name: vision}\n---\nmetadata: {name: vision}\n"
    good = "metadata: {name: vision}\n---\nmetadata: {name: speech}\n"


@register
class UnsafePath(_Invalid):
    id = "CS129"
    name = "unsafe-path"
    message = "`{path}` {problem}"
    help = "name a file inside the repository by a relative path"
    why = "A profile is reviewed as part of its repository; what lies outside is not, and differs between machines."
    bad = "inventory: ../../../etc/passwd\n"
    good = "inventory: ../inventories/prod-eu.yaml\n"


@register
class Unreadable(_Invalid):
    id = "CS130"
    name = "unreadable-file"
    message = "`{path}` cannot be read: {problem}"
    why = "Leaving a file out in silence would remove what it asks for from the output."


@register
class SuppressionUnused(Rule):
    id = "CS131"
    name = "unused-suppression"
    severity = Severity.WARNING
    consequence = Consequence.STYLE
    message = "this suppression of {rule} suppresses nothing"
    help = "remove the comment"
    why = "A suppression that outlives its finding would hide the next one."
    bad = "# claimsmith: ignore CS503 - no such finding here\n"


@register
class SuppressionRefused(Rule):
    id = "CS132"
    name = "suppression-refused"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "{rule} cannot be suppressed: {problem}"
    why = (
        "A suppression needs a known rule and a reason, and what claimsmith or the API server refuses cannot be "
        "written whatever a comment says."
    )
    bad = "# claimsmith: ignore CS121\n"
    good = "# claimsmith: ignore CS503 - the new cards arrive in March\n"
