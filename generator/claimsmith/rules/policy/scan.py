"""The tokens of a CEL expression, and the mistakes that show in them.

cel-python never sees a text that fails here. It needs that: its pattern for strings takes exponential time on one
that is not closed, it takes ``"\\d"`` and reserved words although CEL does not, and it does not say where a text
ends too early.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from claimsmith.rules.policy.problem import LIMIT, SYNTAX, TOO_COSTLY, ProblemError

MAX_CHARACTERS = 10_240
"""The longest expression, as of a device selector in Kubernetes."""
MAX_BRACKETS = 48
"""How many brackets may stand in one another."""

_TOKEN = re.compile(
    r"""
    (?P<skip>[ \t\n\f\r]+|//[^\n]*)
    |(?P<text>[bB]?[rR]?(?:\"{3}|'{3}|"|'))
    |(?P<number>(?:0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[uU]?)
    |(?P<name>[_a-zA-Z][_a-zA-Z0-9]*)
    |(?P<sign>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"\\(?:[xX](?P<byte>[0-9a-fA-F]{2})|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-3][0-7]{2})|(?P<sign>[abfnrtv\"'\\?`]))"
)
_SIGNS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CLOSING = {")": "(", "]": "[", "}": "{"}
_KEYWORDS = ("true", "false", "null", "in")
_RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_INSTEAD = {
    "=": "==",
    "&": "&&",
    "|": "||",
    "and": "&&",
    "or": "||",
    "not": "!",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
}


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is ``text``, ``number``, ``name`` or ``sign``."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def ends_operand(self) -> bool:
        return self.text in (")", "]", "}") or (self.kind != "sign" and self.text != "in")

    @property
    def begins_operand(self) -> bool:
        return self.kind != "sign" and self.text != "in"


def check(text: str) -> list[Token]:
    """The tokens. Raises ``ProblemError`` at the first mistake that shows in them."""
    if len(text) > MAX_CHARACTERS:
        problem = f"it has {len(text)} characters, and {MAX_CHARACTERS} are the most"
        raise ProblemError(TOO_COSTLY, 0, len(text), problem=problem)
    tokens: list[Token] = []
    opened: list[Token] = []
    for token in _tokens(text):
        _check_pair(tokens[-1] if tokens else None, token)
        _check_bracket(opened, token)
        tokens.append(token)
    if not tokens:
        raise ProblemError(SYNTAX, 0, len(text), problem="the expression is empty")
    if tokens[-1].text == ".":
        raise ProblemError(SYNTAX, tokens[-1].start, tokens[-1].end, problem="a name must follow `.`")
    if opened:
        raise ProblemError(SYNTAX, opened[-1].start, opened[-1].end, problem=f"`{opened[-1].text}` is never closed")
    return tokens


def _tokens(text: str) -> Iterator[Token]:
    index = 0
    while index < len(text):
        match = _TOKEN.match(text, index)
        if match is None:
            raise _unexpected(text, index)
        kind = match.lastgroup or ""
        end = _end_of_text(text, index, match.group()) if kind == "text" else match.end()
        if kind != "skip":
            yield Token(kind, text[index:end], index)
        index = end


def _unexpected(text: str, index: int) -> ProblemError:
    character = text[index]
    if character == "`":
        behind = text.find("`", index + 1) + 1 or index + 1
        return ProblemError(LIMIT, index, behind, feature="names in backticks", instead='write `map["name"]`')
    data = {"did_you_mean": _INSTEAD[character]} if character in _INSTEAD else {}
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return ProblemError(SYNTAX, index, index + 1, problem=f"`{shown}` has no meaning in CEL", **data)


def _end_of_text(text: str, start: int, opening: str) -> int:
    """Where the string that begins here ends."""
    quote = opening.lstrip("bBrR")
    raw = "r" in opening[: -len(quote)].lower()
    index = start + len(opening)
    while not text.startswith(quote, index):
        if index >= len(text) or (len(quote) == 1 and text[index] in "\r\n"):
            raise ProblemError(SYNTAX, start, index, problem="the string is never closed")
        if raw or text[index] != "\\":
            index += 1
            continue
        escape = _ESCAPE.match(text, index)
        if escape is None or not _is_character(escape):
            shown = text[index : index + 2]
            problem = f"`{shown}` is no escape in a CEL string"
            raise ProblemError(SYNTAX, index, index + len(shown), problem=problem, did_you_mean="\\" + shown)
        index = escape.end()
    content = text[start + len(opening) : index]
    if raw and (len(content) - len(content.rstrip("\\"))) % 2:
        feature, instead = "a raw string that ends in a backslash", 'write `"…\\\\"`'
        raise ProblemError(LIMIT, start, index + len(quote), feature=feature, instead=instead)
    return index + len(quote)


def _is_character(escape: re.Match[str]) -> bool:
    digits = escape["short"] or escape["long"]
    return not digits or (int(digits, 16) <= 0x10FFFF and not 0xD800 <= int(digits, 16) <= 0xDFFF)


def _check_pair(before: Token | None, token: Token) -> None:
    """What is wrong with a token behind another one."""
    start = before.start if before else token.start
    if token.kind == "name" and token.text in _RESERVED and (before is None or before.text != "."):
        raise ProblemError(SYNTAX, token.start, token.end, problem=f"`{token.text}` is a reserved word")
    if before is None:
        return
    if token.text == "?" and before.text in (".", "[", "{", ",") and (before.text != "." or before.end == token.start):
        raise ProblemError(
            LIMIT, start, token.end, feature=f"optional values (`{before.text}?`)", instead="write `has(a.b) ? a.b : …`"
        )
    if before.text == "." and (token.kind != "name" or token.text in _KEYWORDS):
        raise ProblemError(SYNTAX, token.start, token.end, problem="a name must follow `.`")
    if token.text in ("]", "}") and before.text == ",":
        raise ProblemError(
            LIMIT, before.start, before.end, feature="a comma at the end of a list", instead="leave it out"
        )
    if before.ends_operand and token.begins_operand:
        data = {"did_you_mean": _INSTEAD[token.text]} if token.text in _INSTEAD else {}
        problem = f"there is no operator between `{_short(before.text)}` and `{_short(token.text)}`"
        raise ProblemError(SYNTAX, token.start, token.end, problem=problem, **data)


def _check_bracket(opened: list[Token], token: Token) -> None:
    if token.text in ("(", "[", "{"):
        opened.append(token)
        if len(opened) > MAX_BRACKETS:
            problem = f"more than {MAX_BRACKETS} brackets stand in one another"
            raise ProblemError(TOO_COSTLY, token.start, token.end, problem=problem)
    elif token.text in _CLOSING and (not opened or opened.pop().text != _CLOSING[token.text]):
        raise ProblemError(SYNTAX, token.start, token.end, problem=f"`{token.text}` closes nothing")


def _short(text: str) -> str:
    return text if len(text) <= 20 else text[:19] + "…"


def string_value(literal: str) -> str | bytes:
    """What a string or bytes literal that was checked stands for."""
    quote_at = next(index for index, character in enumerate(literal) if character in "\"'")
    prefix = literal[:quote_at].lower()
    width = 3 if literal[quote_at : quote_at + 3] in ('"""', "'''") else 1
    content = literal[quote_at + width : -width]
    if "b" not in prefix:
        return content if "r" in prefix else _ESCAPE.sub(_character, content)
    if "r" in prefix:
        return content.encode()
    pieces, index = [], 0
    for match in _ESCAPE.finditer(content):
        pieces.append(content[index : match.start()].encode())
        number = match["byte"] or match["octal"]
        pieces.append(bytes([int(number, 16 if match["byte"] else 8)]) if number else _character(match).encode())
        index = match.end()
    return b"".join([*pieces, content[index:].encode()])


def _character(escape: re.Match[str]) -> str:
    digits = escape["byte"] or escape["short"] or escape["long"]
    if digits:
        return chr(int(digits, 16))
    if escape["octal"]:
        return chr(int(escape["octal"], 8))
    return _SIGNS.get(escape["sign"], escape["sign"])
