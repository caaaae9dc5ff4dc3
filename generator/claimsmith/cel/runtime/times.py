"""Durations and timestamps: Go's parsers, arithmetic within 64 bits, the calendar."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.go_text import quote, without_exponent
from claimsmith.cel.runtime.values import Duration, Timestamp

SECOND = 1_000_000_000
MIN_SECONDS = -62135596800
MAX_SECONDS = 253402300799

_UNITS = {
    "ns": 1,
    "us": 1000,
    "\u00b5s": 1000,
    "\u03bcs": 1000,
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_PART = re.compile(r"([0-9]*)(?:(\.)([0-9]*))?([^0-9.]+)")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_INTEGER = re.compile(r"[+-]?[0-9]+")


def parse_duration(text: str) -> Duration | None:
    """`time.ParseDuration`; None for what it refuses."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return Duration(0)
    if not rest:
        return None
    total = position = 0
    while position < len(rest):
        match = _PART.match(rest, position)
        nanos = None if match is None else _part_nanos(*match.group(1, 3, 4))
        if match is None or nanos is None:
            return None
        total += nanos
        if total > 2**63:
            return None
        position = match.end()
    if sign > 0 and total > 2**63 - 1:
        return None
    return Duration(sign * total)


def _part_nanos(whole: str, fraction: str | None, unit_name: str) -> int | None:
    unit = _UNITS.get(unit_name)
    if unit is None or not (whole or fraction):
        return None
    if len(whole.lstrip("0")) > 19:
        return None
    count = int(whole or "0")
    if count > 2**63 // unit:
        return None
    nanos = count * unit
    digits, scale = 0, 1.0
    for digit in fraction or "":
        if digits > (2**63 - 1) // 10 or digits * 10 + int(digit) > 2**63:
            break
        digits = digits * 10 + int(digit)
        scale *= 10
    if digits:
        nanos += int(float(digits) * (float(unit) / scale))
    return None if nanos > 2**63 else nanos


def parse_timestamp(text: str) -> Timestamp | None:
    """`time.Parse` for RFC 3339, of any year that has four digits; None for what it refuses."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.group(1, 2, 3, 4, 5, 6))
    fraction, sign, zone_hours, zone_minutes = match.group(7, 8, 9, 10)
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month) and hour < 24 and minute < 60 and second < 60):
        return None
    offset = 0
    if sign:
        if int(zone_hours) > 24 or int(zone_minutes) > 60:
            return None
        offset = (int(zone_hours) * 60 + int(zone_minutes)) * (-60 if sign == "-" else 60)
    nanos = int((fraction or "0")[:9].ljust(9, "0"))
    seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
    return Timestamp(seconds, nanos, offset)


def timestamp_of(seconds: int, nanos: int = 0, offset: int = 0) -> Timestamp:
    """A timestamp of the years 1 to 9999; `Failure` beyond."""
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise Failure("timestamp overflow")
    return Timestamp(seconds, nanos, offset)


def duration_of(nanos: int) -> Duration:
    """A duration of 64 bits; `Failure` beyond."""
    if not -(2**63) <= nanos < 2**63:
        raise Failure("integer overflow")
    return Duration(nanos)


def add(moment: Timestamp, length: Duration) -> Timestamp:
    seconds, nanos = divmod(moment.seconds * SECOND + moment.nanos + length.nanos, SECOND)
    return timestamp_of(seconds, nanos, moment.offset)


def between(later: Timestamp, earlier: Timestamp) -> Duration:
    seconds = (later.seconds - earlier.seconds) * SECOND
    if not -(2**63) <= seconds < 2**63:
        raise Failure("integer overflow")
    return duration_of(seconds + later.nanos - earlier.nanos)


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01."""
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + _DAYS_BEFORE[month - 1] + day - 1
    return days + (month > 2 and _is_leap(year)) - 719162


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_in(year: int, month: int) -> int:
    return _MONTHS[month - 1] + (month == 2 and _is_leap(year))


def civil(seconds: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Year, month, day, hour, minute, second, day of the year (from 0), day of the week (Sunday is 0)."""
    days, rest = divmod(seconds, 86400)
    year = 1970 + days // (365 if days < 0 else 366)
    while days_from_civil(year + 1, 1, 1) <= days:
        year += 1
    of_year = days - days_from_civil(year, 1, 1)
    month, left = 1, of_year
    while left >= _days_in(year, month):
        left -= _days_in(year, month)
        month += 1
    return year, month, left + 1, rest // 3600, rest // 60 % 60, rest % 60, of_year, (days + 4) % 7


def local_seconds(moment: Timestamp, zone: str) -> int:
    """The clock of a time zone, an IANA name or an offset such as `-08:00`, in seconds since 1970."""
    hours, colon, minutes = zone.partition(":")
    if not colon:
        return moment.seconds + _named_offset(moment, zone)
    for part in (hours, minutes):
        if not _INTEGER.fullmatch(part) or not -(2**63) <= int(part) < 2**63:
            problem = "value out of range" if _INTEGER.fullmatch(part) else "invalid syntax"
            raise Failure(f"strconv.Atoi: parsing {quote(part)}: {problem}")
    total = int(hours) * 60 + (-int(minutes) if zone[0] == "-" else int(minutes))
    return moment.seconds + total * 60


def _named_offset(moment: Timestamp, zone: str) -> int:
    if zone in ("", "UTC", "Local"):
        return 0
    if ".." in zone or zone[0] in "/\\" or "\\" in zone:
        raise Failure("time: invalid location name")
    try:
        rules = ZoneInfo(zone)
        # Two days from the ends of the calendar a zone has the offset that it has there.
        inside = min(max(moment.seconds, MIN_SECONDS + 2 * 86400), MAX_SECONDS - 2 * 86400)
        utc = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=inside)
        offset = utc.astimezone(rules).utcoffset()
    except (KeyError, ValueError, OSError) as error:
        raise Failure(f"unknown time zone {zone}") from error
    return 0 if offset is None else int(offset.total_seconds())


def duration_text(length: Duration) -> str:
    """`string(duration)`."""
    return without_exponent(duration_seconds(length)) + "s"


def duration_seconds(length: Duration) -> float:
    whole, rest = abs(length.nanos) // SECOND, abs(length.nanos) % SECOND
    seconds = float(whole) + float(rest) / 1e9
    return -seconds if length.nanos < 0 else seconds


def timestamp_text(moment: Timestamp) -> str:
    """`string(timestamp)`: RFC 3339 with the zone it was written with."""
    year, month, day, hour, minute, second, *_ = civil(moment.seconds + moment.offset)
    fraction = f".{moment.nanos:09d}".rstrip("0") if moment.nanos else ""
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}{fraction}{_zone(moment.offset, ':')}"


def _zone(offset: int, separator: str) -> str:
    if offset == 0:
        return "Z"
    minutes = abs(offset) // 60
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02d}{separator}{minutes % 60:02d}"


def go_timestamp(moment: Timestamp) -> str:
    """Go's `%v` of a time."""
    year, month, day, hour, minute, second, *_ = civil(moment.seconds + moment.offset)
    fraction = f".{moment.nanos:09d}".rstrip("0") if moment.nanos else ""
    zone = "+0000 UTC" if moment.offset == 0 else f"{_zone(moment.offset, '')} {_zone(moment.offset, '')}"
    return f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}{fraction} {zone}"


def go_duration(length: Duration) -> str:
    """Go's `%v` of a duration: `1h0m0.5s`, `1.5ms`."""
    nanos = abs(length.nanos)
    sign = "-" if length.nanos < 0 else ""
    if nanos == 0:
        return "0s"
    for unit, scale in (("ns", 1), ("\u00b5s", 1000), ("ms", 1_000_000)):
        if nanos < scale * 1000:
            return f"{sign}{_decimal(nanos, scale)}{unit}"
    minutes, rest = divmod(nanos, 60 * SECOND)
    text = f"{_decimal(rest, SECOND)}s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = (f"{hours}h" if hours else "") + f"{minutes}m{text}"
    return sign + text


def _decimal(amount: int, scale: int) -> str:
    whole, rest = divmod(amount, scale)
    digits = len(str(scale)) - 1
    fraction = f".{rest:0{digits}d}".rstrip("0") if rest else ""
    return f"{whole}{fraction}"
