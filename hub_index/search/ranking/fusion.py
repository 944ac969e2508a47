"""Two legs → one order: pure arithmetic on candidates, no I/O.

The default adds a tempered lexical score to the cosine. Means of nDCG@10 over thirteen slices of labelled queries, and
the worst slice against the better of its two legs: reciprocal ranks (k 60) 68.1 / −37.6, min-max 75.6 / −2.9,
this 76.6 / −0.9. A Chinese query against English skills leans on the vectors by itself: its words are unknown, so
`upper_bound` is large and the lexical part small.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.candidate import Candidate

# 0.07 · lex / ub^0.3: as much for a few words as 0.15 · lex / √ub, and a quarter more for long sentences. Against 0.1
# and 0.4, nDCG@10 of the six development sets: acebench-zh +0.9, skillprompts and sealtools +0.2, others within 0.2;
# with the words of general_words.py metatool is at 69.1 instead of 68.7.
LEXICAL_WEIGHT = 0.07
BOUND_POWER = 0.3
NAME_BONUS = 0.1
_RRF_K = 60


def fuse(
    candidates: Sequence[Candidate], upper_bound: float, *, method: str = "default", alpha: float | None = None
) -> list[Candidate]:
    """The candidates with their scores, best first."""
    if method == "rrf":
        _score_by_rank(candidates, 0.5 if alpha is None else alpha)
    elif method == "linear" or alpha is not None:
        _score_linear(candidates, 0.5 if alpha is None else alpha)
    else:
        for candidate in candidates:
            candidate.score = evidence(candidate, upper_bound) + candidate.bonus + candidate.presumed
    return rank(candidates)


def evidence(candidate: Candidate, upper_bound: float) -> float:
    """The sum of both legs for a candidate: the default score, and the measure of weak hits."""
    return weigh_legs(candidate.cosine, candidate.lexical, upper_bound)


def weigh_legs(cosine: float, lexical: float, upper_bound: float) -> float:
    """The sum of a cosine and a lexical score, in units of the cosine."""
    return max(0.0, cosine) + lexical_part(lexical, upper_bound)


def lexical_part(lexical: float, upper_bound: float) -> float:
    """A lexical score in units of the cosine."""
    scale: float = upper_bound**BOUND_POWER if upper_bound > 0 else 1.0
    return LEXICAL_WEIGHT * lexical / scale


def rank(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By score, then by row, which is the order of the ids; what the query names exactly goes first."""
    for candidate in candidates:
        candidate.score = round(candidate.score, 6)
    top = max((candidate.score for candidate in candidates), default=0.0)
    for candidate in candidates:
        if candidate.is_exact:
            candidate.score = top
    return sorted(candidates, key=lambda candidate: (not candidate.is_exact, -candidate.score, candidate.row))


def _score_by_rank(candidates: Sequence[Candidate], alpha: float) -> None:
    for candidate in candidates:
        candidate.score = 0.0
    for leg, weight in (("cosine", 2 * alpha), ("lexical", 2 * (1 - alpha))):
        scored = [candidate for candidate in candidates if getattr(candidate, leg) > 0]
        scored.sort(key=lambda candidate: (-getattr(candidate, leg), candidate.row))
        for place, candidate in enumerate(scored, start=1):
            candidate.score += weight / (_RRF_K + place)


def _score_linear(candidates: Sequence[Candidate], alpha: float) -> None:
    cosines, lexicals = [candidate.cosine for candidate in candidates], [candidate.lexical for candidate in candidates]
    for candidate in candidates:
        lexical = _share(candidate.lexical, lexicals)
        candidate.score = alpha * _share(candidate.cosine, cosines) + (1.0 - alpha) * lexical


def _share(value: float, values: Sequence[float]) -> float:
    low, high = min(values), max(values)
    return (value - low) / (high - low) if high > low else 0.0
