"""The validators behind `format.<name>()`, with Kubernetes' messages."""

import base64
import binascii
import re
from collections.abc import Callable

from claimsmith.cel.runtime import times, urls
from claimsmith.cel.runtime.values import NamedFormat

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = _LABEL + r"(\." + _LABEL + ")*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_QUALIFIED})?"
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an alphanumeric character"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character"
)
_LABEL_1035_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character"
)
_QUALIFIED_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_LABEL_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character"
)


def _regex_error(text: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{text} (e.g. {shown}regex used for validation is '{pattern}')"


def _length(text: str, limit: int) -> list[str]:
    too_long = len(text.encode("utf-8", "surrogatepass")) > limit
    return [f"must be no more than {limit} characters"] if too_long else []


def _label(text: str) -> list[str]:
    problems = _length(text, 63)
    if not re.fullmatch(_LABEL, text):
        dotted = re.fullmatch(_SUBDOMAIN, text)
        error = _regex_error(_LABEL_TEXT, _LABEL, "my-name", "123-abc")
        problems.append("must not contain dots" if dotted else error)
    return problems


def _subdomain(text: str) -> list[str]:
    problems = _length(text, 253)
    if not re.fullmatch(_SUBDOMAIN, text):
        problems.append(_regex_error(_SUBDOMAIN_TEXT, _SUBDOMAIN, "example.com"))
    return problems


def _label_1035(text: str) -> list[str]:
    problems = _length(text, 63)
    if not re.fullmatch(_LABEL_1035, text):
        problems.append(_regex_error(_LABEL_1035_TEXT, _LABEL_1035, "my-name", "abc-123"))
    return problems


def _prefix(validate: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    def check(text: str) -> list[str]:
        # Kubernetes replaces the last two characters by one.
        masked = len(text.encode("utf-8", "surrogatepass")) > 1 and text.endswith("-")
        return validate(text[:-2] + "a" if masked else text)

    return check


def _qualified_name(text: str) -> list[str]:
    parts = text.split("/")
    error = _regex_error(_QUALIFIED_TEXT, _QUALIFIED, "MyName", "my.name", "123-abc")
    if len(parts) > 2:
        return [f"a qualified name {error} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    problems: list[str] = []
    if len(parts) == 2:
        prefix_problems = _subdomain(parts[0]) if parts[0] else ["must be non-empty"]
        problems += [f"prefix part {problem}" for problem in prefix_problems]
    name = parts[-1]
    length = _length(name, 63) if name else ["must be non-empty"]
    problems += [f"name part {problem}" for problem in length]
    if not re.fullmatch(_QUALIFIED, name):
        problems.append(f"name part {error}")
    return problems


def _label_value(text: str) -> list[str]:
    problems = _length(text, 63)
    if not re.fullmatch(_LABEL_VALUE, text):
        problems.append(_regex_error(_LABEL_VALUE_TEXT, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return problems


def _uri(text: str) -> list[str]:
    problem = urls.request_problem(text)
    return [] if problem is None else [problem]


def _uuid(text: str) -> list[str]:
    return [] if _UUID.fullmatch(text) else ["does not match the UUID format"]


def _byte(text: str) -> list[str]:
    try:
        base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return ["invalid base64"]
    return []


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(text)) and times.parse_timestamp(f"{text}T00:00:00Z") is not None


def _date(text: str) -> list[str]:
    return [] if _is_date(text) else ["invalid date"]


def _datetime(text: str) -> list[str]:
    date, *rest = text.lower().split("t")
    match = _TIME.fullmatch(rest[0]) if rest and _is_date(date) else None
    valid = match is not None and match.group(1) <= "23" and match.group(2) <= "59" and match.group(3) <= "59"
    return [] if valid else ["invalid datetime"]


FORMATS = {
    "dns1123Label": NamedFormat("DNS1123Label", _label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", _subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", _label_1035, 30),
    "qualifiedName": NamedFormat("QualifiedName", _qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", _prefix(_label), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", _prefix(_subdomain), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", _prefix(_label_1035), 30),
    "labelValue": NamedFormat("LabelValue", _label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    "uuid": NamedFormat("uuid", _uuid, 70),
    "byte": NamedFormat("byte", _byte, 84),
    "date": NamedFormat("date", _date, 71),
    "datetime": NamedFormat("datetime", _datetime, 71),
}
