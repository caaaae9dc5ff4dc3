"""What stands behind each overload of a function."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime import (
    conversions,
    formatting,
    list_functions,
    network,
    quantities,
    regexes,
    text_functions,
    times,
    urls,
    versions,
)
from claimsmith.cel.runtime.failure import NO_OVERLOAD, Failure
from claimsmith.cel.runtime.named_formats import FORMATS
from claimsmith.cel.runtime.operators import insert, insert_all
from claimsmith.cel.runtime.values import MISSING, NONE, Duration, Map, NamedFormat, Optional, Timestamp, Url, is_zero

Implementation = Callable[..., Any]


def _same(value: Any) -> Any:
    return value


def _contains(text: Any, part: Any) -> bool:
    _check_strings(text, part)
    return part in text


def _starts_with(text: Any, part: Any) -> bool:
    _check_strings(text, part)
    return bool(text.startswith(part))


def _ends_with(text: Any, part: Any) -> bool:
    _check_strings(text, part)
    return bool(text.endswith(part))


def _check_strings(text: Any, part: Any) -> None:
    if type(text) is not str or type(part) is not str:
        raise Failure(NO_OVERLOAD)


def _find(text: str, pattern: str) -> str:
    return regexes.find(_pattern(pattern), text)


def _find_all(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    return regexes.find_all(_pattern(pattern), text, limit)


def _pattern(text: str) -> Any:
    try:
        return regexes.compiled(text)
    except regexes.RegexError as error:
        raise Failure(f"Illegal regex: {error}") from error


def matches(text: Any, pattern: Any) -> bool:
    """`text.matches(pattern)`; the caller has seen that `text` is a string."""
    if type(pattern) is not str:
        raise Failure(NO_OVERLOAD)
    try:
        return regexes.matches(regexes.compiled(pattern), text)
    except regexes.RegexError as error:
        raise Failure(str(error)) from error


def _of_non_zero(value: Any) -> Optional:
    return NONE if is_zero(value) else Optional(value)


def _value(optional: Optional) -> Any:
    if optional.value is MISSING:
        raise Failure("optional.none() dereference")
    return optional.value


def _named_format(name: str) -> Optional:
    found = FORMATS.get(name)
    return NONE if found is None else Optional(found)


def _validate(named: NamedFormat, text: str) -> Optional:
    problems = named.validate(text)
    return Optional(tuple(problems)) if problems else NONE


def _as_integer(amount: Any) -> int:
    found = quantities.as_integer(amount)
    if found is None:
        raise Failure("cannot convert value to integer")
    return found


def _query(url: Url) -> Map:
    return Map(dict(url.query))


def _contains_ip(network_value: Any, text: str) -> bool:
    try:
        address = network.parse_ip(text)
    except Failure:
        raise Failure(NO_OVERLOAD) from None
    return network.contains_ip(network_value, address)


def _contains_cidr(network_value: Any, text: str) -> bool:
    return network.contains_cidr(network_value, network.parse_cidr(text))


def _canonical(text: str) -> bool:
    return network.text(network.parse_ip(text)) == text


_CALENDAR: dict[str, Callable[[tuple[int, ...]], int]] = {
    "year": lambda parts: parts[0],
    "month": lambda parts: parts[1] - 1,
    "day_of_year": lambda parts: parts[6],
    "day_of_month": lambda parts: parts[2] - 1,
    "day_of_month_1_based": lambda parts: parts[2],
    "day_of_week": lambda parts: parts[7],
    "hours": lambda parts: parts[3],
    "minutes": lambda parts: parts[4],
    "seconds": lambda parts: parts[5],
}


def _calendar(part: Callable[[tuple[int, ...]], int]) -> Implementation:
    def get(moment: Timestamp, zone: str = "") -> int:
        return part(times.civil(times.local_seconds(moment, zone)))

    return get


def _milliseconds(moment: Timestamp, zone: str = "") -> int:
    times.local_seconds(moment, zone)
    return moment.nanos // 1_000_000


def _units(nanos: int) -> Callable[[Duration], int]:
    def count(length: Duration) -> int:
        whole = abs(length.nanos) // nanos
        return -whole if length.nanos < 0 else whole

    return count


_ORDERED_NAMES = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")

_COMMON: dict[str, Implementation] = {
    "bool_to_bool": _same,
    "string_to_bool": conversions.string_to_bool,
    "bytes_to_bytes": _same,
    "string_to_bytes": conversions.string_to_bytes,
    "double_to_double": _same,
    "int64_to_double": float,
    "uint64_to_double": float,
    "string_to_double": conversions.string_to_double,
    "duration_to_duration": _same,
    "string_to_duration": conversions.string_to_duration,
    "int64_to_duration": conversions.int_to_duration,
    "int64_to_int64": _same,
    "double_to_int64": conversions.double_to_int,
    "uint64_to_int64": conversions.uint_to_int,
    "string_to_int64": conversions.string_to_int,
    "duration_to_int64": lambda length: length.nanos,
    "timestamp_to_int64": lambda moment: moment.seconds,
    "uint64_to_uint64": _same,
    "double_to_uint64": conversions.double_to_uint,
    "int64_to_uint64": conversions.int_to_uint,
    "string_to_uint64": conversions.string_to_uint,
    "string_to_string": _same,
    "bool_to_string": conversions.bool_to_string,
    "bytes_to_string": conversions.bytes_to_string,
    "double_to_string": conversions.number_to_string,
    "int64_to_string": conversions.number_to_string,
    "uint64_to_string": conversions.number_to_string,
    "duration_to_string": times.duration_text,
    "timestamp_to_string": times.timestamp_text,
    "ip_to_string": network.text,
    "cidr_to_string": network.text,
    "timestamp_to_timestamp": _same,
    "int64_to_timestamp": times.timestamp_of,
    "string_to_timestamp": conversions.string_to_timestamp,
    "contains_string": _contains,
    "starts_with_string": _starts_with,
    "ends_with_string": _ends_with,
    "string_find_string": _find,
    "string_find_all_string": _find_all,
    "string_find_all_string_int": _find_all,
    "string_char_at_int": text_functions.char_at,
    "string_index_of_string": text_functions.index_of,
    "string_index_of_string_int": text_functions.index_of_from,
    "string_last_index_of_string": text_functions.last_index_of,
    "string_last_index_of_string_int": text_functions.last_index_of_from,
    "string_lower_ascii": text_functions.lower_ascii,
    "string_upper_ascii": text_functions.upper_ascii,
    "string_replace_string_string": text_functions.replace,
    "string_replace_string_string_int": text_functions.replace,
    "string_split_string": text_functions.split,
    "string_split_string_int": text_functions.split,
    "string_substring_int": text_functions.substring,
    "string_substring_int_int": text_functions.substring_range,
    "string_trim": text_functions.trim,
    "list_join": text_functions.join,
    "list_join_string": text_functions.join,
    "strings_quote": text_functions.quote,
    "string_format": formatting.format_string,
    "optional_of": Optional,
    "optional_ofNonZeroValue": _of_non_zero,
    "optional_none": lambda: NONE,
    "optional_value": _value,
    "optional_hasValue": lambda optional: optional.value is not MISSING,
    "optional_unwrap": list_functions.unwrap,
    "optional_unwrapOpt": list_functions.unwrap,
    "list_first": list_functions.first,
    "list_last": list_functions.last,
    "list_a_index_of_int": list_functions.index_of,
    "list_a_last_index_of_int": list_functions.last_index_of,
    "list_includes_dyn_dyn": list_functions.includes,
    "dra_includes_dyn_dyn": list_functions.includes_limited,
    "list_sets_contains_list": list_functions.sets_contain,
    "list_sets_equivalent_list": list_functions.sets_equivalent,
    "list_sets_intersects_list": list_functions.sets_intersect,
    "list_slice": list_functions.slice_of,
    "list_flatten": list_functions.flatten,
    "list_flatten_int": list_functions.flatten,
    "lists_range": list_functions.number_range,
    "list_reverse": list_functions.reverse,
    "list_distinct": list_functions.distinct,
    **{f"list_{name}_is_sorted_bool": list_functions.is_sorted for name in _ORDERED_NAMES},
    **{f"list_{name}_min_{name}": list_functions.minimum for name in _ORDERED_NAMES},
    **{f"list_{name}_max_{name}": list_functions.maximum for name in _ORDERED_NAMES},
    "list_int_sum_int": list_functions.sum_from(0),
    "list_uint_sum_uint": list_functions.sum_from(Uint(0)),
    "list_double_sum_double": list_functions.sum_from(0.0),
    "list_duration_sum_duration": list_functions.sum_from(Duration(0)),
    "@mapInsert_map_key_value": insert,
    "@mapInsert_map_map": insert_all,
    "string_to_quantity": quantities.parse,
    "is_quantity_string": quantities.is_quantity,
    "quantity_sign": quantities.sign,
    "quantity_add": quantities.add,
    "quantity_add_int": lambda amount, number: quantities.add(amount, quantities.integer(number)),
    "quantity_sub": quantities.subtract,
    "quantity_sub_int": lambda amount, number: quantities.subtract(amount, quantities.integer(number)),
    "quantity_compare_to": lambda left, right: left.compare(right),
    "quantity_is_greater_than": lambda left, right: left.compare(right) > 0,
    "quantity_is_less_than": lambda left, right: left.compare(right) < 0,
    "quantity_get_int": _as_integer,
    "quantity_is_integer": lambda amount: quantities.as_integer(amount) is not None,
    "quantity_get_float": quantities.as_float,
    "string_to_semver": versions.parse,
    "string_bool_to_semver": lambda text, normalize: versions.parse(text, normalize=normalize),
    "is_semver_string": versions.is_semver,
    "is_semver_string_bool": lambda text, normalize: versions.is_semver(text, normalize=normalize),
    "semver_compare_to": versions.compare,
    "semver_is_greater_than": lambda left, right: versions.compare(left, right) > 0,
    "semver_is_less_than": lambda left, right: versions.compare(left, right) < 0,
    "semver_major": lambda version: versions.signed(version.major),
    "semver_minor": lambda version: versions.signed(version.minor),
    "semver_patch": lambda version: versions.signed(version.patch),
    "string_to_url": urls.parse,
    "is_url_string": urls.is_url,
    "url_get_scheme": lambda url: url.scheme,
    "url_get_host": lambda url: url.host,
    "url_get_hostname": urls.hostname,
    "url_get_port": urls.port,
    "url_get_escaped_path": lambda url: url.escaped_path,
    "url_get_query": _query,
    "string_to_ip": network.parse_ip,
    "is_ip": network.is_ip,
    "ip_is_canonical": _canonical,
    "ip_family": lambda address: address.version,
    "ip_is_unspecified": network.is_unspecified,
    "ip_is_loopback": network.is_loopback,
    "ip_is_link_local_multicast": network.is_link_local_multicast,
    "ip_is_link_local_unicast": network.is_link_local_unicast,
    "ip_is_global_unicast": network.is_global_unicast,
    "string_to_cidr": network.parse_cidr,
    "is_cidr": network.is_cidr,
    "cidr_ip": lambda value: value.address,
    "cidr_prefix_length": lambda value: value.bits,
    "cidr_masked": network.masked,
    "cidr_contains_ip_ip": network.contains_ip,
    "cidr_contains_ip_string": _contains_ip,
    "cidr_contains_cidr": network.contains_cidr,
    "cidr_contains_cidr_string": _contains_cidr,
    "format-named": _named_format,
    "format-validate": _validate,
    **{f"format.{name}": (lambda named=named: named) for name, named in FORMATS.items()},
    **{f"timestamp_to_{name}": _calendar(part) for name, part in _CALENDAR.items()},
    **{f"timestamp_to_{name}_with_tz": _calendar(part) for name, part in _CALENDAR.items()},
    "timestamp_to_seconds_tz": _calendar(_CALENDAR["seconds"]),
    "timestamp_to_milliseconds": _milliseconds,
    "timestamp_to_milliseconds_with_tz": _milliseconds,
    "duration_to_hours": _units(3600 * times.SECOND),
    "duration_to_minutes": _units(60 * times.SECOND),
    "duration_to_seconds": _units(times.SECOND),
    "duration_to_milliseconds": _units(1_000_000),
}

# cel-go 0.26 (Kubernetes 1.34 to 1.36) where it differs from 0.29.
_OLD: dict[str, Implementation] = {
    "string_index_of_string_int": text_functions.index_of_from_old,
    "string_last_index_of_string_int": text_functions.last_index_of_from_old,
    "lists_range": list_functions.number_range_old,
}


@lru_cache(maxsize=2)
def implementations(modern: bool) -> Mapping[str, Implementation]:
    """Python functions by overload id; `modern`: of Kubernetes 1.37 and later."""
    return MappingProxyType(_COMMON if modern else {**_COMMON, **_OLD})


UNGUARDED = frozenset(("contains", "startsWith", "endsWith", "flatten"))
"""Functions that look at the types of their arguments themselves."""
