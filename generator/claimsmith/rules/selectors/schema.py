"""Why a selector fails on devices, in terms of what their driver publishes (CS4xx)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from claimsmith.cel.ast import Call, Comprehension, Expr, Literal
from claimsmith.cel.runtime.failure import NO_OVERLOAD
from claimsmith.rules.selectors.fleet import Kind, Specimen, type_of
from claimsmith.rules.selectors.paths import VALUE_STEPS, Constant, Read, Step
from claimsmith.rules.selectors.remark import Part, Remark
from claimsmith.rules.selectors.verdict import Blame, Expression
from claimsmith.rules.selectors.words import devices_of, mended, place_of, short
from claimsmith.values.suggest import closest

_NO_KEY = "no such key: "
_RESULT = re.compile(r"CEL result of type (\S+) could not be converted to bool")
_OTHER = {"attributes": "capacity", "capacity": "attributes"}
_AN = {"attributes": "an attribute", "capacity": "a capacity"}
_PROBLEMS = {
    "semver": "it takes three numbers, without leading zeros",
    "quantity": "it takes a number with a suffix such as Gi or G",
}


@dataclass(frozen=True, slots=True)
class Failures:
    """One part of an expression with all the devices on which it fails."""

    blame: Blame
    specimens: tuple[Specimen, ...]

    @property
    def kinds(self) -> list[Kind]:
        return list(dict.fromkeys(each.kind for each in self.specimens))


def gather(blames: Iterable[tuple[Specimen, Blame]]) -> list[Failures]:
    """Blames by node and text."""
    found: dict[tuple[int, str], tuple[Blame, list[Specimen]]] = {}
    for specimen, each in blames:
        found.setdefault((each.node.id, each.text), (each, []))[1].append(specimen)
    return [Failures(each, tuple(specimens)) for each, specimens in found.values()]


def explain(found: Expression, failures: Failures, admitted: Sequence[Kind], *, always: bool) -> Iterator[Remark]:
    """What to say of one failing part; `always`: no device at all has a result."""
    text, node = failures.blame.text, failures.blame.node
    if text.startswith(_NO_KEY):
        place = _located(found, node, text.removeprefix(_NO_KEY))
        if place is not None:
            yield from _missing(place[0], place[1], failures, admitted)
            return
    if isinstance(node, Call) and node.function in _PROBLEMS and _literal(node) is not None:
        yield invalid_literal(node)
        return
    result = _RESULT.match(text)
    if result is not None and node is found.tree:
        kind = {"kubernetes.Semver": "version", "kubernetes.Quantity": "quantity"}.get(result[1], result[1])
        yield Remark("CS415", node, {"kind": kind})
        return
    operand = _operand(found, node, failures.kinds) if text.startswith(NO_OVERLOAD) else None
    if operand is not None:
        yield _wrong_type(operand[0], operand[1], node)
    elif always:
        yield Remark("CS416", node, {"problem": text})


def invalid_literal(call: Call) -> Remark:
    """Of a call of quantity or semver whose literal cannot be read."""
    literal = _literal(call)
    assert literal is not None
    kind = "version" if call.function == "semver" else "quantity"
    text = str(literal.value)
    data = {"text": text, "kind": kind, "problem": _PROBLEMS[call.function]}
    return Remark("CS414", literal, data | {"did_you_mean": mended(call.function, text)})


def _literal(call: Call) -> Literal | None:
    first = call.arguments[0] if call.arguments else None
    return first if isinstance(first, Literal) and isinstance(first.value, str) else None


def _located(found: Expression, node: Expr, key: str) -> tuple[Read, int] | None:
    """The read, and its step, that failed; within a loop the one that may miss this key."""
    for read in found.reads:
        for index, step in enumerate(read.steps):
            if step.node is node and read.field in _OTHER:
                return read, index
    if isinstance(node, Comprehension):
        for read in found.reads:
            inside = node.start <= read.steps[-1].start < node.end and read.field in _OTHER
            for index, step in enumerate(read.steps):
                if inside and step.key == key and index >= VALUE_STEPS - 1 and not read.guarded:
                    return read, index
    return None


def _missing(read: Read, index: int, failures: Failures, admitted: Sequence[Kind]) -> Iterator[Remark]:
    """A key that is not there: the domain is the first, the attribute the second, and nothing is behind it."""
    kinds = [each for each in failures.kinds if each.view is not None]
    if not kinds:
        foreign = next((each.view.name for each in admitted if each.view), "")
        yield Remark("CS412", read.steps[-1], {"name": read.name or read.steps[-1].key, "driver": foreign})
        return
    field, domain = read.steps[0].key or "", read.steps[1]
    keys = [step.key or "" for step in read.steps]
    form = _misformed(field, read.steps, keys, kinds)
    if form is not None:
        yield form
        return
    if domain.key not in _domains(kinds):
        if not any(each.view and each.view.schema.open for each in kinds):
            yield _wrong_domain(field, domain, keys, kinds, admitted)
        return
    name = f"{keys[1]}/{keys[2]}"
    if index >= VALUE_STEPS:
        place = Part(read.steps[index].start - 1, read.steps[index].end)
        mend = place_of(field, name)
        yield Remark("CS409", place, {"suffix": keys[index], "name": keys[2], "mend": mend})
        return
    lacking = [each for each in kinds if each.item(field, name) is None]
    if lacking:
        yield from _unpublished(field, name, read.steps[2], lacking, admitted)
    else:
        yield _conditional(field, name, read.steps[2], failures, admitted)


def _misformed(field: str, steps: Sequence[Step], keys: Sequence[str], kinds: Sequence[Kind]) -> Remark | None:
    """A path that is written in another way than CEL has it."""
    domains = _domains(kinds)
    if steps[1].form == "select":
        for end in range(len(keys), 2, -1):
            if ".".join(keys[1:end]) in domains:
                name = ".".join(keys[1:end])
                rest = f".{keys[end]}" if end < len(keys) else ""
                data = {"written": f"device.{field}.{name}", "mend": f'device.{field}["{name}"]{rest}'}
                return Remark("CS406", Part(steps[1].start, steps[end - 1].end), data)
    if "/" in keys[1]:
        mend = place_of(_field_of(field, keys[1], kinds), keys[1])
        return Remark("CS405", steps[1], {"key": keys[1], "mend": mend})
    for kind in kinds:
        assert kind.view is not None
        name = f"{kind.view.attribute_domain}/{keys[1]}"
        if keys[1] not in domains and name in kind.published:
            mend = place_of(_field_of(field, name, kinds), name)
            return Remark("CS404", steps[1], {"key": keys[1], "mend": mend})
    return None


def _field_of(field: str, name: str, kinds: Sequence[Kind]) -> str:
    """The field that has a name; the given one where neither has."""
    other = _OTHER[field]
    here = any(each.item(field, name) for each in kinds)
    return other if not here and any(each.item(other, name) for each in kinds) else field


def _domains(kinds: Iterable[Kind]) -> list[str]:
    found: dict[str, None] = {}
    for kind in kinds:
        if kind.view is not None:
            found[kind.view.attribute_domain] = None
            found.update(dict.fromkeys(kind.view.schema.other_domains))
            found.update(dict.fromkeys(name.rpartition("/")[0] for name in kind.published))
    return list(found)


def _wrong_domain(
    field: str, domain: Step, keys: Sequence[str], kinds: Sequence[Kind], admitted: Sequence[Kind]
) -> Remark:
    known = _domains(kinds)
    identifier = keys[2] if len(keys) > 2 else ""
    holders = [each for each in known if any(f"{each}/{identifier}" in kind.published for kind in kinds)]
    data = {
        "devices": devices_of(kinds, admitted),
        "domain": domain.key,
        "reason": "",
        "known": ", ".join(known),
        "did_you_mean": holders[0] if holders else closest(domain.key or "", known),
    }
    return Remark("CS402", domain, data)


def _unpublished(
    field: str, name: str, step: Step, lacking: Sequence[Kind], admitted: Sequence[Kind]
) -> Iterator[Remark]:
    first = lacking[0]
    view = first.view
    assert view is not None
    if view.schema.open:
        return
    devices, shown = devices_of(lacking, admitted), short(name, view.attribute_domain)
    other = _OTHER[field]
    if any(each.item(other, name) for each in lacking):
        mend = place_of(other, name)
        yield Remark("CS407", step, {"name": shown, "right": _AN[other], "wrong": _AN[field], "mend": mend})
        return
    if any(each.view and each.item(field, name) for each in admitted):
        yield Remark("CS408", step, {"devices": devices, "name": shown, "mend": _guard(field, name)})
        return
    history = view.absence(first.device_type, name)
    if history:
        yield Remark("CS403", step, {"devices": devices, "name": shown, "history": history})
        return
    what = "attribute" if field == "attributes" else "capacity"
    meant = meant_by(first, field, name)
    yield Remark("CS401", step, {"devices": devices, "what": what, "name": shown, "did_you_mean": meant})


def meant_by(kind: Kind, field: str, name: str) -> str | None:
    """The name that was probably meant, and the whole path where it is of another domain or field."""
    assert kind.view is not None
    near = kind.view.closest_name(kind.device_type, name.rpartition("/")[2])
    if near is None:
        return None
    near = near if "/" in near else f"{kind.view.attribute_domain}/{near}"
    domain, _, identifier = near.rpartition("/")
    holder = _field_of(field, near, [kind])
    return identifier if (domain, holder) == (name.rpartition("/")[0], field) else place_of(holder, near)


def _conditional(field: str, name: str, step: Step, failures: Failures, admitted: Sequence[Kind]) -> Remark:
    kinds = [each.kind for each in failures.specimens if each.kind.view is not None]
    item = kinds[0].item(field, name)
    assert item is not None
    assert kinds[0].view is not None
    data = {
        "devices": devices_of(kinds, admitted),
        "name": short(name, kinds[0].view.attribute_domain),
        "condition": f" ({item.condition.rstrip('.')})" if item.condition else "",
        "mend": _guard(field, name),
    }
    types = {each.device_type for each in kinds}
    known = any(each.model for each in admitted if each.device_type in types)
    if known and not any(each.model for each in kinds):
        return Remark("CS411", step, data)
    return Remark("CS410", step, data)


def _guard(field: str, name: str) -> str:
    path = place_of(field, name)
    before, _, identifier = path.rpartition(".")
    if field == "attributes":
        return f"write {before}.?{identifier}.orValue(…)"
    return f"write has({path}) && before it"


def _operand(found: Expression, node: Expr, kinds: Sequence[Kind]) -> tuple[Read, str] | None:
    """The value of a type that this operation does not take."""
    for read in found.reads:
        inside = node.start <= read.steps[-1].start and read.node.end <= node.end
        if not inside or read.name is None or len(read.steps) != VALUE_STEPS or read.steps[2].form in ("has", "in"):
            continue
        items = [item for kind in kinds if (item := kind.item(read.field, read.name)) is not None]
        types = {type_of(item) for item in items}
        if len(types) != 1:
            continue
        [type_name] = types
        used = read.use is not None and read.use.node is node
        direct = used or (isinstance(node, Call) and any(each is read.node for each in (node.target, *node.arguments)))
        if direct or (isinstance(node, Comprehension) and _unfit(read, type_name)):
            return read, type_name
    return None


def _unfit(read: Read, type_name: str) -> bool:
    if read.use is None or type_name != "version":
        return False
    return any(each.kind != "semver" for each in read.use.literals) and not {"major", "minor", "patch"} & set(
        read.use.through
    )


def _wrong_type(read: Read, type_name: str, node: Expr) -> Remark:
    use = read.use
    operator = use.operator if use else node.function.strip("_@") if isinstance(node, Call) else "this"
    if isinstance(node, Call) and not node.function.startswith(("_", "@")):
        operator = node.function
    literal = use.literals[0] if use and use.literals else None
    path = place_of(read.field or "", read.name or "")
    mend = _typed(path, type_name, operator, literal)
    place = use.node if use is not None and isinstance(node, Comprehension) else node
    return Remark("CS413", place, {"name": read.steps[2].key, "kind": type_name, "operator": operator, "mend": mend})


def _typed(path: str, type_name: str, operator: str, literal: Constant | None) -> str:
    text = str(literal.value) if literal is not None and not isinstance(literal.value, bool) else ""
    if type_name == "version":
        version = mended("semver", text)
        if version is None:
            return "compare it with semver(…), or by .major()"
        made = f'semver("{version}")'
        if operator in ("==", "!="):
            return f"write {path} {operator} {made}"
        if operator in ("<", "<=", ">", ">="):
            return f"write {path}.compareTo({made}) {operator} 0"
        if operator == "in":
            return f"write {path} in [{made}]"
        return f"write {path}.major() == {version.partition('.')[0]}"
    if type_name == "string":
        return "compare it with text, by ==, in or .matches(…)"
    if type_name == "int" and text.lstrip("-").isdigit():
        return f"write {path} {operator} {text}" if operator in ("<", "<=", ">", ">=") else ""
    if type_name == "bool":
        return f"write {path} or !{path}"
    return "it is a list" if type_name.endswith("s") else ""


def guarded(found: Expression, admitted: Sequence[Kind], blamed: Iterable[Remark], *, never: bool) -> Iterator[Remark]:
    """Names that no device publishes, and that something keeps from being an error."""
    spoken = {(each.place.start, each.place.end) for each in blamed}
    kinds = [each for each in admitted if each.view is not None]
    if not kinds or any(each.view and each.view.schema.open for each in kinds):
        return
    said: set[str] = set()
    for read in found.reads:
        name, field = read.name, read.field
        if name is None or field is None or name in said:
            continue
        step = read.steps[2]
        if any(each.item(field, name) for each in kinds) or any(
            start < step.end and read.steps[1].start < end for start, end in spoken
        ):
            said.add(name)
            continue
        said.add(name)
        yield _guarded(field, name, step, kinds, never=never)


def _guarded(field: str, name: str, step: Step, kinds: Sequence[Kind], *, never: bool) -> Remark:
    view = kinds[0].view
    assert view is not None
    history = next((text for each in kinds if each.view and (text := each.view.absence(each.device_type, name))), "")
    types = [each.id for each in view.device_types()]
    elsewhere = any(Kind(view, each).item(field, name) for each in types)
    meant = None
    if not history and not elsewhere:
        meant = next(filter(None, (meant_by(each, field, name) for each in kinds)), None)
    data = {"devices": devices_of(kinds, kinds), "name": short(name, view.attribute_domain), "did_you_mean": meant}
    if never:
        return Remark("CS420", step, data | {"history": history})
    if meant is not None and name.rpartition("/")[0] in _domains(kinds):
        return Remark("CS421", step, data)
    return Remark("CS422", step, data | {"history": history})
