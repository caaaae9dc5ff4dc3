"""CEL's operators and functions over cel-python's values, as the language defines them.

They replace cel-python's own, which differ where policies meet it: they refuse to compare values of different
types, index from the end, write ``True``, read the day's date into a timestamp, and take exponential time for some
durations.
"""

import datetime
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import re2
from celpy import celtypes
from celpy.evaluation import CELEvalError

from claimsmith.values.budget import Budget
from claimsmith.values.suggest import closest

Value = Any
Function = Callable[..., Value]

_MAX_PATTERN = 1000
_MAX_PATTERN_MEMORY = 1 << 20
_PATTERN_STEPS = 100
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?|[+-]?(?:Infinity|inf|NaN|nan)")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_DURATION = re.compile(r"[+-]?(?:[0-9]{1,12}(?:\.[0-9]{0,9})?(?:h|ms|us|µs|ns|m|s))+")
_DURATION_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?)(h|ms|us|µs|ns|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_TRUE, _FALSE = ("1", "t", "T", "true", "TRUE", "True"), ("0", "f", "F", "false", "FALSE", "False")

_KINDS: tuple[tuple[type, str], ...] = (
    (type(None), "null"),
    (celtypes.BoolType, "a bool"),
    (celtypes.IntType, "an int"),
    (celtypes.UintType, "a uint"),
    (celtypes.DoubleType, "a double"),
    (celtypes.StringType, "a string"),
    (celtypes.BytesType, "bytes"),
    (celtypes.ListType, "a list"),
    (celtypes.MapType, "a map"),
    (celtypes.TimestampType, "a timestamp"),
    (celtypes.DurationType, "a duration"),
)
_NUMBERS = (celtypes.IntType, celtypes.UintType, celtypes.DoubleType)


class PolicyError(CELEvalError):
    """An error of a policy in words for people; ``hint`` is the name that was meant, or empty."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


def kind(value: Value) -> str:
    """What people call the type of a value: ``a list``."""
    return next((name for cls, name in _KINDS if isinstance(value, cls)), "a type")


def field_of(holder: Value, name: str) -> Value:
    """``holder.name``."""
    if not isinstance(holder, celtypes.MapType):
        return PolicyError(f"`.{name}` needs a map and not {kind(holder)}")
    if name not in holder:
        return PolicyError(
            f"there is no `{name}` here; ask for it first with `has`", closest(name, _texts(holder)) or ""
        )
    return _entry(holder, name)


def _entry(holder: Value, key: Value) -> Value:
    """A value of a map, past cel-python's own check of the key."""
    return dict.__getitem__(holder, key)


def _texts(holder: Mapping[Value, Value]) -> list[str]:
    return [str(key) for key in holder if isinstance(key, str)]


def table(budget: Budget) -> dict[str, Function]:
    """Every operator and function by cel-python's name for it; each pays for its work from the budget."""
    operations = _Operations(budget)
    functions = {name: _guarded(getattr(operations, method)) for name, method in _METHODS.items()}
    return {**functions, "_&&_": logical_and, "_||_": logical_or, "_?_:_": conditional}


def _guarded(function: Function) -> Function:
    """Errors of operands are the result; errors of Python become errors of the policy."""

    def guarded(*values: Value) -> Value:
        for value in values:
            if isinstance(value, CELEvalError):
                return value
        try:
            return function(*values)
        except PolicyError as error:
            return error
        except ZeroDivisionError:
            return PolicyError("division by zero")
        except (OverflowError, OSError):
            return PolicyError("the result is out of range")
        except (ValueError, TypeError, ArithmeticError):
            return PolicyError("the operands do not fit: " + " and ".join(map(kind, values)))

    return guarded


def logical_and(left: Value, right: Value) -> Value:
    """False wins over errors, and errors over true."""
    return _logical("&&", celtypes.BoolType(False), left, right)


def logical_or(left: Value, right: Value) -> Value:
    """True wins over errors, and errors over false."""
    return _logical("||", celtypes.BoolType(True), left, right)


def _logical(sign: str, decisive: Value, left: Value, right: Value) -> Value:
    for value in (left, right):
        if isinstance(value, celtypes.BoolType) and bool(value) is bool(decisive):
            return decisive
    for value in (left, right):
        if not isinstance(value, celtypes.BoolType):
            return (
                value if isinstance(value, CELEvalError) else PolicyError(f"`{sign}` needs bools and not {kind(value)}")
            )
    return left


def conditional(condition: Value, left: Value, right: Value) -> Value:
    if isinstance(condition, CELEvalError):
        return condition
    if not isinstance(condition, celtypes.BoolType):
        return PolicyError(f"`? :` needs a bool before it and not {kind(condition)}")
    return left if condition else right


class _Operations:
    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def equal(self, left: Value, right: Value) -> Value:
        return celtypes.BoolType(self._same(left, right))

    def different(self, left: Value, right: Value) -> Value:
        return celtypes.BoolType(not self._same(left, right))

    def _same(self, left: Value, right: Value) -> bool:
        """Equality across types: numbers by amount, otherwise values of different types differ."""
        self.budget.spend()
        if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
            return bool(_plain(left) == _plain(right))
        if isinstance(left, celtypes.ListType) and isinstance(right, celtypes.ListType):
            return len(left) == len(right) and all(self._same(*pair) for pair in zip(left, right, strict=True))
        if isinstance(left, celtypes.MapType) and isinstance(right, celtypes.MapType):
            return len(left) == len(right) and all(
                has_key(right, key) and self._same(value, _entry(right, key)) for key, value in left.items()
            )
        if isinstance(left, type) or isinstance(right, type):
            return bool(left is right)
        if type(left) is not type(right):
            return False
        if isinstance(left, str | bytes):
            self.budget.spend_on_text(len(left))
        return bool(left == right)

    def less(self, left: Value, right: Value) -> Value:
        return celtypes.BoolType(self._order("<", left, right) < 0)

    def less_or_equal(self, left: Value, right: Value) -> Value:
        return celtypes.BoolType(self._order("<=", left, right) <= 0)

    def greater(self, left: Value, right: Value) -> Value:
        return celtypes.BoolType(self._order(">", left, right) > 0)

    def greater_or_equal(self, left: Value, right: Value) -> Value:
        return celtypes.BoolType(self._order(">=", left, right) >= 0)

    def _order(self, sign: str, left: Value, right: Value) -> int:
        self.budget.spend()
        comparable = isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS)
        if not comparable and (type(left) is not type(right) or not isinstance(left, _ORDERED)):
            raise PolicyError(f"`{sign}` cannot compare {kind(left)} with {kind(right)}")
        if isinstance(left, str | bytes):
            self.budget.spend_on_text(min(len(left), len(right)))
        first, second = _plain(left), _plain(right)
        return -1 if first < second else int(first > second)

    def inside(self, item: Value, container: Value) -> Value:
        if isinstance(container, celtypes.MapType):
            self.budget.spend()
            return celtypes.BoolType(has_key(container, item))
        if isinstance(container, celtypes.ListType):
            return celtypes.BoolType(any(self._same(item, each) for each in container))
        return PolicyError(f"`in` needs a list or a map on its right and not {kind(container)}")

    def add(self, left: Value, right: Value) -> Value:
        if isinstance(left, celtypes.StringType) and isinstance(right, celtypes.StringType):
            self.budget.spend_on_text(len(left) + len(right))
            return celtypes.StringType(f"{left!s}{right!s}")
        if isinstance(left, celtypes.BytesType) and isinstance(right, celtypes.BytesType):
            self.budget.spend_on_text(len(left) + len(right))
            return celtypes.BytesType(bytes(left) + bytes(right))
        if isinstance(left, celtypes.ListType) and isinstance(right, celtypes.ListType):
            self.budget.spend(len(left) + len(right))
            return celtypes.ListType([*left, *right])
        if {type(left), type(right)} in (_SPANS, _TIME_AND_SPAN):
            return operator.add(left, right)
        return self._arithmetic("+", left, right)

    def subtract(self, left: Value, right: Value) -> Value:
        kinds = (type(left), type(right))
        if set(kinds) in (_SPANS, _TIMES) or kinds == (celtypes.TimestampType, celtypes.DurationType):
            return left - right
        return self._arithmetic("-", left, right)

    def multiply(self, left: Value, right: Value) -> Value:
        return self._arithmetic("*", left, right)

    def divide(self, left: Value, right: Value) -> Value:
        return self._arithmetic("/", left, right)

    def remainder(self, left: Value, right: Value) -> Value:
        return self._arithmetic("%", left, right)

    def _arithmetic(self, sign: str, left: Value, right: Value) -> Value:
        self.budget.spend()
        cls = type(left)
        if cls is not type(right) or cls not in _NUMBERS or (cls is celtypes.DoubleType and sign == "%"):
            return PolicyError(f"`{sign}` cannot be used on {kind(left)} and {kind(right)}")
        if cls is celtypes.DoubleType:
            return celtypes.DoubleType(_double(sign, float(left), float(right)))
        return _whole(sign, left, right, cls)

    def negate(self, value: Value) -> Value:
        if isinstance(value, celtypes.IntType):
            return _whole("-", celtypes.IntType(0), value, celtypes.IntType)
        if isinstance(value, celtypes.DoubleType):
            return celtypes.DoubleType(-float(value))
        return PolicyError(f"`-` cannot be used on {kind(value)}")

    def invert(self, value: Value) -> Value:
        if isinstance(value, celtypes.BoolType):
            return celtypes.BoolType(not value)
        return PolicyError(f"`!` needs a bool and not {kind(value)}")

    def index(self, holder: Value, key: Value) -> Value:
        if isinstance(holder, celtypes.MapType):
            if not is_key(key):
                return PolicyError(f"a map has no keys that are {kind(key)}")
            if not has_key(holder, key):
                hint = closest(str(key), _texts(holder)) if isinstance(key, str) else None
                shown = f"`{str(key)[:60]}`" if isinstance(key, str) else str(key)
                return PolicyError(f"there is no key {shown} here; ask for it first with `in`", hint or "")
            return _entry(holder, key)
        if isinstance(holder, celtypes.ListType):
            if not isinstance(key, celtypes.IntType | celtypes.UintType):
                return PolicyError(f"the index of a list is an int and not {kind(key)}")
            if not 0 <= key < len(holder):
                return PolicyError(f"the index {int(key)} is outside a list of {len(holder)}")
            return list.__getitem__(holder, int(key))
        return PolicyError(f"`[ ]` needs a list or a map and not {kind(holder)}")

    def size(self, value: Value) -> Value:
        if isinstance(value, celtypes.StringType | celtypes.BytesType | celtypes.ListType | celtypes.MapType):
            return celtypes.IntType(len(value))
        return PolicyError(f"`size` needs a string, a list or a map and not {kind(value)}")

    def contains(self, text: Value, part: Value) -> Value:
        self._strings("contains", text, part)
        return celtypes.BoolType(str.__contains__(text, part))

    def starts_with(self, text: Value, part: Value) -> Value:
        self._strings("startsWith", text, part)
        return celtypes.BoolType(str.startswith(text, part))

    def ends_with(self, text: Value, part: Value) -> Value:
        self._strings("endsWith", text, part)
        return celtypes.BoolType(str.endswith(text, part))

    def matches(self, text: Value, pattern: Value) -> Value:
        self._strings("matches", text, pattern)
        if len(pattern) > _MAX_PATTERN:
            return PolicyError(f"a regular expression of {len(pattern)} characters is too long")
        self.budget.spend(_PATTERN_STEPS + len(pattern))
        options = re2.Options()
        # Otherwise the library itself writes to standard error.
        options.log_errors = False
        options.max_mem = _MAX_PATTERN_MEMORY
        try:
            found = re2.compile(str(pattern), options).search(str(text))
        except re2.error as error:
            reason = error.args[0]
            words = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
            return PolicyError(f"this is no regular expression of RE2: {words[:100]}")
        return celtypes.BoolType(found is not None)

    def _strings(self, name: str, *values: Value) -> None:
        for value in values:
            if not isinstance(value, celtypes.StringType):
                raise PolicyError(f"`{name}` needs strings and not {kind(value)}")
            self.budget.spend_on_text(len(value))

    def type(self, value: Value) -> Value:
        return type(value)

    def to_bool(self, value: Value) -> Value:
        if isinstance(value, celtypes.BoolType):
            return value
        if isinstance(value, celtypes.StringType) and value in (*_TRUE, *_FALSE):
            return celtypes.BoolType(value in _TRUE)
        return _no_conversion("bool", value)

    def to_int(self, value: Value) -> Value:
        return self._to_whole("int", celtypes.IntType, value)

    def to_uint(self, value: Value) -> Value:
        return self._to_whole("uint", celtypes.UintType, value)

    def _to_whole(self, name: str, cls: Function, value: Value) -> Value:
        if isinstance(value, celtypes.IntType | celtypes.UintType | celtypes.DoubleType):
            number = int(_plain(value))
        elif isinstance(value, celtypes.StringType) and _INTEGER.fullmatch(value):
            number = int(value)
        elif isinstance(value, celtypes.TimestampType) and name == "int":
            number = int(value.timestamp())
        else:
            return _no_conversion(name, value)
        return _in_range(number, cls)

    def to_double(self, value: Value) -> Value:
        if isinstance(value, _NUMBERS):
            return celtypes.DoubleType(float(_plain(value)))
        if isinstance(value, celtypes.StringType) and len(value) <= _MAX_PATTERN and _DOUBLE.fullmatch(value):
            return celtypes.DoubleType(float(value))
        return _no_conversion("double", value)

    def to_string(self, value: Value) -> Value:
        if isinstance(value, celtypes.BoolType):
            return celtypes.StringType("true" if value else "false")
        if isinstance(value, celtypes.DoubleType):
            return celtypes.StringType(repr(float(value)).removesuffix(".0"))
        if isinstance(value, celtypes.IntType | celtypes.UintType):
            return celtypes.StringType(str(int(value)))
        if isinstance(value, celtypes.StringType):
            return value
        if isinstance(value, celtypes.BytesType):
            self.budget.spend_on_text(len(value))
            return celtypes.StringType(bytes(value).decode())
        if isinstance(value, celtypes.TimestampType | celtypes.DurationType):
            return celtypes.StringType(str(value))
        return _no_conversion("string", value)

    def to_bytes(self, value: Value) -> Value:
        if isinstance(value, celtypes.StringType):
            self.budget.spend_on_text(len(value))
            return celtypes.BytesType(str(value).encode())
        return value if isinstance(value, celtypes.BytesType) else _no_conversion("bytes", value)

    def to_duration(self, value: Value) -> Value:
        if isinstance(value, celtypes.DurationType):
            return value
        if not isinstance(value, celtypes.StringType) or len(value) > _MAX_PATTERN or not _DURATION.fullmatch(value):
            return _no_conversion("duration", value)
        seconds = sum(float(amount) * _SECONDS[unit] for amount, unit in _DURATION_PART.findall(value))
        delta = datetime.timedelta(seconds=-seconds if value.startswith("-") else seconds)
        return celtypes.DurationType(delta)

    def to_timestamp(self, value: Value) -> Value:
        if isinstance(value, celtypes.TimestampType):
            return value
        if isinstance(value, celtypes.IntType):
            return celtypes.TimestampType(datetime.datetime.fromtimestamp(int(value), datetime.UTC))
        if isinstance(value, celtypes.StringType) and _TIMESTAMP.fullmatch(value):
            text = re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", value)
            return celtypes.TimestampType(datetime.datetime.fromisoformat(text).astimezone(datetime.UTC))
        return _no_conversion("timestamp", value)

    def date(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.day)

    def day_of_month(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.day - 1)

    def day_of_week(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.isoweekday() % 7)

    def day_of_year(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.timetuple().tm_yday - 1)

    def full_year(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.year)

    def month(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.month - 1)

    def hours(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.hour, lambda seconds: seconds / 3600)

    def minutes(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.minute, lambda seconds: seconds / 60)

    def seconds(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.second, lambda seconds: seconds)

    def milliseconds(self, value: Value) -> Value:
        return self._of_time(value, lambda time: time.microsecond // 1000, lambda seconds: seconds * 1000)

    def _of_time(self, value: Value, of_time: Function, of_duration: Function | None = None) -> Value:
        if isinstance(value, celtypes.TimestampType):
            return celtypes.IntType(of_time(value))
        if of_duration is not None and isinstance(value, celtypes.DurationType):
            return celtypes.IntType(int(of_duration(value.total_seconds())))
        return PolicyError(f"a time is needed and not {kind(value)}")


_ORDERED = (
    celtypes.BoolType,
    celtypes.StringType,
    celtypes.BytesType,
    celtypes.TimestampType,
    celtypes.DurationType,
)
_SPANS = {celtypes.DurationType}
_TIMES = {celtypes.TimestampType}
_TIME_AND_SPAN = {celtypes.TimestampType, celtypes.DurationType}
_METHODS = {
    "_==_": "equal",
    "_!=_": "different",
    "_<_": "less",
    "_<=_": "less_or_equal",
    "_>_": "greater",
    "_>=_": "greater_or_equal",
    "_in_": "inside",
    "_+_": "add",
    "_-_": "subtract",
    "_*_": "multiply",
    "_/_": "divide",
    "_%_": "remainder",
    "-_": "negate",
    "!_": "invert",
    "_[_]": "index",
    "size": "size",
    "contains": "contains",
    "startsWith": "starts_with",
    "endsWith": "ends_with",
    "matches": "matches",
    "type": "type",
    "bool": "to_bool",
    "int": "to_int",
    "uint": "to_uint",
    "double": "to_double",
    "string": "to_string",
    "bytes": "to_bytes",
    "duration": "to_duration",
    "timestamp": "to_timestamp",
    "getDate": "date",
    "getDayOfMonth": "day_of_month",
    "getDayOfWeek": "day_of_week",
    "getDayOfYear": "day_of_year",
    "getFullYear": "full_year",
    "getMonth": "month",
    "getHours": "hours",
    "getMinutes": "minutes",
    "getSeconds": "seconds",
    "getMilliseconds": "milliseconds",
}


def _plain(value: Value) -> Value:
    """The value with Python's own comparison, which takes numbers of all types."""
    if isinstance(value, celtypes.DoubleType):
        return float(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    return value


def is_key(value: Value) -> bool:
    """Whether a map may have this key."""
    keys = (celtypes.StringType, celtypes.IntType, celtypes.UintType, celtypes.BoolType)
    return isinstance(value, keys)


def has_key(holder: Value, key: Value) -> bool:
    """Whether a map has a key; keys of different types differ."""
    try:
        return is_key(key) and dict.__contains__(holder, key)
    except TypeError:
        return False


def _double(sign: str, left: float, right: float) -> float:
    if sign == "/" and right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
    return _FLOATS[sign](left, right)


def _whole(sign: str, left: int, right: int, cls: Function) -> Value:
    first, second = int(left), int(right)
    if sign in "/%" and second == 0:
        raise ZeroDivisionError
    if sign == "/":
        # Towards zero, as in Go.
        quotient = abs(first) // abs(second)
        return _in_range(quotient if (first < 0) is (second < 0) else -quotient, cls)
    if sign == "%":
        return _in_range(int(math.copysign(1, first)) * (abs(first) % abs(second)), cls)
    return _in_range(_INTEGERS[sign](first, second), cls)


_INTEGERS: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_FLOATS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _in_range(number: int, cls: Function) -> Value:
    lowest, highest = (0, 2**64) if cls is celtypes.UintType else (-(2**63), 2**63)
    return cls(number) if lowest <= number < highest else PolicyError("the number does not fit 64 bits")


def _no_conversion(name: str, value: Value) -> Value:
    shown = f"the string `{str(value)[:40]}`" if isinstance(value, str) else kind(value)
    return PolicyError(f"`{name}` cannot be made of {shown}")
