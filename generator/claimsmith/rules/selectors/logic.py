"""What a selector that does not fail selects, and whether that can have been meant (CS5xx)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from claimsmith.cel.ast import Expr
from claimsmith.cel.runtime import quantities
from claimsmith.cel.runtime.values import Map
from claimsmith.documents.driver_schema import Attribute, Capacity
from claimsmith.rules.selectors.fleet import Kind, Specimen, type_of
from claimsmith.rules.selectors.paths import Constant, Read, conjuncts
from claimsmith.rules.selectors.remark import Remark
from claimsmith.rules.selectors.verdict import Expression, Result
from claimsmith.rules.selectors.words import devices_of, models
from claimsmith.values.quantity import Quantity
from claimsmith.values.suggest import closest

NEAR = 0.93
"""How much of a threshold makes a miss look like a rounded number: 15Gi of a T4 with "16 GB"."""

_EQUALITY = ("==", "!=", "in")
_LITERAL_TYPES = {"string": ("string",), "int": ("int", "uint", "double"), "bool": ("bool",)}
_NAMES = {
    "==": "`{}` is not the name of one",
    "in": "`{}` is not the name of one",
    "contains": "no name contains `{}`",
    "startsWith": "no name starts with `{}`",
    "endsWith": "no name ends with `{}`",
    "matches": "no name matches `{}`",
}
_CORE = re.compile(r"[A-Za-z0-9 _-]+")
_TOKEN = re.compile(r"[A-Za-z]+[0-9]+[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class Selection:
    """One selector on the devices that reach it; `complete`: these stand for all devices.

    `model` is the title of the model whose alternative this is.
    """

    found: Expression
    outcomes: tuple[tuple[Specimen, Result], ...]
    admitted: tuple[Kind, ...]
    complete: bool
    model: str | None
    of_class: bool

    @property
    def matched(self) -> list[Kind]:
        return list(dict.fromkeys(each.kind for each, result in self.outcomes if result is True))

    @property
    def never(self) -> bool:
        """Whether no device at all is true."""
        return self.complete and bool(self.outcomes) and not self.matched

    @property
    def known(self) -> list[Kind]:
        return list(dict.fromkeys(each.kind for each, _ in self.outcomes if each.kind.model is not None))

    @property
    def devices(self) -> str:
        if self.model is not None:
            return f"model {self.model}"
        kinds = list(dict.fromkeys(each.kind for each, _ in self.outcomes if each.kind.view)) or self.admitted
        return devices_of(kinds, self.admitted).removeprefix("devices of ")


def judge(selection: Selection) -> Iterator[Remark]:
    """Everything about one selector that has no error."""
    literal = list(_literals(selection))
    yield from literal
    if selection.never:
        if not literal:
            yield _never(selection)
        return
    if not literal and (unknown := _no_known_model(selection)) is not None:
        yield unknown
        return
    yield from _equalities(selection)
    yield from _substrings(selection)
    yield from _narrow(selection)
    if selection.complete and not selection.of_class and all(result is True for _, result in selection.outcomes):
        yield Remark("CS508", selection.found.tree, {"devices": selection.devices})


def _items(selection: Selection, read: Read) -> list[Attribute | Capacity]:
    if read.name is None or len(read.steps) != 3:
        return []
    return [item for kind in selection.admitted if (item := kind.item(read.field, read.name)) is not None]


def _literals(selection: Selection) -> Iterator[Remark]:
    """Comparisons with values that the attribute never has."""
    for read in selection.found.reads:
        use, items = read.use, _items(selection, read)
        if use is None or use.operator not in _EQUALITY or use.through not in ((), ("orValue",)) or not items:
            continue
        types = {type_of(item) for item in items}
        if len(types) != 1 or read.field != "attributes":
            continue
        [type_name] = types
        for literal in use.literals:
            if type_name in _LITERAL_TYPES and literal.kind not in _LITERAL_TYPES[type_name]:
                yield _mismatched(read, type_name, literal, never=selection.never)
            elif type_name in ("string", "int"):
                yield from _unknown_value(selection, read, literal)


def _mismatched(read: Read, type_name: str, literal: Constant, *, never: bool) -> Remark:
    text = str(literal.value).lower() if isinstance(literal.value, bool) else str(literal.value)
    mend = ""
    bare = {"bool": r"true|false", "int": r"-?[0-9]+"}.get(type_name)
    if bare is not None and re.fullmatch(bare, text):
        mend = f"write {text} without quotes"
    elif type_name == "string":
        mend = f'write "{text}"'
    data = {"name": read.steps[2].key, "kind": type_name, "other": literal.kind, "literal": f"`{text}`", "mend": mend}
    return Remark("CS506", literal.node, data) if never else Remark("CS516", literal.node, data)


def _unknown_value(selection: Selection, read: Read, literal: Constant) -> Iterator[Remark]:
    assert read.name is not None
    known: list[str] = []
    for kind in selection.admitted:
        view = kind.view
        if view is None or kind.item(read.field, read.name) is None:
            continue
        for device_type in view.device_types():
            item = view.attribute(device_type.id, read.name)
            if item is not None and not item.values_closed:
                return
            known += [str(each) for each in item.values] if item is not None else []
    value = str(literal.value)
    if not known or value in known:
        return
    listed = list(dict.fromkeys(known))
    words = {"value": value, "known": ", ".join(listed), "did_you_mean": closest(value, listed)}
    if selection.never:
        yield Remark("CS501", literal.node, words | {"field": read.steps[2].key})
    else:
        yield Remark("CS515", literal.node, words | {"name": read.steps[2].key})


def _never(selection: Selection) -> Remark:
    culprit, other = _culprit(selection)
    if selection.model is not None:
        excluded = _excluded(selection, culprit)
        if excluded is not None:
            return excluded
    reason = f", since `{selection.found.of(other)}` excludes it" if other is not None else ""
    return Remark("CS504", culprit, {"devices": selection.devices, "reason": reason})


def _culprit(selection: Selection) -> tuple[Expr, Expr | None]:
    """The part that is never true, else the second of two that exclude each other, else the whole."""
    found = selection.found
    parts = list(conjuncts(found.tree))
    specimens = [specimen for specimen, _ in selection.outcomes]
    true_on = []
    for part in parts:
        selector = found.part(part)
        held = frozenset(index for index, each in enumerate(specimens) if selector.matches(each.device) is True)
        if not held:
            return part, None
        true_on.append(held)
    for index, part in enumerate(parts):
        for earlier in range(index):
            if not true_on[index] & true_on[earlier]:
                return part, parts[earlier]
    return found.tree, None


def _excluded(selection: Selection, culprit: Expr) -> Remark | None:
    """A plain comparison that the model itself does not meet."""
    for read in selection.found.reads:
        use = read.use
        if use is None or use.node is not culprit or read.name is None:
            continue
        facts = [fact for kind in selection.known if (fact := kind.fact(read.name)) is not None]
        if not facts:
            continue
        data = {
            "field": read.steps[2].key,
            "wanted": _wanted(read),
            "model": selection.model,
            "actual": ", ".join(dict.fromkeys(str(fact) for fact in facts)),
            "hint": _below([fact for fact in facts if isinstance(fact, Quantity)], read),
        }
        return Remark("CS502", culprit, data)
    return None


def _wanted(read: Read) -> str:
    assert read.use is not None
    texts = [str(each.value) for each in read.use.literals]
    return f"one of {', '.join(texts)}" if read.use.operator == "in" else f"{read.use.operator} {texts[0]}"


def _below(amounts: Sequence[Quantity], read: Read) -> str:
    """The whole Gi that includes the largest of these, where a threshold just misses it."""
    assert read.use is not None
    wanted = _amount(read.use.literals[0]) if read.use.literals else None
    if wanted is None or not amounts or read.use.operator not in (">", ">="):
        return ""
    least = min(amounts).as_fraction() // 2**30
    near = max(amounts).as_fraction() > wanted.as_fraction() * 9 / 10
    return f'write .compareTo(quantity("{int(least)}Gi")) >= 0 to include it' if near and least else ""


def _amount(constant: Constant) -> Quantity | None:
    if constant.kind != "quantity":
        return None
    try:
        return Quantity.parse(str(constant.value))
    except ValueError:
        return None


def _no_known_model(selection: Selection) -> Remark | None:
    """The catalogue has models of these types, and none of them is true."""
    known = selection.known
    telling = [read for read in selection.found.reads if read.name and any(each.fact(read.name) for each in known)]
    matched = selection.matched
    if not telling or not known or any(each.model is not None for each in matched):
        return None
    types = {each.device_type for each in known}
    if any(each.device_type not in types for each in matched):
        return None
    view = known[0].view
    assert view is not None
    place: Expr = selection.found.tree
    data: dict[str, object] = {"driver": view.name, "reason": ""}
    products = {str(kind.fact(view.model_attribute)): None for kind in known if view.model_attribute}
    for read in telling:
        if read.name != view.model_attribute or read.use is None or not read.use.literals:
            continue
        literal = read.use.literals[0]
        value = str(literal.value)
        if value in products or read.use.operator not in _NAMES:
            continue
        place = literal.node
        data |= {"reason": f": {_NAMES[read.use.operator].format(value)}"}
        data["did_you_mean"] = _product(value, products) if read.use.operator != "matches" else None
        break
    return Remark("CS507", place, data)


def _product(text: str, products: Iterable[str]) -> str | None:
    """The product that a label of GPU Feature Discovery, another case or a part of a name stands for."""
    listed = sorted(products)
    folded = _folded(text)
    same = (each for each in listed if _folded(each) == folded)
    longer = (each for each in listed if folded in _folded(each))
    return next(same, None) or next(longer, None) or closest(text, listed)


def _folded(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text.strip()).casefold()


def _equalities(selection: Selection) -> Iterator[Remark]:
    for read in selection.found.reads:
        if read.field != "capacity" or read.use is None or read.use.operator not in ("==", "in") or not read.name:
            continue
        if any(isinstance(item, Capacity) and item.unit == "bytes" for item in _items(selection, read)):
            yield Remark("CS513", read.use.node, {"name": read.steps[2].key})


def _substrings(selection: Selection) -> Iterator[Remark]:
    """A model's name that is a part of another model's name."""
    for read in selection.found.reads:
        use = read.use
        if use is None or use.operator not in ("contains", "matches", "startsWith", "endsWith") or not use.literals:
            continue
        core = str(use.literals[0].value)
        if use.operator == "matches":
            core = core.removeprefix("(?i)").strip("^$").removeprefix(".*").removesuffix(".*")
        if not _CORE.fullmatch(core) or not _TOKEN.fullmatch(core.strip().split(" ")[-1].split("-")[-1]):
            continue
        others = [each for each in selection.matched if _within(core, each, read.name)]
        if others:
            yield Remark("CS509", use.literals[0].node, {"text": core, "others": models(others)})


def _within(core: str, kind: Kind, name: str | None) -> bool:
    """Whether a product name has the text only within a longer word."""
    product = kind.fact(name) if name and kind.view and name == kind.view.model_attribute else None
    if not isinstance(product, str):
        return False
    word = re.escape(core.strip())
    whole = re.search(rf"(?<![A-Za-z0-9]){word}(?![A-Za-z0-9])", product, re.IGNORECASE)
    return whole is None and re.search(word, product, re.IGNORECASE) is not None


def _narrow(selection: Selection) -> Iterator[Remark]:
    """Models that a threshold leaves out by so little that it was probably rounded."""
    for read in selection.found.reads:
        use = read.use
        if use is None or use.operator not in (">", ">=") or read.field != "capacity" or read.name is None:
            continue
        wanted = _amount(use.literals[0])
        if wanted is None:
            continue
        missed = [kind for kind in selection.known if _just_misses(selection, kind, read, wanted)]
        if missed:
            amounts = [fact for kind in missed if isinstance(fact := kind.fact(read.name), Quantity)]
            named = dict.fromkeys(f"{kind.title} ({kind.fact(read.name)})" for kind in missed)
            data = {"name": read.steps[2].key, "wanted": _wanted(read), "models": ", ".join(named)}
            yield Remark("CS514", use.node, data | {"hint": _below(amounts, read)})


def _just_misses(selection: Selection, kind: Kind, read: Read, wanted: Quantity) -> bool:
    assert read.name is not None
    have = kind.fact(read.name)
    if not isinstance(have, Quantity) or kind in selection.matched:
        return False
    if not wanted.as_fraction() * int(NEAR * 100) / 100 < have.as_fraction() <= wanted.as_fraction():
        return False
    domain, _, identifier = read.name.rpartition("/")
    enough = quantities.parse(str(int(wanted.as_fraction()) + 1))
    for specimen, _ in selection.outcomes:
        if specimen.kind is kind:
            entries = dict(specimen.device.capacity)
            there = dict(entries[domain].entries) if domain in entries else {}
            entries[domain] = Map(there | {identifier: enough}, native=True)
            if selection.found.selector.matches(replace(specimen.device, capacity=entries)) is True:
                return True
    return False
