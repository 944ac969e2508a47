"""Hits that differ from each other, by maximal marginal relevance; by their words where no vectors can be compared."""

from hub_index.limits import SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS
from hub_index.search.ranking import Ranking
from hub_index.search.words.tokens import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    from hub_index.record import Record
    from hub_index.search.candidate import Candidate
    from hub_index.search.ranking import Likeness

    Word = TypeVar("Word")

_COMPARED_CHARS = SPEC_NAME_CHARS + SPEC_DESCRIPTION_CHARS  # every pair of hits is compared: of 300 long ones in 30 s


def spread(ranking: Ranking) -> Ranking:
    """The best twice as many as are shown: some may be gone from the checkout, or be copies."""
    likeness = ranking.facts.measure_likeness(ranking.candidates)
    return ranking.replace(candidates=diversify(ranking.candidates, likeness, 2 * ranking.options.k))


def diversify(candidates: "Sequence[Candidate]", likeness: "Likeness", k: int) -> "list[Candidate]":
    """The k best by maximal marginal relevance: each time what scores well and is least like those before."""
    left = list(candidates)
    top = max((candidate.score for candidate in left), default=0.0) or 1.0
    chosen: list[Candidate] = []
    closest = dict.fromkeys((candidate.row for candidate in left), 0.0)
    while left and len(chosen) < k:
        best = max(left, key=lambda hit: (hit.is_exact, 0.7 * hit.score / top - 0.3 * closest[hit.row], -hit.row))
        left.remove(best)
        chosen.append(best)
        for candidate in left:
            closest[candidate.row] = max(closest[candidate.row], likeness(candidate, best))
    return chosen


def compare_words(records: "Iterable[Record]", candidates: "Sequence[Candidate]") -> "Likeness":
    """The overlap of two candidates by the words of their records, which are given in the candidates' order."""
    texts = [f"{record.name} {record.description}"[:_COMPARED_CHARS] for record in records]
    words = {hit.row: frozenset(tokenize(text)) for hit, text in zip(candidates, texts, strict=True)}
    return lambda first, second: overlap(words[first.row], words[second.row])


def overlap(first: "frozenset[Word]", second: "frozenset[Word]") -> float:
    """The share of the words of either that both have."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if first or second else 0.0
