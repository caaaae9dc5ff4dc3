"""The syntax of Kubernetes' names, as the API server checks it.

Each function returns what is wrong with a text, worded to follow the name of the field, or None. The rules
are those of k8s.io/apimachinery's ``content`` package and of the resource API's validation, 1.34 to 1.37.
"""

import re

_LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_SUBDOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LABEL_NAME = re.compile("(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_C_IDENTIFIER = re.compile("[A-Za-z_][A-Za-z0-9_]*")

_MAX_LABEL = 63
_MAX_SUBDOMAIN = 253
_MAX_DRIVER = 63
_MAX_ATTRIBUTE_ID = 32
_QUOTA_PREFIX = "requests."

_SUBDOMAIN_SYNTAX = (
    "must consist of lower-case letters, digits, '-' and '.', "
    "and each part between dots must start and end with a letter or a digit, such as example.com"
)
_LABEL_NAME_SYNTAX = (
    "must consist of letters, digits, '-', '_' and '.', and must start and end with a letter or a digit"
)


def dns_label_problem(text: str) -> str | None:
    """RFC 1123 label of at most 63 characters: requests, devices, counters, namespaces."""
    if problem := _size_problem(text, _MAX_LABEL):
        return problem
    if _DNS_LABEL.fullmatch(text):
        return None
    if _DNS_SUBDOMAIN.fullmatch(text):
        return "must not contain dots"
    return (
        "must consist of lower-case letters, digits and '-', "
        "and must start and end with a letter or a digit, such as my-name"
    )


def dns_subdomain_problem(text: str) -> str | None:
    """RFC 1123 subdomain of at most 253 characters: device classes, claims, templates, slices."""
    if problem := _size_problem(text, _MAX_SUBDOMAIN):
        return problem
    return None if _DNS_SUBDOMAIN.fullmatch(text) else _SUBDOMAIN_SYNTAX


def label_value_problem(text: str) -> str | None:
    """The value of a label, a taint or a toleration: at most 63 characters; may be empty."""
    if not text:
        return None
    if problem := _size_problem(text, _MAX_LABEL):
        return problem
    return None if _LABEL_NAME.fullmatch(text) else f"{_LABEL_NAME_SYNTAX}, or be empty"


def label_key_problem(text: str) -> str | None:
    """The key of a label, a taint or a toleration: a name with an optional subdomain and ``/`` before it."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return "must have at most one '/', between a domain and a name, such as example.com/my-name"
    if slash and (problem := dns_subdomain_problem(prefix)):
        return f"has a domain {prefix!r} that {problem}"
    problem = _size_problem(name, _MAX_LABEL)
    if problem is None and not _LABEL_NAME.fullmatch(name):
        problem = _LABEL_NAME_SYNTAX
    return f"has a name {name!r} that {problem}" if problem and slash else problem


def attribute_name_problem(text: str) -> str | None:
    """The key of an attribute or a capacity as drivers publish it: an id with an optional domain.

    A key with several slashes is a problem here; the API server accepts it by mistake.
    """
    if "/" in text:
        return qualified_attribute_problem(text)
    return _attribute_id_problem(text)


def qualified_attribute_problem(text: str) -> str | None:
    """``domain/id``, as in constraints: a driver name and a C identifier of at most 32 characters.

    A key with several slashes is a problem here; the API server accepts it by mistake.
    """
    domain, slash, identifier = text.partition("/")
    if not slash or "/" in identifier:
        return "must be a domain and a name separated by one '/', such as gpu.nvidia.com/productName"
    if problem := driver_name_problem(domain):
        return f"has a domain {domain!r} that {problem}"
    if problem := _attribute_id_problem(identifier):
        return f"has a name {identifier!r} that {problem}"
    return None


def driver_name_problem(text: str) -> str | None:
    """A DRA driver's name: a subdomain of at most 63 characters, in which upper case is allowed."""
    if problem := _size_problem(text, _MAX_DRIVER):
        return problem
    if text.isascii() and _DNS_SUBDOMAIN.fullmatch(text.lower()):
        return None
    return _SUBDOMAIN_SYNTAX.replace("lower-case letters", "letters")


def pool_name_problem(text: str) -> str | None:
    """The name of a driver's pool: subdomains separated by ``/``, at most 253 characters in all."""
    if problem := _size_problem(text, _MAX_SUBDOMAIN):
        return problem
    for part in text.split("/"):
        if problem := dns_subdomain_problem(part):
            return f"has a part {part!r} that {problem}"
    return None


def extended_resource_name_problem(text: str) -> str | None:
    """The name of an extended resource, such as ``nvidia.com/gpu``."""
    if "/" not in text:
        return "must be a domain and a name separated by '/', such as nvidia.com/gpu"
    if "kubernetes.io/" in text:
        return "must not be in the domain kubernetes.io, which is for Kubernetes' own resources"
    if text.startswith(_QUOTA_PREFIX):
        return f"must not start with {_QUOTA_PREFIX!r}, which is for quotas"
    domain = text.partition("/")[0]
    if not domain:
        return "has a domain '' that must not be empty"
    # A quota names the resource with its prefix, which leaves less room for the domain.
    if problem := _size_problem(domain, _MAX_SUBDOMAIN - len(_QUOTA_PREFIX)):
        return f"has a domain {domain!r} that {problem}"
    return label_key_problem(text)


def _attribute_id_problem(text: str) -> str | None:
    if problem := _size_problem(text, _MAX_ATTRIBUTE_ID):
        return problem
    if _C_IDENTIFIER.fullmatch(text):
        return None
    return "must consist of letters, digits and '_', and must not start with a digit, such as productName"


def _size_problem(text: str, most: int) -> str | None:
    if not text:
        return "must not be empty"
    return f"must have at most {most} characters, not {len(text)}" if len(text) > most else None
