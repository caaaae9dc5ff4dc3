"""What to write instead of what the API server refuses."""

import re
from collections.abc import Callable, Iterator

from claimsmith.cel.ast import Call, Expr
from claimsmith.cel.check import Checked, CheckError
from claimsmith.rules.selectors.paths import Read, calls, reads

_UNDECLARED = re.compile(r"undeclared reference to '([^']*)'")
_FIELD = re.compile(r"undefined field '([^']*)'")
_NOT_SELECTABLE = {
    "name": "the name of a device cannot be selected; keep one out with a quarantine or by an attribute such as uuid",
    "nodeName": "selectors do not see the node; choose it with the Pod's nodeSelector",
    "node": "selectors do not see the node; choose it with the Pod's nodeSelector",
    "pool": "selectors do not see the pool",
    "taints": "selectors do not see taints; tolerate them or not",
    "capacities": "write device.capacity",
    "attribute": "write device.attributes",
}
_FUNCTIONS = {
    "isGreaterThanOrEqualTo": "write .compareTo(…) >= 0",
    "isLessThanOrEqualTo": "write .compareTo(…) <= 0",
    "isGreaterThanOrEqual": "write .compareTo(…) >= 0",
    "isLessThanOrEqual": "write .compareTo(…) <= 0",
    "greaterThan": "write .isGreaterThan(…)",
    "lessThan": "write .isLessThan(…)",
    "isEqualTo": "write ==",
    "equals": "write ==",
    "includes": "it needs the feature gate DRAListTypeAttributes",
    "toLower": "write .lowerAscii()",
    "toLowerCase": "write .lowerAscii()",
    "lower": "write .lowerAscii()",
    "toUpper": "write .upperAscii()",
    "length": "write size(…)",
    "len": "write size(…)",
    "asApproximateFloat64": "write .asApproximateFloat()",
    "regex": "write .matches(…)",
    "like": "write .matches(…) or .contains(…)",
}
_WORDS = {"and": "write &&", "or": "write ||", "not": "write !", "AND": "write &&", "OR": "write ||", "NOT": "write !"}

Hint = Callable[[Checked, CheckError, str], str]


def hint(checked: Checked, error: CheckError, domain: str) -> str:
    """How to mend one error, or an empty text; `domain` is that of the driver's own attributes."""
    return next((text for each in _HINTS if (text := each(checked, error, domain))), "")


def _single_equals(checked: Checked, error: CheckError, domain: str) -> str:
    if not error.message.startswith("Syntax error"):
        return ""
    text = checked.expression
    if text[error.start : error.start + 1] == "=":
        return "write == for equality"
    if text[max(0, error.start - 1) : error.start + 1] == "<>":
        return "write !="
    return ""


def _quotes(checked: Checked, error: CheckError, domain: str) -> str:
    return "write straight quotes" if checked.expression[error.start : error.start + 1] in tuple("“”‘’„") else ""


def _words(checked: Checked, error: CheckError, domain: str) -> str:
    if not error.message.startswith("Syntax error"):
        return ""
    text = checked.expression
    return _WORDS.get(text[error.start : error.end], "") or _WORDS.get(_word_before(text, error.start), "")


def _word_before(text: str, at: int) -> str:
    match = re.search(r"([A-Za-z]+)\s*$", text[:at])
    return match.group(1) if match else ""


def _reserved(checked: Checked, error: CheckError, domain: str) -> str:
    return 'it is a reserved word; write it as a key: ["…"]' if error.message.startswith("reserved identifier") else ""


def _undeclared(checked: Checked, error: CheckError, domain: str) -> str:
    match = _UNDECLARED.match(error.message)
    if match is None:
        return ""
    name = match.group(1)
    if name in ("attributes", "capacity", "driver"):
        return f"write device.{name}"
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    text = checked.expression
    if re.search(r"(attributes|capacity)\[\s*$", text[: error.start]):
        return 'write the domain in quotes: device.attributes["…"]'
    if text[error.end : error.end + 1] == "(" or f"{name}(" in text[error.start : error.end]:
        return ""
    if text[error.end : error.end + 1] in (".", "["):
        return "everything starts with device"
    return f'write text in quotes: "{name}"'


def _field(checked: Checked, error: CheckError, domain: str) -> str:
    match = _FIELD.match(error.message)
    if match is None:
        return ""
    known = "a device has attributes, capacity and driver"
    return _NOT_SELECTABLE.get(match.group(1), known)


def _presence(checked: Checked, error: CheckError, domain: str) -> str:
    if "invalid argument to has() macro" not in error.message:
        return ""
    inner = checked.expression[error.start : error.end]
    match = re.fullmatch(r"""(.*)\[\s*["']([A-Za-z_][A-Za-z0-9_]*)["']\s*\]""", inner, re.DOTALL)
    if match and "[" in match.group(1):
        return f"write has({match.group(1)}.{match.group(2)})"
    match = re.fullmatch(r"""device\.(attributes|capacity)\[\s*(["'][^"']*["'])\s*\]""", inner)
    return f"write {match.group(2)} in device.{match.group(1)}" if match else "has() takes a selected field: has(x.y)"


def _domain(checked: Checked, error: CheckError, domain: str) -> str:
    """An attribute without its domain: the type is then that of a whole map."""
    if checked.ast is None or "map(string" not in error.message:
        return ""
    for read in _reads_within(checked, error):
        key = read.steps[1].key if len(read.steps) == 2 else None
        if key is None or read.steps[1].form not in ("index", "select"):
            continue
        where, _, identifier = key.rpartition("/")
        if not where and "." in key:
            return ""
        place = where or domain
        return f'write device.{read.field}["{place}"].{identifier}'
    return ""


def _reads_within(checked: Checked, error: CheckError) -> Iterator[Read]:
    assert checked.ast is not None
    for read in reads(checked.ast):
        if error.start <= read.node.start and read.node.end <= error.end and read.field in ("attributes", "capacity"):
            yield read


def _operators(checked: Checked, error: CheckError, domain: str) -> str:
    match = re.match(r"found no matching overload for '_(<|<=|>|>=|==|!=)_' applied to '\((.*)\)'", error.message)
    if match is None or checked.ast is None:
        return ""
    operator, kinds = match.groups()
    name = next((each for each in ("Quantity", "Semver") if f"kubernetes.{each}" in kinds), None)
    comparison = _call(checked.ast, error)
    if name is None or comparison is None or len(comparison.arguments) != 2:
        return ""
    left, right = (checked.expression[each.start : each.end] for each in comparison.arguments)
    if kinds.startswith(("kubernetes.", "any", "dyn")):
        made = right if right.startswith(("quantity(", "semver(")) else _made(name, right)
        return f"write {left}.compareTo({made}) {operator} 0"
    return f"write .compareTo(…) {operator} 0"


def _made(name: str, text: str) -> str:
    function = "quantity" if name == "Quantity" else "semver"
    bare = text.strip("\"'")
    return f'{function}("{bare}")' if re.fullmatch(r"[0-9A-Za-z.+-]+", bare) else f"{function}(…)"


def _argument(checked: Checked, error: CheckError, domain: str) -> str:
    match = re.match(
        r"found no matching overload for '(compareTo|isGreaterThan|isLessThan)' applied to "
        r"'kubernetes\.(Quantity|Semver)\.\((string|int|double)\)'",
        error.message,
    )
    found = _call(checked.ast, error) if match and checked.ast is not None else None
    if match is None or found is None or not found.arguments:
        return ""
    argument = found.arguments[0]
    text = checked.expression[argument.start : argument.end]
    return f"write {match.group(1)}({_made(match.group(2), text)})"


def _call(tree: Expr, error: CheckError) -> Call | None:
    return next((each for each in calls(tree) if (each.start, each.end) == (error.start, error.end)), None)


def _suffix(checked: Checked, error: CheckError, domain: str) -> str:
    if "unexpected failed resolution of 'kubernetes.Quantity'" not in error.message:
        return ""
    return "a capacity is a quantity already: take the suffix off, and compare with .compareTo(quantity(…))"


def _result(checked: Checked, error: CheckError, domain: str) -> str:
    return "compare it, so that it is true or false" if error.message.startswith("must evaluate to bool") else ""


_HINTS: tuple[Hint, ...] = (
    _single_equals,
    _quotes,
    _words,
    _reserved,
    _undeclared,
    _field,
    _presence,
    _domain,
    _operators,
    _argument,
    _suffix,
    _result,
)
