"""Hits of several hubs → one order: by score if the scores are comparable, else by rank. Pure arithmetic."""

from hub_index.search.fusion import diversify, favour_recent, fuse
from hub_index.search.lexical.build import is_told_in_cjk
from hub_index.search.lexical.tokens import has_cjk
from hub_index.search.other_script import presume_words
from hub_index.service.hit_candidate import make_candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.candidate import Candidate
    from hub_index.search.results import Hit, Results
    from hub_index.service.requests import FindRequest

_RANK_OFFSET = 60  # as in the fusion of ranks; what counts here is that scores fall with the rank


def merge_by_score(answers: "Sequence[Results]", request: "FindRequest") -> "list[Hit]":
    """All hits, best first; what the query names exactly goes before, with the best score."""
    hits = [hit for results in answers for hit in results.hits]
    if len(answers) > 1 and (request.fusion != "default" or request.alpha is not None):
        hits = _fused(hits, request)
    elif len(answers) > 1 and answers[0].mode == "hybrid" and not has_cjk(answers[0].query):
        hits = _presumed(hits, answers[0].upper_bound)
    if request.recency:
        hits = _recent_first(hits, request.recency_weight)
    if request.min_score is not None:
        hits = [hit for hit in hits if hit.score >= request.min_score]
    top = max([hit.score for hit in hits], default=0.0)
    hits = [hit.replace(score=top) if hit.reasons.is_exact else hit for hit in hits]
    hits.sort(key=lambda hit: (not hit.reasons.is_exact, -hit.score, hit.id))  # stable: then by the order of the hubs
    return _diverse(hits, request.k) if request.diverse else hits


def merge_by_rank(groups: "Sequence[Sequence[Hit]]") -> "list[Hit]":
    """The first of each group, then the second of each, and so on; weak hits after all others.

    Among hits of equal place the better match by words comes first: words weigh alike in all hubs that are searched
    together.
    """
    placed = [(place, hit) for group in groups for place, hit in enumerate(group)]
    placed.sort(key=_by_place)  # stable: then by the order of the hubs
    return [hit.replace(score=round(1.0 / (_RANK_OFFSET + rank), 6)) for rank, (_, hit) in enumerate(placed, start=1)]


def _by_place(placed: "tuple[int, Hit]") -> tuple[bool, bool, int, float]:
    place, hit = placed
    return not hit.reasons.is_exact, hit.weak, place, -(hit.reasons.lexical or 0.0)


def _candidates(hits: "Sequence[Hit]") -> "list[Candidate]":
    return [make_candidate(hit, row) for row, hit in enumerate(hits)]


def _in_order(hits: "Sequence[Hit]", candidates: "Sequence[Candidate]") -> "list[Hit]":
    return [hits[candidate.row].replace(score=candidate.score) for candidate in candidates]


def _fused(hits: "list[Hit]", request: "FindRequest") -> "list[Hit]":
    if not hits or any(hit.reasons.cosine is None or hit.reasons.lexical is None for hit in hits):
        return hits  # one leg alone: there is nothing to fuse
    hits = sorted(hits, key=lambda hit: hit.id)
    return _in_order(hits, fuse(_candidates(hits), 0.0, method=request.fusion, alpha=request.alpha))


def _presumed(hits: "list[Hit]", upper_bound: float) -> "list[Hit]":
    """The hits with a presumed part from the candidates of all hubs: a hub of one script has none to go by."""
    candidates = _candidates(hits)
    presume_words(candidates, [is_told_in_cjk(hit.record) for hit in hits], upper_bound)
    return [
        hit.replace(
            score=round(hit.score - hit.reasons.presumed + candidate.presumed, 6),
            reasons=hit.reasons.replace(presumed=candidate.presumed),
        )
        for hit, candidate in zip(hits, candidates, strict=True)
    ]


def _recent_first(hits: "list[Hit]", weight: float) -> "list[Hit]":
    from hub_index.search.lexical.build import parse_day

    dates = {row: parse_day(hit.updated_at) or 0 for row, hit in enumerate(hits)}
    return _in_order(hits, favour_recent(_candidates(hits), dates, weight))


def _diverse(hits: "list[Hit]", k: int) -> "list[Hit]":
    from hub_index.search.likeness import compare_words

    likeness = compare_words({row: f"{hit.name} {hit.description}" for row, hit in enumerate(hits)})
    return _in_order(hits, diversify(_candidates(hits), likeness, 2 * k))
