"""CS810: the order of a list across nodes."""

from claimsmith.findings import Consequence, Rule, Severity, register


@register
class AffinityLeftOut(Rule):
    id = "CS810"
    name = "affinity-left-out"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "the values of workload `{workload}` leave out `affinity`, which holds up the order of its list"
    help = "write `podSpec.affinity` into them"
    why = (
        "A list orders alternatives on one node; across nodes it is only a score, which load outweighs. Without a "
        "preferred node affinity to the pools of the first choice, a fallback is taken while the first choice is free."
    )
    bad = "podSpec:\n  resourceClaims: {{ podSpec.resourceClaims | tojson }}\n"
    good = "podSpec: {{ podSpec | tojson }}\n"
