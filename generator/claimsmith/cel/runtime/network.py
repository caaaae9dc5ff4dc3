"""IP addresses and networks as Go's `net/netip` reads and writes them, with the errors of Kubernetes' library."""

import re

from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.go_text import quote
from claimsmith.cel.runtime.values import Cidr, Ip

_HEX = re.compile(r"[0-9a-fA-F]*")
_BITS = re.compile(r"0|[1-9][0-9]*")
_MAPPED = 0xFFFF


class _RefusedError(ValueError):
    """What `netip` says of an address; its own rule about zones is left to the caller."""


def parse_ip(text: str) -> Ip:
    """`ip(text)`; `Failure` with Kubernetes' text."""
    try:
        address, zone = _address(text)
    except _RefusedError as error:
        raise Failure(f"IP Address {quote(text)} parse error during conversion from string: {error}") from error
    if zone:
        raise Failure(f"IP address {quote(text)} with zone value is not allowed")
    if _is_mapped(address):
        raise Failure(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return address


def parse_cidr(text: str) -> Cidr:
    """`cidr(text)`; `Failure` with Kubernetes' text."""
    what = "network address parse error during conversion from string"
    try:
        network = _prefix(text)
    except _RefusedError as error:
        raise Failure(f"{what}: {what}: netip.ParsePrefix({quote(text)}): {error}") from error
    if _is_mapped(network.address):
        raise Failure(f"{what}: IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return network


def is_ip(text: str) -> bool:
    try:
        parse_ip(text)
    except Failure:
        return False
    return True


def is_cidr(text: str) -> bool:
    try:
        parse_cidr(text)
    except Failure:
        return False
    return True


def is_ipv6_literal(text: str) -> str | None:
    """What is wrong with the address between the brackets of a URL; None if it is an IPv6 address."""
    try:
        address, _ = _address(text)
    except _RefusedError as error:
        return f"invalid host: {error}"
    return None if address.version == 6 else "invalid IP-literal"


def _prefix(text: str) -> Cidr:
    start, slash, bits_text = text.rpartition("/")
    if not slash:
        raise _RefusedError("no '/'")
    address, zone = _address(start)
    if zone:
        raise _RefusedError("IPv6 zones cannot be present in a prefix")
    if not _BITS.fullmatch(bits_text):
        raise _RefusedError(f"bad bits after slash: {quote(bits_text)}")
    if len(bits_text) > 18 and int(bits_text) >= 2**63:
        raise _RefusedError(f"bad bits after slash: {quote(bits_text)}")
    if int(bits_text) > (32 if address.version == 4 else 128):
        raise _RefusedError("prefix length out of range")
    return Cidr(address, int(bits_text))


def _address(text: str) -> tuple[Ip, str]:
    """The address and its zone."""
    first = next((char for char in text if char in ".:%"), "")
    if first == ".":
        return Ip(4, _ipv4(text, text)), ""
    if first == ":":
        return _ipv6(text)
    problem = "missing IPv6 address" if first == "%" else "unable to parse IP"
    raise _refusal(text, problem)


def _refusal(text: str, problem: str, at: str = "") -> _RefusedError:
    where = f" (at {quote(at)})" if at else ""
    return _RefusedError(f"ParseAddr({quote(text)}): {problem}{where}")


def _ipv4(whole: str, part: str) -> int:
    value = number = fields = digits = 0
    for index, char in enumerate(part):
        if "0" <= char <= "9":
            if digits == 1 and number == 0:
                raise _refusal(whole, "IPv4 field has octet with leading zero")
            number = number * 10 + int(char)
            digits += 1
            if number > 255:
                raise _refusal(whole, "IPv4 field has value >255")
        elif char == ".":
            if index in (0, len(part) - 1) or part[index - 1] == ".":
                raise _refusal(whole, "IPv4 field must have at least one digit", part[index:])
            if fields == 3:
                raise _refusal(whole, "IPv4 address too long")
            value = value * 256 + number
            fields += 1
            number = digits = 0
        else:
            raise _refusal(whole, "unexpected character", part[index:])
    if fields < 3:
        raise _refusal(whole, "IPv4 address too short")
    return value * 256 + number


def _ipv6(text: str) -> tuple[Ip, str]:
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        raise _refusal(text, "zone must be a non-empty string")
    groups: list[int] = []
    gap: int | None = None
    if rest.startswith("::"):
        gap = 0
        rest = rest[2:]
        if not rest:
            return Ip(6, 0), zone
    while len(groups) < 8:
        match = _HEX.match(rest)
        digits = match.group() if match else ""
        if len(digits) > 4:
            raise _refusal(text, "each group must have 4 or less digits", rest)
        if not digits:
            raise _refusal(text, "each colon-separated field must have at least one digit", rest)
        if rest[len(digits) : len(digits) + 1] == ".":
            if gap is None and len(groups) != 6:
                raise _refusal(text, "embedded IPv4 address must replace the final 2 fields of the address", rest)
            if len(groups) > 6:
                raise _refusal(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest)
            number = _ipv4(text, rest)
            groups += [number >> 16, number & 0xFFFF]
            rest = ""
            break
        groups.append(int(digits, 16))
        rest = rest[len(digits) :]
        if not rest:
            break
        if rest[0] != ":":
            raise _refusal(text, "unexpected character, want colon", rest)
        if len(rest) == 1:
            raise _refusal(text, "colon must be followed by more characters", rest)
        rest = rest[1:]
        if rest[0] == ":":
            if gap is not None:
                raise _refusal(text, "multiple :: in address", rest)
            gap = len(groups)
            rest = rest[1:]
            if not rest:
                break
    if rest:
        raise _refusal(text, "trailing garbage after address", rest)
    if len(groups) < 8:
        if gap is None:
            raise _refusal(text, "address string too short")
        groups[gap:gap] = [0] * (8 - len(groups))
    elif gap is not None:
        raise _refusal(text, "the :: must expand to at least one field of zeros")
    number = 0
    for group in groups:
        number = number << 16 | group
    return Ip(6, number), zone


def _is_mapped(address: Ip) -> bool:
    return address.version == 6 and address.number >> 32 == _MAPPED


def text(value: Ip | Cidr) -> str:
    """The canonical form."""
    if isinstance(value, Cidr):
        return f"{text(value.address)}/{value.bits}"
    if value.version == 4:
        return ".".join(str(value.number >> shift & 255) for shift in (24, 16, 8, 0))
    groups = [value.number >> shift & 0xFFFF for shift in range(112, -16, -16)]
    start, length = _longest_zeros(groups)
    if length < 2:
        return ":".join(f"{group:x}" for group in groups)
    before = ":".join(f"{group:x}" for group in groups[:start])
    after = ":".join(f"{group:x}" for group in groups[start + length :])
    return f"{before}::{after}"


def _longest_zeros(groups: list[int]) -> tuple[int, int]:
    best = (0, 0)
    for start in range(8):
        length = 0
        while start + length < 8 and groups[start + length] == 0:
            length += 1
        if length > best[1]:
            best = (start, length)
    return best


def masked(network: Cidr) -> Cidr:
    width = 32 if network.address.version == 4 else 128
    spare = width - network.bits
    return Cidr(Ip(network.address.version, network.address.number >> spare << spare), network.bits)


def contains_ip(network: Cidr, address: Ip) -> bool:
    if network.address.version != address.version:
        return False
    spare = (32 if address.version == 4 else 128) - network.bits
    return network.address.number >> spare == address.number >> spare


def contains_cidr(network: Cidr, other: Cidr) -> bool:
    return network.bits <= other.bits and contains_ip(network, other.address)


def is_loopback(address: Ip) -> bool:
    return address.number >> 24 == 127 if address.version == 4 else address.number == 1


def is_unspecified(address: Ip) -> bool:
    return address.number == 0


def is_link_local_multicast(address: Ip) -> bool:
    return address.number >> 8 == 0xE00000 if address.version == 4 else address.number >> 112 & 0xFF0F == 0xFF02


def is_link_local_unicast(address: Ip) -> bool:
    return address.number >> 16 == 0xA9FE if address.version == 4 else address.number >> 118 == 0xFE80 >> 6


def is_global_unicast(address: Ip) -> bool:
    multicast = address.number >> 28 == 0xE if address.version == 4 else address.number >> 120 == 0xFF
    if address.version == 4 and address.number == 0xFFFFFFFF:
        return False
    return not (is_unspecified(address) or is_loopback(address) or multicast or is_link_local_unicast(address))
