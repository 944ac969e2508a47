"""Two legs → one order."""

from collections.abc import Sequence
from math import isclose

import pytest
import tantivy

from hub_index.errors import ConfigError
from hub_index.search.candidate import Candidate
from hub_index.search.options import SearchOptions, check_options
from hub_index.search.ranking import Ranking
from hub_index.search.ranking.fusion import evidence, fuse, rank
from hub_index.search.ranking.steps.diverse import diversify
from hub_index.search.ranking.steps.recency import favour_recent
from hub_index.service.several.federation import MergedHits

_NOWHERE = tantivy.DocAddress(0, 0)


def candidate(row: int, cosine: float = 0.0, lexical: float = 0.0, score: float = 0.0) -> Candidate:
    """A candidate with what each leg says."""
    made = Candidate(row, lexical, _NOWHERE)
    made.cosine, made.score = cosine, score
    return made


class ThreeDates(MergedHits):
    """Three candidates: of no date, a year before the last one, and the last one."""

    def list_days(self, candidates: Sequence[Candidate]) -> list[int]:
        return [0, 20250113, 20260101]


def rows(candidates: list[Candidate]) -> list[int]:
    """The rows in order."""
    return [candidate.row for candidate in candidates]


def test_the_default_adds_a_tempered_lexical_score() -> None:
    """cosine + 0.07 · lexical / ub^0.3 + bonus; a negative cosine counts as none."""
    word, other = candidate(0, -0.5, 10.0), candidate(1, 0.4)
    other.bonus = 0.1
    fuse([word, other], 32.0)
    assert isclose(word.score, 0.07 * 10 / 32**0.3, abs_tol=1e-6)
    assert isclose(other.score, 0.5, abs_tol=1e-6)


def test_linear_at_both_ends_is_one_leg_alone() -> None:
    """alpha is the weight of the semantic leg."""

    def found(alpha: float) -> list[int]:
        return rows(fuse([candidate(0, 0.9, 1.0), candidate(1, 0.1, 9.0)], 1.0, method="linear", alpha=alpha))

    assert found(1.0) == [0, 1]
    assert found(0.0) == [1, 0]


def test_ranks_count_only_what_a_leg_found() -> None:
    """In rrf a candidate that one leg did not find gets nothing from it."""
    both, near, word = candidate(0, 0.5, 5.0), candidate(1, 0.9), candidate(2, 0.0, 9.0)
    assert rows(fuse([both, near, word], 1.0, method="rrf"))[0] == 0
    assert near.score == word.score


@pytest.mark.parametrize(
    ("fusion", "alpha"), [("magic", None), ("linear", -0.1), ("rrf", 1.5), ("default", float("nan"))]
)
def test_nonsense_is_refused(fusion: str, alpha: float | None) -> None:
    """An unknown fusion or a weight outside 0 to 1."""
    with pytest.raises(ConfigError):
        check_options(SearchOptions("x", fusion=fusion, alpha=alpha))


def test_what_the_query_names_exactly_is_first_and_scores_fall() -> None:
    """An exact match is lifted to the best score, before it in order."""
    exact, better = candidate(5, score=0.1), candidate(1, score=0.9)
    exact.is_exact = True
    assert rows(rank([better, exact])) == [5, 1]
    assert exact.score == better.score


def test_evidence_without_a_lexical_leg_is_the_cosine() -> None:
    """A query without known words has no bound to divide by."""
    assert evidence(candidate(0, cosine=0.3), 0.0) == 0.3
    assert evidence(candidate(0, cosine=0.3, lexical=4.0), 1024.0) == pytest.approx(0.3 + 0.28 / 8)


def test_newer_wins_among_equals_and_an_undated_one_loses() -> None:
    """Up to 15 %, halved every half year, measured from the newest candidate and not from the clock."""
    dated = [candidate(row, score=1.0) for row in (0, 1, 2)]
    found = favour_recent(Ranking(dated, SearchOptions("x", recency=True), ThreeDates([]))).candidates
    assert rows(found) == [2, 1, 0]
    assert [candidate.score for candidate in found] == pytest.approx([1.15, 1.0375, 1.0])


def test_twins_are_spread() -> None:
    """After the best one, something else comes before its twin."""
    found = [candidate(0, score=1.0), candidate(1, score=0.99), candidate(2, score=0.7)]
    likeness = {frozenset((0, 1)): 1.0, frozenset((0, 2)): 0.0, frozenset((1, 2)): 0.0}
    chosen = diversify(found, lambda first, second: likeness[frozenset((first.row, second.row))], 3)
    assert rows(chosen) == [0, 2, 1]
