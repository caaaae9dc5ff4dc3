"""CS730 to CS739: the templates in which a team lays out its own Helm values."""

from claimsmith.findings import Consequence, Rule, Severity, register


class _Invalid(Rule):
    severity = Severity.ERROR
    consequence = Consequence.INVALID


@register
class TemplateUnreadable(_Invalid):
    id = "CS730"
    name = "template-unreadable"
    message = "the template cannot be read: {problem}"
    why = "A values template is a text file in UTF-8 below `profiles/templates/`, of 64 KiB at most."


@register
class TemplateSyntax(_Invalid):
    id = "CS731"
    name = "template-syntax"
    message = "this is no jinja2 template: {problem}"
    why = "A template that jinja2 cannot read makes no values."
    bad = "{% for claim in claims %}\n"
    good = "{% for claim in claims %}{{ claim }}: true\n{% endfor %}\n"


@register
class TemplateMissing(_Invalid):
    id = "CS732"
    name = "template-missing"
    message = "{problem}"
    help = "known: {known}"
    why = (
        "A name that is not there would leave a hole in the values without a word. What may be missing is asked for "
        "with `is defined` or has a `default`."
    )
    bad = "image: {{ workload.imgae }}\n"
    good = "image: {{ workload.image }}\n"


@register
class TemplateRefused(_Invalid):
    id = "CS733"
    name = "template-refused"
    message = "a values template has no {feature}"
    help = "{known}"
    why = (
        "Templates come from many teams and are rendered where everybody's output is made. They see the data of one "
        "workload and nothing else: no files, no other templates, nothing of Python."
    )
    bad = "{% include 'common.yaml' %}\n"
    good = "{{ podSpec | to_yaml }}\n"


@register
class TemplateTooCostly(_Invalid):
    id = "CS734"
    name = "template-too-costly"
    message = "the template is too costly: {problem}"
    help = "write less, or loop over fewer things"
    why = "Length, depth and steps of a template have bounds, the same on every machine, so that a compile always ends."
    bad = "{% for i in range(1000000) %}{{ i }}{% endfor %}\n"
    good = "{% for name in claims %}{{ name }}: {}\n{% endfor %}\n"


@register
class TemplateFailed(_Invalid):
    id = "CS735"
    name = "template-failed"
    message = "the template stops here: {problem}"
    why = "An operation did not get the kind of value that it is made for."
    bad = "retries: {{ job.backoffLimit + '' }}\n"
    good = "retries: {{ job.backoffLimit }}\n"


@register
class TemplateNotValues(_Invalid):
    id = "CS736"
    name = "template-not-values"
    message = "the template makes {made}, and Helm values are one mapping"
    why = "Helm merges values by key, so that a values file is a single YAML document with a mapping in it."
    bad = "- {{ workload.name }}\n"
    good = "name: {{ workload.name }}\n"


@register
class TemplateWithoutClaims(Rule):
    id = "CS737"
    name = "template-without-claims"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "the values of workload `{workload}` leave out the claim template {missing}"
    help = "write `podSpec.resourceClaims` into them, or `claims.<name>.template`"
    why = (
        "A Pod gets devices through `resourceClaims`, which name the claim templates; they change their names with "
        "their content. Without them the Pod runs without a device, or with one of an old meaning."
    )
    bad = "podSpec: {}\n"
    good = "podSpec:\n  resourceClaims: {{ podSpec.resourceClaims | tojson }}\n"
