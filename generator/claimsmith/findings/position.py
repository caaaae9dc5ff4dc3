"""A place in a source file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A span of a file: lines and columns are 1-based code points, the end is exclusive.

    ``file`` is the path as the user gave it or relative to the repository's root, ``-`` for standard input.
    """

    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


NOWHERE = Position("")
