"""Where values templates run: jinja2's sandbox, without loader and globals, with filters that pay for their work.

A template sees plain data only. No function or method is a value in it: the calls that are allowed are turned into
filters when the template is compiled, so that nothing of Python can be reached from the data.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from jinja2 import StrictUndefined, pass_context, pass_environment
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from claimsmith.documents.yaml_writer import write
from claimsmith.values.budget import Budget, BudgetError

MAX_STEPS = 200_000
"""The most steps of one rendering: each round of a loop counts the parts of its body, texts and lists their length."""
MAX_TEXT = 65_536
"""The longest text that an operation may make, in characters."""
MAX_OUTPUT = 262_144
"""The longest text that a template may make, in characters."""

_MAX_DEPTH = 64
_MAX_INDENT = 64
_LOOP = ("depth", "depth0", "first", "index", "index0", "last", "length", "revindex", "revindex0")

Value = Any


class TemplateValueError(Exception):
    """An operation on a value that it is not made for, in words for people."""


class MissingError(Exception):
    """The use of a name or a field that is not there; ``known`` are those that are."""

    def __init__(self, name: str, known: Sequence[str], *, field: bool) -> None:
        super().__init__(name)
        self.name = name
        self.known = known
        self.field = field


class _Missing(StrictUndefined):
    """A value that is not there: it can be asked for with `is defined` and `default`, and not used."""

    __slots__ = ()

    def __init__(self, hint: str | None = None, obj: Value = missing, name: Value = None, exc: Value = None) -> None:
        super().__init__(hint, obj, name, exc)
        known = [str(key) for key in obj] if isinstance(obj, Mapping) else []
        error = partial(MissingError, str(name), known, field=obj is not missing)
        # It is called with a message, which ours does not need.
        self._undefined_exception: Value = lambda message: error()


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one run; ``start`` begins a rendering, and ``written`` is what it has made so far."""

    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))
    intercepted_unops = frozenset(("+", "-"))

    def __init__(self) -> None:
        super().__init__(
            autoescape=False,
            cache_size=0,
            keep_trailing_newline=True,
            lstrip_blocks=True,
            # Nothing is evaluated before a budget is there to pay for it.
            optimized=False,
            trim_blocks=True,
            undefined=_Missing,
        )
        self.globals.clear()
        self.filters = {**{name: pass_environment(each) for name, each in FILTERS.items()}, **_INTERNAL}
        self.tests = dict(TESTS)
        self.start()

    def start(self) -> None:
        self.budget = Budget(MAX_STEPS)
        self.written: list[tuple[int, bool, str]] = []
        self._length = 0

    def write(self, text: str, line: int, *, data: bool) -> None:
        """Adds to the output: a text of the template itself (``data``) or of a value, from this line."""
        try:
            text.encode()
        except UnicodeEncodeError:
            raise TemplateValueError("half of a surrogate pair is no character") from None
        self.budget.spend_on_text(len(text))
        self._length += len(text)
        if self._length > MAX_OUTPUT:
            raise BudgetError(f"more than {MAX_OUTPUT} characters of output")
        self.written.append((line, data, text))

    def getattr(self, obj: Value, attribute: str) -> Value:
        if isinstance(obj, LoopContext):
            return getattr(obj, attribute) if attribute in _LOOP else self.undefined(obj=_LOOP_FIELDS, name=attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: Value, argument: Value) -> Value:
        if isinstance(obj, Undefined):
            str(obj)
        if isinstance(obj, Mapping) and isinstance(argument, str):
            return obj[argument] if argument in obj else self.undefined(obj=obj, name=argument)
        if isinstance(obj, list | tuple | str) and type(argument) is int:
            return obj[argument] if -len(obj) <= argument < len(obj) else self.undefined(obj=(), name=str(argument))
        if isinstance(argument, str):
            raise TemplateValueError(f"{kind(obj)} has no fields, and `{argument[:40]}` is asked of it")
        raise TemplateValueError(f"{kind(obj)} has no element {kind(argument)}")

    def call_binop(self, context: Context, operator: str, left: Value, right: Value) -> Value:
        return binary(self.budget, operator, left, right)

    def call_unop(self, context: Context, operator: str, arg: Value) -> Value:
        return _number(0 - number(arg) if operator == "-" else number(arg))

    def call(self, context: Context, obj: Value, /, *args: Value, **kwargs: Value) -> NoReturn:
        raise TemplateValueError("nothing can be called")


_LOOP_FIELDS = dict.fromkeys(_LOOP)


def kind(value: Value) -> str:
    """What people call the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    for cls, name in ((int, "a number"), (float, "a number"), (str, "a text"), (Mapping, "a mapping")):
        if isinstance(value, cls):
            return name
    return "a list" if isinstance(value, list | tuple) else "the loop"


def number(value: Value) -> int | float:
    if isinstance(value, Undefined):
        str(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TemplateValueError(f"a number is needed here and not {kind(value)}")
    return value


def _number(value: int | float) -> int | float:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise TemplateValueError("the number does not fit 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise TemplateValueError("the number is out of range")
    return value


def text_of(value: Value) -> str:
    """A scalar as YAML writes it; mappings and lists have filters for that."""
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(_number(value))
    raise TemplateValueError(f"{kind(value)} is no text; write it with `to_yaml` or `tojson`")


def text(value: Value) -> str:
    if isinstance(value, Undefined):
        str(value)
    if not isinstance(value, str):
        raise TemplateValueError(f"a text is needed here and not {kind(value)}")
    return value


def elements(value: Value) -> list[Value]:
    if isinstance(value, Undefined):
        str(value)
    if isinstance(value, list | tuple | Mapping):
        return list(value)
    raise TemplateValueError(f"a list is needed here and not {kind(value)}")


def mapping(value: Value) -> Mapping[str, Value]:
    if isinstance(value, Undefined):
        str(value)
    if not isinstance(value, Mapping):
        raise TemplateValueError(f"a mapping is needed here and not {kind(value)}")
    return value


def binary(budget: Budget, operator: str, left: Value, right: Value) -> Value:
    """Arithmetic of numbers, and texts or lists one behind the other."""
    budget.spend()
    for value in (left, right):
        if isinstance(value, Undefined):
            str(value)
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        return _joined(budget, "", [left, right])
    if operator == "+" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
        budget.spend(len(left) + len(right))
        return [*left, *right]
    try:
        first, second = number(left), number(right)
    except TemplateValueError:
        raise TemplateValueError(f"`{operator}` cannot be used on {kind(left)} and {kind(right)}") from None
    if operator in ("/", "//", "%") and second == 0:
        raise TemplateValueError("division by zero")
    results: Mapping[str, Callable[[], int | float]] = {
        "+": lambda: first + second,
        "-": lambda: first - second,
        "*": lambda: first * second,
        "/": lambda: first / second,
        "//": lambda: first // second,
        "%": lambda: first % second,
    }
    return _number(results[operator]())


def _joined(budget: Budget, separator: str, texts: Sequence[str]) -> str:
    length = sum(map(len, texts)) + len(separator) * max(0, len(texts) - 1)
    _bound(budget, length)
    budget.spend(len(texts))
    return separator.join(texts)


def _bound(budget: Budget, length: int) -> None:
    if length > MAX_TEXT:
        raise BudgetError(f"a text of more than {MAX_TEXT} characters")
    budget.spend_on_text(length)


def _pay(budget: Budget, value: Value, depth: int = 0) -> None:
    """Pays for everything in a value, what is in it several times each time."""
    if depth > _MAX_DEPTH:
        raise BudgetError(f"lists and mappings more than {_MAX_DEPTH} deep")
    budget.spend()
    if isinstance(value, str):
        budget.spend_on_text(len(value))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            budget.spend_on_text(len(str(key)))
            _pay(budget, each, depth + 1)
    elif isinstance(value, list | tuple):
        for each in value:
            _pay(budget, each, depth + 1)


def _sized(environment: Sandbox, value: Value) -> Value:
    _pay(environment.budget, value)
    return value


@pass_context
def _write(context: Context, value: Value, line: int, data: bool) -> str:
    environment = context.environment
    assert isinstance(environment, Sandbox)
    environment.write(text_of(value), line, data=data)
    return ""


def _rounds(environment: Sandbox, value: Value, steps: int) -> list[Value]:
    if isinstance(value, Mapping | list | tuple):
        environment.budget.spend((1 + len(value)) * steps)
    return elements(value)


def _range(environment: Sandbox, *bounds: Value) -> list[Value]:
    for each in bounds:
        if not isinstance(number(each), int):
            raise TemplateValueError("`range` counts in whole numbers")
    if len(bounds) == 3 and bounds[2] == 0:
        raise TemplateValueError("`range` cannot count in steps of 0")
    numbers = range(*bounds)
    # The length of a longer one may not even be an index.
    environment.budget.spend(1 + abs(numbers.stop - numbers.start) // abs(numbers.step))
    return list(numbers)


def _concatenated(environment: Sandbox, *values: Value) -> str:
    return _joined(environment.budget, "", [text_of(each) for each in values])


def _slice(environment: Sandbox, value: Value, start: Value, stop: Value, step: Value) -> Value:
    for each in (start, stop, step):
        if each is not None and not isinstance(number(each), int):
            raise TemplateValueError("a slice has whole numbers")
    if step == 0:
        raise TemplateValueError("a slice cannot have steps of 0")
    if not isinstance(value, str):
        value = elements(value) if not isinstance(value, Mapping) else text(value)
    environment.budget.spend(1 + len(value) // 64)
    return value[start:stop:step]


def _called(environment: Sandbox, value: Value, method: str, *arguments: Value) -> Value:
    if isinstance(value, Undefined):
        str(value)
    for cls, methods in METHODS.items():
        if isinstance(value, cls) and method in methods:
            return methods[method](environment, value, *arguments)
    raise TemplateValueError(f"{kind(value)} has no `{method}()`")


def _items(environment: Sandbox, value: Value) -> list[Value]:
    environment.budget.spend(len(mapping(value)))
    return list(value.items())


def _keys(environment: Sandbox, value: Value) -> list[Value]:
    environment.budget.spend(len(mapping(value)))
    return list(value)


def _values(environment: Sandbox, value: Value) -> list[Value]:
    environment.budget.spend(len(mapping(value)))
    return list(value.values())


def _get(environment: Sandbox, value: Value, key: Value, default: Value = None) -> Value:
    return mapping(value).get(text(key), default)


def _split(environment: Sandbox, value: Value, separator: Value = None) -> list[Value]:
    if separator is not None and not text(separator):
        raise TemplateValueError("the separator of `split` is empty")
    _bound(environment.budget, len(text(value)))
    parts = value.split(separator)
    environment.budget.spend(len(parts))
    return list(parts)


def _starts(environment: Sandbox, value: Value, start: Value) -> bool:
    return text(value).startswith(text(start))


def _ends(environment: Sandbox, value: Value, end: Value) -> bool:
    return text(value).endswith(text(end))


def _default(environment: Sandbox, value: Value, default: Value = "", boolean: Value = False) -> Value:
    return default if isinstance(value, Undefined) or (boolean is True and not value) else value


def _dictsort(environment: Sandbox, value: Value) -> list[Value]:
    return sorted(_items(environment, value), key=lambda item: str(item[0]))


def _first(environment: Sandbox, value: Value) -> Value:
    found = elements(value)
    return found[0] if found else environment.undefined(obj=(), name="first element")


def _last(environment: Sandbox, value: Value) -> Value:
    found = elements(value)
    return found[-1] if found else environment.undefined(obj=(), name="last element")


def _indent(environment: Sandbox, value: Value, width: Value = 4, first: Value = False) -> str:
    if not isinstance(number(width), int) or not 0 <= width <= _MAX_INDENT:
        raise TemplateValueError(f"`indent` takes a width of 0 to {_MAX_INDENT}")
    lines = text(value).split("\n")
    _bound(environment.budget, len(value) + width * len(lines))
    margin = " " * width
    indented = [margin + line if line and (index or first is True) else line for index, line in enumerate(lines)]
    return "\n".join(indented)


def _int(environment: Sandbox, value: Value, default: Value = 0) -> Value:
    if isinstance(value, str):
        digits = value.strip().removeprefix("-")
        return _number(int(value)) if digits.isascii() and digits.isdigit() and len(digits) < 20 else default
    return int(number(value))


def _float(environment: Sandbox, value: Value) -> Value:
    return float(number(value))


def _abs(environment: Sandbox, value: Value) -> Value:
    return _number(abs(number(value)))


def _join(environment: Sandbox, value: Value, separator: Value = "") -> str:
    return _joined(environment.budget, text(separator), [text_of(each) for each in elements(value)])


def _length(environment: Sandbox, value: Value) -> int:
    return len(value) if isinstance(value, str) else len(elements(value))


def _list(environment: Sandbox, value: Value) -> list[Value]:
    found = elements(value)
    environment.budget.spend(len(found))
    return found


def _lower(environment: Sandbox, value: Value) -> str:
    _bound(environment.budget, len(text(value)))
    return text(value).lower()


def _upper(environment: Sandbox, value: Value) -> str:
    _bound(environment.budget, len(text(value)))
    return text(value).upper()


def _trim(environment: Sandbox, value: Value) -> str:
    _bound(environment.budget, len(text(value)))
    return text(value).strip()


def _map(environment: Sandbox, value: Value, *, attribute: Value) -> list[Value]:
    return [_field(environment, each, attribute) for each in _list(environment, value)]


def _field(environment: Sandbox, value: Value, name: Value) -> Value:
    """A field that is there."""
    found = environment.getitem(value, text(name))
    return str(found) if isinstance(found, Undefined) else found


def _max(environment: Sandbox, value: Value) -> Value:
    return _last(environment, _sorted(environment, value))


def _min(environment: Sandbox, value: Value) -> Value:
    return _first(environment, _sorted(environment, value))


def _sort(environment: Sandbox, value: Value, reverse: Value = False, attribute: Value = None) -> list[Value]:
    found = _sorted(environment, value, attribute)
    return found[::-1] if reverse is True else found


def _sorted(environment: Sandbox, value: Value, attribute: Value = None) -> list[Value]:
    found = _list(environment, value)
    keys = found if attribute is None else [_field(environment, each, attribute) for each in found]
    kinds = {kind(each) for each in keys}
    if not kinds <= {"a number"} and not kinds <= {"a text"}:
        raise TemplateValueError("only numbers among themselves, or texts, have an order")
    # Sorting compares each element a few times.
    for each in keys:
        environment.budget.spend_on_text(len(each) if isinstance(each, str) else 1)
        environment.budget.spend(20)
    order = sorted(range(len(found)), key=keys.__getitem__)
    return [found[index] for index in order]


def _replace(environment: Sandbox, value: Value, old: Value, new: Value) -> str:
    if not text(old):
        raise TemplateValueError("`replace` needs a text to look for")
    _bound(environment.budget, len(text(value)))
    length = len(value) + value.count(old) * (len(text(new)) - len(old))
    _bound(environment.budget, length)
    return text(value).replace(old, new)


def _reverse(environment: Sandbox, value: Value) -> list[Value]:
    return _list(environment, value)[::-1]


def _round(environment: Sandbox, value: Value) -> Value:
    return round(number(value))


def _string(environment: Sandbox, value: Value) -> str:
    return text_of(value)


def _sum(environment: Sandbox, value: Value) -> Value:
    return _number(sum(number(each) for each in _list(environment, value)))


def _to_yaml(environment: Sandbox, value: Value) -> str:
    return _serialized(environment, value, lambda: write([value]).decode().removesuffix("\n"))


def _to_json(environment: Sandbox, value: Value) -> str:
    import json

    return _serialized(environment, value, lambda: json.dumps(value, ensure_ascii=False, allow_nan=False))


def _serialized(environment: Sandbox, value: Value, serialize: Callable[[], str]) -> str:
    if isinstance(value, Undefined):
        str(value)
    _pay(environment.budget, value)
    try:
        made = serialize()
    except (TypeError, ValueError):
        raise TemplateValueError(f"{kind(value)} or something in it has no form in YAML") from None
    _bound(environment.budget, len(made))
    return made


def _unique(environment: Sandbox, value: Value) -> list[Value]:
    seen: dict[str, Value] = {}
    for each in _list(environment, value):
        seen.setdefault(text_of(each), each)
    return list(seen.values())


Filter = Callable[..., Value]

FILTERS: Mapping[str, Filter] = {
    "abs": _abs,
    "count": _length,
    "d": _default,
    "default": _default,
    "dictsort": _dictsort,
    "first": _first,
    "float": _float,
    "indent": _indent,
    "int": _int,
    "items": _items,
    "join": _join,
    "keys": _keys,
    "last": _last,
    "length": _length,
    "list": _list,
    "lower": _lower,
    "map": _map,
    "max": _max,
    "min": _min,
    "replace": _replace,
    "reverse": _reverse,
    "round": _round,
    "sort": _sort,
    "string": _string,
    "sum": _sum,
    "to_yaml": _to_yaml,
    "tojson": _to_json,
    "trim": _trim,
    "unique": _unique,
    "upper": _upper,
    "values": _values,
}
"""What a template may apply to a value; each takes the sandbox and the value first."""

METHODS: Mapping[type, Mapping[str, Filter]] = {
    str: {
        "endswith": _ends,
        "lower": _lower,
        "replace": _replace,
        "split": _split,
        "startswith": _starts,
        "strip": _trim,
        "upper": _upper,
    },
    Mapping: {"get": _get, "items": _items, "keys": _keys, "values": _values},
}
"""What a template may call on a value."""

WRITE, ROUNDS, RANGE, CONCATENATE, SLICE, CALL, SIZED = (
    "_write", "_rounds", "_range", "_concatenate", "_slice", "_call", "_sized"
)  # fmt: skip
_INTERNAL: dict[str, Filter] = {
    WRITE: _write,
    ROUNDS: pass_environment(_rounds),
    RANGE: pass_environment(_range),
    CONCATENATE: pass_environment(_concatenated),
    SLICE: pass_environment(_slice),
    CALL: pass_environment(_called),
    SIZED: pass_environment(_sized),
}


def _is_defined(value: Value) -> bool:
    return not isinstance(value, Undefined)


def _is_iterable(value: Value) -> bool:
    return isinstance(value, list | tuple | Mapping)


TESTS: Mapping[str, Filter] = {
    "boolean": lambda value: isinstance(value, bool),
    "defined": _is_defined,
    "even": lambda value: number(value) % 2 == 0,
    "false": lambda value: value is False,
    "iterable": _is_iterable,
    "mapping": lambda value: isinstance(value, Mapping),
    "none": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "odd": lambda value: number(value) % 2 == 1,
    "sequence": lambda value: isinstance(value, list | tuple),
    "string": lambda value: isinstance(value, str),
    "true": lambda value: value is True,
    "undefined": lambda value: isinstance(value, Undefined),
}
"""What a template may ask of a value with `is`."""
