"""From text to tokens, as the lexer of CEL's grammar does it: the longest match wins, and errors are skipped.

Columns and offsets are code points. Source of the rules: cel-go, parser/gen/CEL.g4.
"""

import re
from dataclasses import dataclass

from claimsmith.cel.errors import Problem

IDENT = "IDENTIFIER"
ESCAPED_IDENT = "ESC_IDENTIFIER"
INT = "NUM_INT"
UINT = "NUM_UINT"
FLOAT = "NUM_FLOAT"
STRING = "STRING"
BYTES = "BYTES"
EOF = "<EOF>"

_WORDS = frozenset(("in", "true", "false", "null"))

_ESCAPE = r"""\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"""
_STRING = (
    rf'"""(?:{_ESCAPE}|[^\\])*?"""'
    rf"|'''(?:{_ESCAPE}|[^\\])*?'''"
    rf'|"(?:[^\\"\n\r]|{_ESCAPE})*"'
    rf"|'(?:[^\\'\n\r]|{_ESCAPE})*'"
    r'|[rR]"""(?s:.*?)"""'
    r"|[rR]'''(?s:.*?)'''"
    r'|[rR]"[^"\n\r]*"'
    r"|[rR]'[^'\n\r]*'"
)
_TOKEN = re.compile(
    r"(?P<HIDDEN>[\t \r\n\f]+|//[^\n]*)"
    rf"|(?P<STRING>{_STRING})"
    rf"|(?P<BYTES>[bB](?:{_STRING}))"
    r"|(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<PUNCTUATION>&&|\|\||[=!<>]=|[<>\[\]{}()\-!?:+*/%,]|\.(?![0-9]))"
    r"|(?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<NUM_UINT>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])"
    r"|(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)"
    r"|(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/ ]+`)"
)

# The longest beginning of a string that its end does not follow.
_OPEN_STRING = {
    '"': re.compile(rf'"(?:[^\\"\n\r]|{_ESCAPE})*'),
    "'": re.compile(rf"'(?:[^\\'\n\r]|{_ESCAPE})*"),
}
_OPEN_ESCAPE = re.compile(r"\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?")
_OPEN_IDENT = re.compile(r"`[A-Za-z0-9_.\-/ ]*")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel lists, the last entry EOF. The kind of punctuation or a word is its text; `nesting` bounds brackets."""

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    problems: list[Problem]
    nesting: int


def tokenize(text: str) -> Tokens:
    """The tokens of `text`; what is none is reported and skipped, as far as cel-go would."""
    kinds: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    problems: list[Problem] = []
    depth = deepest = ternaries = 0
    position, length = 0, len(text)
    match_at = _TOKEN.match
    while position < length:
        match = match_at(text, position)
        if match is None:
            end = _failing(text, position) + 1
            problems.append(
                Problem(
                    f"Syntax error: token recognition error at: '{text[position:end]}'",
                    position,
                    position,
                    min(end, length),
                )
            )
            position = end
            continue
        kind = match.lastgroup
        assert kind is not None
        if kind != "HIDDEN":
            value = match.group()
            if kind == "PUNCTUATION":
                kind = value
                if value in "([{":
                    depth += 1
                    if depth > deepest:
                        deepest = depth
                elif value in ")]}":
                    depth -= 1
                elif value == "?":
                    ternaries += 1
            elif kind == IDENT and value in _WORDS:
                kind = value
            kinds.append(kind)
            texts.append(value)
            starts.append(position)
        position = match.end()
    kinds.append(EOF)
    texts.append(EOF)
    starts.append(length)
    return Tokens(kinds, texts, starts, problems, deepest + ternaries)


def _failing(text: str, position: int) -> int:
    """Where the character is that no token which starts at `position` can have."""
    first = text[position]
    if first in _OPEN_STRING:
        match = _OPEN_STRING[first].match(text, position)
        assert match is not None
        end = match.end()
        escape = _OPEN_ESCAPE.match(text, end)
        return end if escape is None else escape.end()
    if first == "`":
        match = _OPEN_IDENT.match(text, position)
        assert match is not None
        return match.end()
    return position + 1 if first in "&|=" else position
