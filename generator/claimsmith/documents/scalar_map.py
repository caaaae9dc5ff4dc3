"""Places within a YAML scalar: from an index of its text to the line and column in the file, whatever its style."""

from collections.abc import Iterator, Sequence

from claimsmith.documents.nodes import Scalar
from claimsmith.documents.source import Source
from claimsmith.findings import Position

_BLANK = " \t"
_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}

Place = tuple[int, int, int]
"""The line of a character, the column where it begins and the column behind it; an escape is several wide."""


def position_in(scalar: Scalar, source: Source | None, start: int, end: int) -> Position:
    """The place of ``scalar.text[start:end]`` in the file; one column wide at least, even behind the text.

    The place of the whole scalar where the source is not known or does not have this scalar.
    """
    places = _places(scalar, source.lines) if source is not None and source.file == scalar.position.file else None
    if places is None:
        return scalar.position
    if start >= len(places):
        line, _, column = places[-1] if places else _beginning(scalar)
        return Position(scalar.position.file, line, column, line, column + 1)
    line, column, _ = places[start]
    end_line, _, end_column = places[max(start, min(end, len(places)) - 1)]
    if (end_line, end_column) <= (line, column):
        end_line, end_column = line, column + 1
    return Position(scalar.position.file, line, column, end_line, end_column)


def _beginning(scalar: Scalar) -> Place:
    place = scalar.position
    return place.line, place.column, place.column + (0 if scalar.style == "plain" else 1)


def _places(scalar: Scalar, lines: Sequence[str]) -> list[Place] | None:
    """A place for each character of the scalar's text; None where the lines do not read as that text."""
    if scalar.style in ("|", ">"):
        return _block(scalar, lines)
    found = list(_flow(scalar.style, _region(scalar.position, lines)))
    return found if len(found) == len(scalar.text) else None


def _region(place: Position, lines: Sequence[str]) -> list[tuple[str, int, int]]:
    """The characters between the two ends of a position, with line and column; a line break is one of them."""
    region = []
    for number in range(place.line, min(place.end_line, len(lines)) + 1):
        line = lines[number - 1]
        first = place.column - 1 if number == place.line else 0
        behind = place.end_column - 1 if number == place.end_line else len(line)
        region += [(line[index], number, index + 1) for index in range(first, min(behind, len(line)))]
        if number < place.end_line:
            region.append(("\n", number, len(line) + 1))
    return region


def _flow(style: str, region: list[tuple[str, int, int]]) -> Iterator[Place]:
    """Plain and quoted scalars: breaks are folded, and quotes have escapes."""
    index, end = (0, len(region)) if style == "plain" else (1, len(region) - 1)
    after_escaped_break = False
    while index < end:
        character, line, column = region[index]
        if character in _BLANK or character == "\n":
            behind = index
            while behind < end and (region[behind][0] in _BLANK or region[behind][0] == "\n"):
                behind += 1
            breaks = [each for each in region[index:behind] if each[0] == "\n"]
            if after_escaped_break:
                kept = breaks
            elif not breaks:
                kept = region[index:behind]
            else:
                kept = breaks[1:] or breaks
            for _, where, at in kept:
                yield where, at, at + 1
            index = behind
        elif style == '"' and character == "\\" and index + 1 < end:
            following = region[index + 1][0]
            if following == "\n":
                index, after_escaped_break = index + 2, True
                continue
            width = _ESCAPE_LENGTH.get(following, 2)
            yield line, column, column + width
            index += width
        elif style == "'" and character == "'":
            yield line, column, column + 2
            index += 2
        else:
            yield line, column, column + 1
            index += 1
        after_escaped_break = False


def _block(scalar: Scalar, lines: Sequence[str]) -> list[Place] | None:
    # How far the text is indented may be written in the header, relative to a parent that is not known here; only
    # one depth gives this text.
    body = lines[scalar.position.line : scalar.position.end_line]
    deepest = max((len(line) - len(line.lstrip(" ")) for line in body), default=0)
    for indent in range(deepest + 1):
        found = list(_block_characters(body, scalar.position.line + 1, indent, folded=scalar.style == ">"))
        text = "".join(character for character, _ in found)
        # Chomping takes line breaks off the end.
        if text.startswith(scalar.text) and not text[len(scalar.text) :].strip("\n"):
            return [place for _, place in found[: len(scalar.text)]]
    return None


def _block_characters(body: Sequence[str], first: int, indent: int, *, folded: bool) -> Iterator[tuple[str, Place]]:
    """What libyaml's scanner of block scalars reads, all trailing breaks kept."""
    pending: Place | None = None
    blank_lines: list[tuple[str, Place]] = []
    after_indented = False
    for number, line in enumerate(body, first):
        end_of_line = (number, len(line) + 1, len(line) + 2)
        if len(line) <= indent and not line.strip(" "):
            blank_lines.append(("\n", end_of_line))
            continue
        if line[:indent].strip(" "):
            break
        indented = line[indent] in _BLANK
        if pending is not None:
            if folded and not after_indented and not indented:
                if not blank_lines:
                    yield " ", pending
            else:
                yield "\n", pending
        yield from blank_lines
        blank_lines = []
        after_indented = indented
        for index in range(indent, len(line)):
            yield line[index], (number, index + 1, index + 2)
        pending = end_of_line
    if pending is not None:
        yield "\n", pending
    yield from blank_lines
