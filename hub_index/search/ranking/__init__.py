"""`Ranking`: candidates in order, and the way through the steps, the same for one hub and for several."""

from hub_index.frozen import FrozenValue
from hub_index.search.options import STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from hub_index.record import Record
    from hub_index.search.candidate import Candidate
    from hub_index.search.options import SearchOptions
    from hub_index.search.ranking.steps.experience import RowFavours
    from hub_index.search.results import RerankNote
    from hub_index.search.semantic.semantic import VectorScan

    Likeness = Callable[[Candidate, Candidate], float]

    class CandidateFacts(Protocol):
        """What a step may ask about candidates: an engine answers of one hub, the merged hits of several."""

        @property
        def scan(self) -> VectorScan | None:
            """The vectors of the candidates' rows, where they are at hand."""

        def read_record(self, candidate: Candidate) -> Record:
            """The candidate's record."""

        def name_hub(self, candidate: Candidate) -> str:
            """The hub that the candidate is of; empty where there is but one."""

        def list_days(self, candidates: Sequence[Candidate]) -> Sequence[int]:
            """When each was last changed, as 20260131; 0 where nobody knows."""

        def measure_likeness(self, candidates: Sequence[Candidate]) -> Likeness:
            """A function that says how much any two of them are alike, up to 1."""


class Ranking(FrozenValue):
    """Candidates in order, and what a step may look at."""

    candidates: "list[Candidate]"
    options: "SearchOptions"
    facts: "CandidateFacts"
    upper_bound: float = 0.0  # the most that the query's words could score
    text: str = ""  # the query, without its filters
    meaning: str = ""  # what of it is embedded
    favours: "RowFavours | None" = None  # what was learnt, by row
    note: "RerankNote | None" = None


def follow_steps(ranking: Ranking) -> Ranking:
    """The ranking after all steps that its options ask for, in their order."""
    for name in STEPS:
        value = getattr(ranking.options, name)
        if value is not None and value is not False and value != "":
            ranking = _find_step(name)(ranking)
    return ranking


def _find_step(name: str) -> "Callable[[Ranking], Ranking]":
    if name == "fold":
        from hub_index.search.ranking.steps.fold import fold_copies

        return fold_copies
    from hub_index.search.ranking.steps.step_table import FUNCTIONS

    return FUNCTIONS[name]
