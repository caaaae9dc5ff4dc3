"""The word that somebody may have meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher

_CUTOFF = 0.6


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to ``word``: one that differs in case only, else the most similar, else None.

    The order of the candidates does not matter; of equally good ones the first in code-point order is taken.
    """
    folded = word.casefold()
    matcher = SequenceMatcher(b=folded, autojunk=False)
    best: str | None = None
    best_ratio = 0.0
    for candidate in sorted(set(candidates)):
        folded_candidate = candidate.casefold()
        if folded_candidate == folded:
            return candidate
        matcher.set_seq1(folded_candidate)
        least = max(best_ratio, _CUTOFF)
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
            continue
        ratio = matcher.ratio()
        if ratio >= _CUTOFF and ratio > best_ratio:
            best, best_ratio = candidate, ratio
    return best
