"""Hits of several hubs → one order: by score if the scores are comparable, else by rank. Pure arithmetic."""

from hub_index.search.fusion import fuse, rank
from hub_index.search.lexical.build import is_told_in_cjk, parse_day
from hub_index.search.lexical.tokens import has_cjk
from hub_index.search.ranking import Ranking, follow_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.record import Record
    from hub_index.search.answer import Found
    from hub_index.search.candidate import Candidate
    from hub_index.search.ranking import Likeness
    from hub_index.search.results import Hit
    from hub_index.service.requests import FindRequest

_RANK_OFFSET = 60  # as in the fusion of ranks; what counts here is that scores fall with the rank


class MergedHits:
    """The hits of several hubs as one ranking: a candidate's row is its place by id, then by the order of the hubs."""

    def __init__(self, answers: "Sequence[Found]") -> None:
        pairs = [pair for found in answers for pair in zip(found.results.hits, found.candidates, strict=True)]
        pairs.sort(key=lambda pair: pair[0].id)
        self._hits = [hit for hit, _ in pairs]
        self.candidates = [candidate for _, candidate in pairs]
        for row, candidate in enumerate(self.candidates):
            candidate.row = row

    def hit_of(self, candidate: "Candidate") -> "Hit":
        """The candidate's hit, with the score that it has among all hubs."""
        hit = self._hits[candidate.row]
        return hit.replace(score=candidate.score, reasons=hit.reasons.replace(presumed=candidate.presumed))

    def read_record(self, candidate: "Candidate") -> "Record":
        """The candidate's record."""
        return self._hits[candidate.row].record

    def name_hub(self, candidate: "Candidate") -> str:
        """The hub that the candidate is of."""
        return self._hits[candidate.row].hub

    def list_days(self, candidates: "Sequence[Candidate]") -> list[int]:
        """When each was last changed, as 20260131; 0 where nobody knows."""
        return [parse_day(self.read_record(candidate).updated_at) or 0 for candidate in candidates]

    def measure_likeness(self, candidates: "Sequence[Candidate]") -> "Likeness":
        """How many words two candidates share: the vectors are with their hubs."""
        from hub_index.search.ranking.steps.diverse import compare_words

        return compare_words(map(self.read_record, candidates), candidates)


def merge_by_score(answers: "Sequence[Found]", request: "FindRequest") -> "list[Hit]":
    """All hits, best first, after the same steps as those of one hub; what the query names exactly goes before."""
    merged = MergedHits(answers)
    if len(answers) > 1 and all(found.results.mode == "hybrid" for found in answers):
        _join_legs(merged, answers[0].results.upper_bound, request)
    ranking = follow_steps(Ranking(rank(merged.candidates), request, merged))
    return [merged.hit_of(candidate) for candidate in ranking.candidates]


def _join_legs(merged: MergedHits, upper_bound: float, request: "FindRequest") -> None:
    """Sets the scores that go by the candidates of all hubs: own fusions, and what is presumed for another script."""
    if request.is_own_fusion:
        fuse(merged.candidates, 0.0, **request.joining)
    elif not has_cjk(request.query):
        from hub_index.search.ranking.steps.cross_script import presume_words

        before = [candidate.presumed for candidate in merged.candidates]
        told = [is_told_in_cjk(merged.read_record(candidate)) for candidate in merged.candidates]
        presume_words(merged.candidates, told, upper_bound)
        for candidate, presumed in zip(merged.candidates, before, strict=True):
            candidate.score += candidate.presumed - presumed


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
