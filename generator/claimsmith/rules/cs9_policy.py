"""CS901 to CS919: what the platform team's policies say of profiles, and what is wrong with the policies."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.guardrails import Policy, PolicyRule
from claimsmith.documents.load import DocumentSet
from claimsmith.documents.nodes import Scalar
from claimsmith.documents.scalar_map import position_in
from claimsmith.documents.source import Source
from claimsmith.findings import Consequence, Finding, Position, Rule, Severity, register
from claimsmith.rules.policy.data import VARIABLES, cluster_data, model_data, profile_data

if TYPE_CHECKING:
    from claimsmith.rules.policy.engine import Failure, Program

_WHOSE = "policy `{policy}`, rule `{rule}` ({place})"


class _Invalid(Rule):
    severity = Severity.ERROR
    consequence = Consequence.INVALID


@register
class PolicyViolated(_Invalid):
    id = "CS901"
    name = "policy-violated"
    message = "{message}"
    help = _WHOSE
    why = "A policy is a condition of the platform team that every profile must meet on the clusters it applies to."
    bad = (
        "rules:   # of a Policy, where the profile has prefer: [{model: H100-80GB, count: all}]\n"
        "- name: no-whole-node\n"
        '  expression: profile.spec.claims.all(c, c.requests.all(r, r.prefer.all(p, p.count != "all")))\n'
        "  message: leave devices of a node to others\n"
    )
    good = "prefer: [{model: H100-80GB, count: 4}]\n"


@register
class PolicyWarning(Rule):
    id = "CS902"
    name = "policy-warning"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "{message}"
    help = _WHOSE
    why = "A rule of a policy with `severity: warning`: the platform team advises against it and does not forbid it."


@register
class PolicyNotice(Rule):
    id = "CS903"
    name = "policy-notice"
    severity = Severity.INFO
    consequence = Consequence.STYLE
    message = "{message}"
    help = _WHOSE
    why = "A rule of a policy with `severity: info`: the platform team wants it known."


@register
class PolicySyntax(_Invalid):
    id = "CS910"
    name = "policy-syntax"
    message = "this is not CEL: {problem}"
    why = (
        "A policy is plain CEL over `profile`, `cluster` (the documents as JSON, defaults filled in) and `models` "
        "(facts of each model that the profile names), with the macros has, all, exists, exists_one, filter and map."
    )
    bad = "expression: profile.spec.claims.size() = 1\n"
    good = "expression: profile.spec.claims.size() == 1\n"


@register
class PolicyEvaluation(_Invalid):
    id = "CS911"
    name = "policy-evaluation"
    message = "rule `{rule}` of policy `{policy}` has no answer for team `{team}`: {problem}"
    help = "a field that may be missing is asked for first: `!has(a.b) || a.b == 1`"
    why = (
        "A condition that ends in an error is neither met nor broken. To let such a profile pass would make a "
        "guardrail that opens by accident."
    )
    bad = "expression: profile.spec.clusters.size() < 3\n"
    good = "expression: has(profile.spec.clusters) && profile.spec.clusters.size() < 3\n"


@register
class PolicyNotBool(_Invalid):
    id = "CS912"
    name = "policy-not-bool"
    message = "rule `{rule}` of policy `{policy}` is {kind} and not true or false for team `{team}`"
    help = "compare it with something"
    why = "A condition is true or false; CEL has no other values that count as one of them."
    bad = "expression: profile.spec.claims.filter(c, c.requests.size() > 1)\n"
    good = "expression: profile.spec.claims.filter(c, c.requests.size() > 1) == []\n"


@register
class PolicyLimit(_Invalid):
    id = "CS913"
    name = "policy-limit"
    message = "cel-python, which runs the policies, has no {feature}"
    help = "this is a limit of the policy engine and not of CEL: {instead}"
    why = (
        "Policies run on cel-python, which knows CEL's standard library and the macros with one variable, but no "
        "optional values and no extension libraries. Device selectors in profiles have no such limit."
    )
    bad = "expression: profile.spec.?clusters.orValue([]).size() < 3\n"
    good = "expression: (has(profile.spec.clusters) ? profile.spec.clusters.size() : 0) < 3\n"


@register
class PolicyUnknownName(_Invalid):
    id = "CS914"
    name = "policy-unknown-name"
    message = "{problem}"
    help = "known: {known}"
    why = "An unknown name would only show once the expression is evaluated as far as that."
    bad = "expression: profle.spec.claims != []\n"
    good = "expression: profile.spec.claims != []\n"


@register
class PolicyTooCostly(_Invalid):
    id = "CS915"
    name = "policy-too-costly"
    message = "the expression is too costly: {problem}"
    help = "split the rule, or look at each list once"
    why = (
        "Every rule is evaluated for every profile on every cluster. So its length, its depth and the steps of its "
        "evaluation have bounds, the same on every machine."
    )
    bad = "expression: profile.spec.claims.all(a, profile.spec.claims.all(b, profile.spec.claims.all(c, …)))\n"
    good = "expression: profile.spec.claims.all(c, c.requests.size() < 4)\n"


_VIOLATED = {"error": "CS901", "warning": "CS902", "info": "CS903"}


@dataclass(frozen=True, slots=True)
class _Condition:
    """A rule of a policy that is ready to be evaluated."""

    policy: Policy
    rule: PolicyRule
    text: Scalar
    program: "Program"


class Policies:
    """The policies of a run, each expression compiled once."""

    def __init__(self, documents: DocumentSet) -> None:
        self.findings: list[Finding] = []
        self._sources = documents.sources
        self._conditions = [
            condition
            for policy in documents.policies
            for rule in policy.rules
            if (condition := self._compiled(policy, rule)) is not None
        ]
        self._values: dict[tuple[str, str], Any] = {}
        self._outcomes: dict[tuple[int, str], bool | Failure] = {}

    def check(self, resolved: ResolvedProfile) -> Iterator[Finding]:
        """What the policies say of a profile on a cluster; nothing where a claim of it could not be made sense of."""
        if len(resolved.claims) < len(resolved.profile.claims):
            return
        cluster = resolved.context.name
        for index, condition in enumerate(self._conditions):
            if condition.policy.clusters is None or cluster in condition.policy.clusters:
                outcome = self._outcome(index, condition, resolved)
                if outcome is not True:
                    yield self._finding(condition, outcome, resolved).on(cluster)

    def _compiled(self, policy: Policy, rule: PolicyRule) -> _Condition | None:
        from claimsmith.rules.policy.engine import compile_expression

        text = rule.node.get("expression")
        assert isinstance(text, Scalar)
        program, problems = compile_expression(rule.expression, VARIABLES)
        for problem in problems:
            place = position_in(text, self._source(policy), problem.start, problem.end)
            self.findings.append(Finding(problem.rule, place, problem.data, rule.field_path("expression")))
        return _Condition(policy, rule, text, program) if program is not None else None

    def _source(self, policy: Policy) -> Source | None:
        return self._sources.get(policy.file)

    def _outcome(self, index: int, condition: _Condition, resolved: ResolvedProfile) -> "bool | Failure":
        from claimsmith.rules.policy.engine import run

        # What depends on the profile alone is the same on every cluster.
        key = (index, resolved.profile.name)
        if key in self._outcomes:
            return self._outcomes[key]
        values = {name: self._value(name, resolved) for name in condition.program.uses}
        outcome = run(condition.program, values)
        if condition.program.uses <= {"profile"}:
            self._outcomes[key] = outcome
        return outcome

    def _value(self, name: str, resolved: ResolvedProfile) -> Any:
        from claimsmith.rules.policy.engine import to_value

        if name == "models":
            return to_value(model_data(resolved))
        profile, context = resolved.profile, resolved.context
        key = (name, profile.name if name == "profile" else context.name)
        if key not in self._values:
            self._values[key] = to_value(profile_data(profile) if name == "profile" else cluster_data(context))
        return self._values[key]

    def _finding(self, condition: _Condition, outcome: "bool | Failure", resolved: ResolvedProfile) -> Finding:
        policy, rule, profile = condition.policy, condition.rule, resolved.profile
        whose = {"policy": policy.name, "rule": rule.name}
        if isinstance(outcome, bool):
            at = rule.at("expression")
            message = " ".join(rule.message.split())
            data = {**whose, "message": message, "place": f"{at.file}:{at.line}"}
            return Finding(_VIOLATED[rule.severity], profile.name_position, data, "metadata.name")
        place: Position = position_in(condition.text, self._source(policy), outcome.start, outcome.end)
        path = rule.field_path("expression")
        if outcome.costly:
            return Finding("CS915", place, {"problem": outcome.problem}, path)
        if outcome.not_bool:
            return Finding("CS912", place, {**whose, "team": profile.name, "kind": outcome.problem}, path)
        data = {**whose, "team": profile.name, "problem": outcome.problem}
        return Finding("CS911", place, {**data, "did_you_mean": outcome.hint}, path)
