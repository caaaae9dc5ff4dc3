"""URLs as Go's `net/url` reads them."""

import re

from claimsmith.cel.runtime import network
from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.go_text import quote
from claimsmith.cel.runtime.values import Url

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH = _UNRESERVED | frozenset(b"$&+,/:;=@")
_HOST = _UNRESERVED | frozenset(b"!$&'()*+,;=:[]<>\"")
_USER = _UNRESERVED | frozenset(b"$&+,;=")
_FRAGMENT = _UNRESERVED | frozenset(b"!()*$&+,/:;=?@")
_VALID_PATH = frozenset(b"!$&'()*+,;=:@[]%")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_USERINFO = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+\-.]*")
_PORT = re.compile(r"(?::[0-9]*)?")
_MAX_PARAMETERS = 10_000


class _RefusedError(ValueError):
    """What Go says of a URL."""


def parse(text: str) -> Url:
    """`url(text)`; `Failure` with Kubernetes' text."""
    problem = _problem(text)
    if problem is None:
        bare, _, fragment = text.partition("#")
        try:
            return _parts(bare, fragment)
        except _RefusedError as error:
            problem = f"parse {quote(bare)}: {error}"
    raise Failure(f"URL parse error during conversion from string: {problem}")


def is_url(text: str) -> bool:
    return _problem(text) is None


def request_problem(text: str) -> str | None:
    """The error of Go's `url.ParseRequestURI`, None if there is none."""
    return _problem(text)


def _problem(text: str) -> str | None:
    try:
        _split(text, request=True)
    except _RefusedError as error:
        return f"parse {quote(text)}: {error}"
    return None


class _Split:
    """`user` is None without; `opaque` is "" for a hierarchical URL."""

    __slots__ = ("force_query", "host", "omit_host", "opaque", "path", "query", "raw_path", "scheme", "user")

    def __init__(self) -> None:
        self.scheme = self.opaque = self.host = self.query = self.raw_path = ""
        self.path = b""
        self.user: str | None = None
        self.force_query = self.omit_host = False


def _split(text: str, *, request: bool) -> _Split:
    if any(char < " " or char == "\x7f" for char in text):
        raise _RefusedError("net/url: invalid control character in URL")
    if not text and request:
        raise _RefusedError("empty url")
    url = _Split()
    if text == "*":
        url.path = b"*"
        return url
    url.scheme, rest = _scheme(text)
    if rest.endswith("?") and rest.count("?") == 1:
        url.force_query = True
        rest = rest[:-1]
    else:
        rest, _, url.query = rest.partition("?")
    if not rest.startswith("/"):
        if url.scheme:
            url.opaque = rest
            return url
        if request:
            raise _RefusedError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise _RefusedError("first path segment in URL cannot contain colon")
    if (url.scheme or (not request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, after = rest[2:].partition("/")
        rest = slash + after
        _authority(url, authority)
    elif url.scheme and rest.startswith("/"):
        url.omit_host = True
    url.path = _unescape(rest, None)
    url.raw_path = "" if _escape(url.path, _PATH) == rest else rest
    return url


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise _RefusedError("missing protocol scheme")
    match = _SCHEME.match(text)
    if match is None or text[match.end() : match.end() + 1] != ":":
        return "", text
    return match.group().lower(), text[match.end() + 1 :]


def _authority(url: _Split, authority: str) -> None:
    userinfo, at, host = authority.rpartition("@")
    url.host = _host(url.scheme, host)
    if not at:
        return
    if not _USERINFO.fullmatch(userinfo):
        raise _RefusedError("net/url: invalid userinfo")
    parts = [_escape(_unescape(part, None), _USER) for part in userinfo.split(":", 1)]
    url.user = ":".join(parts)


def _host(scheme: str, host: str) -> str:
    opening = host.rfind("[")
    if opening > 0:
        raise _RefusedError("invalid IP-literal")
    if opening == 0:
        return _bracketed(host)
    colon = host.find(":")
    if colon >= 0:
        last = host.rfind(":")
        if scheme not in ("http", "https"):
            colon = last
        _check_port(host[colon:])
    return _unescape(host, _HOST).decode("utf-8", "surrogateescape")


def _bracketed(host: str) -> str:
    closing = host.rfind("]")
    if closing < 0:
        raise _RefusedError("missing ']' in host")
    port = host[closing + 1 :]
    _check_port(port)
    name = host[1:closing]
    zone = name.find("%25")
    if zone >= 0:
        literal = _unescape(name[:zone], _HOST) + _unescape(name[zone:], _HOST, zone=True)
    else:
        literal = _unescape(name, _HOST)
    shown = literal.decode("utf-8", "surrogateescape")
    problem = network.is_ipv6_literal(shown)
    if problem is not None:
        raise _RefusedError(problem)
    return f"[{shown}]{port}"


def _check_port(port: str) -> None:
    if not _PORT.fullmatch(port):
        raise _RefusedError(f"invalid port {quote(port)} after host")


def _unescape(text: str, host: frozenset[int] | None, *, zone: bool = False, plus: bool = False) -> bytes:
    """`host`: the characters that a host may have, which also limits what may be escaped there."""
    data = text.encode("utf-8", "surrogateescape")
    result = bytearray()
    position = 0
    while position < len(data):
        byte = data[position]
        if byte == 0x25:
            escaped = data[position : position + 3]
            if len(escaped) < 3 or escaped[1] not in _HEX or escaped[2] not in _HEX:
                raise _RefusedError(f"invalid URL escape {quote(escaped.decode('utf-8', 'surrogateescape'))}")
            value = int(escaped[1:], 16)
            refused = zone and value not in (0x25, 0x20) and host is not None and value not in host
            if refused or (host is not None and not zone and value < 0x80 and escaped != b"%25"):
                raise _RefusedError(f"invalid URL escape {quote(escaped.decode())}")
            result.append(value)
            position += 3
            continue
        if host is not None and byte < 0x80 and byte not in host:
            raise _RefusedError(f"invalid character {quote(chr(byte))} in host name")
        result.append(0x20 if plus and byte == 0x2B else byte)
        position += 1
    return bytes(result)


def _escape(data: bytes, kept: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in data)


def _parts(bare: str, fragment: str) -> Url:
    url = _split(bare, request=False)
    shown_fragment = ""
    if fragment:
        decoded = _unescape(fragment, None)
        shown_fragment = "#" + _escaped(fragment, decoded, _FRAGMENT)
    path = "*" if url.path == b"*" and not url.raw_path else _escaped(url.raw_path, url.path, _PATH)
    return Url(_text(url, path) + shown_fragment, url.scheme, url.host, path, _query(url.query))


def _escaped(raw: str, decoded: bytes, kept: frozenset[int]) -> str:
    """As it was written where that is valid, else escaped anew."""
    valid = all(byte in kept or byte in _VALID_PATH for byte in raw.encode("utf-8", "surrogateescape"))
    return raw if raw and valid else _escape(decoded, kept)


def _text(url: _Split, path: str) -> str:
    text = f"{url.scheme}:" if url.scheme else ""
    if url.opaque:
        text += url.opaque
    else:
        if (url.scheme or url.host or url.user is not None) and not (
            url.omit_host and not url.host and url.user is None
        ):
            if url.host or url.path or url.user is not None:
                text += "//"
            if url.user is not None:
                text += url.user + "@"
            text += _escape(url.host.encode("utf-8", "surrogateescape"), _HOST)
        if url.omit_host and not url.host and url.user is None and path.startswith("//"):
            text += "%2F"
            path = path[1:]
        if path and not path.startswith("/") and url.host:
            text += "/"
        if not text and ":" in path.partition("/")[0]:
            text += "./"
        text += path
    return text + ("?" + url.query if url.force_query or url.query else "")


def _query(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if text.count("&") + 1 > _MAX_PARAMETERS:
        return ()
    values: dict[str, list[str]] = {}
    for pair in text.split("&"):
        if not pair or ";" in pair:
            continue
        key, _, value = pair.partition("=")
        try:
            name, content = (_unescape(part, None, plus=True).decode("utf-8", "replace") for part in (key, value))
        except _RefusedError:
            continue
        values.setdefault(name, []).append(content)
    return tuple((key, tuple(items)) for key, items in values.items())


def hostname(url: Url) -> str:
    return _host_port(url)[0]


def port(url: Url) -> str:
    return _host_port(url)[1]


def _host_port(url: Url) -> tuple[str, str]:
    host, found = url.host, ""
    colon = host.rfind(":")
    if colon >= 0 and _PORT.fullmatch(host[colon:]):
        host, found = host[:colon], host[colon + 1 :]
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return host, found
