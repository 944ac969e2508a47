"""The similarity of two skills by their words, for an index without vectors."""

from hub_index.limits import SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS
from hub_index.search.lexical.tokens import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hub_index.search.candidate import Candidate

_COMPARED_CHARS = SPEC_NAME_CHARS + SPEC_DESCRIPTION_CHARS  # every pair of hits is compared: of 300 long ones in 30 s


def compare_words(texts: "Mapping[int, str]") -> "Callable[[Candidate, Candidate], float]":
    """The overlap of two candidates by the words of their texts, which are given by row."""
    words = {row: frozenset(tokenize(text[:_COMPARED_CHARS])) for row, text in texts.items()}
    return lambda first, second: overlap(words[first.row], words[second.row])


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of the words of either that both have."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if first or second else 0.0
