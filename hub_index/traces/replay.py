"""Does learning help this user? Their own history, split by time: the earlier part teaches, the later part asks.

Each later search that ended in an accepted skill is repeated without experience and with each part of it. The accepted
skill had to be shown before, so the old order has the advantage: a gain found here is a careful one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from hub_index.limits import MAX_REPLAYED_SEARCHES
from hub_index.search.index import Index
from hub_index.search.measure.evaluate import DEPTH, score_answer
from hub_index.traces.learning import LearntExperience
from hub_index.traces.outcomes import Outcome
from hub_index.traces.verdict import PARTS, Verdict

LEAST_SEARCHES = 20  # accepted ones in all; fewer prove nothing
_TAUGHT = 0.7  # the share of the history that teaches
_CHOICES = (("memory",), ("prior",), PARTS)
_SURE = 2.0  # standard errors that a gain must reach before it is used


@dataclass(frozen=True, slots=True)
class Gain:
    """The change in nDCG@10 by one choice of parts, in points, and its standard error."""

    parts: tuple[str, ...]
    gain: float
    error: float

    @property
    def is_sure(self) -> bool:
        """Whether it is more than chance."""
        return self.gain > 0 and self.gain >= _SURE * self.error


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay: its teaching and asked searches, nDCG@10 without experience, and each choice's gain."""

    taught: int
    asked: int
    before: float
    gains: tuple[Gain, ...]

    def verdict(self, at: float) -> Verdict:
        """The best of the sure gains; no part if none is sure."""
        sure = [gain for gain in self.gains if gain.is_sure]
        if not sure:
            best = max(self.gains, key=lambda gain: gain.gain)
            return Verdict((), best.gain, best.error, self.asked, at)
        best = max(sure, key=lambda gain: gain.gain)
        return Verdict(best.parts, best.gain, best.error, self.asked, at)


def accepted_searches(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """The outcomes of each search that ended well, oldest search first."""
    by_search: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.at, outcome.search_id, outcome.skill)):
        if outcome.search_id:
            by_search.setdefault(outcome.search_id, []).append(outcome)
    return [
        outcomes_of_search
        for outcomes_of_search in by_search.values()
        if any(outcome.accepted for outcome in outcomes_of_search)
    ]


def replay(index: Index, outcomes: Sequence[Outcome], advance: Callable[[int, int], None] | None = None) -> Replay:
    """The gains on the user's own history, of LEAST_SEARCHES accepted searches or more. Raises as a search does."""
    searches = accepted_searches(outcomes)
    split = int(len(searches) * _TAUGHT)
    later = searches[split:][-MAX_REPLAYED_SEARCHES:]
    start_s = min(outcome.at for outcome in later[0])
    earlier = [outcome for outcome in outcomes if outcome.at < start_s]
    experiences = [LearntExperience(earlier, start_s, parts) for parts in _CHOICES]
    plain: list[float] = []
    changes: list[list[float]] = [[] for _ in _CHOICES]
    for done, search in enumerate(later, start=1):
        accepted = {outcome.skill for outcome in search if outcome.accepted}
        plain.append(_ask(index, search[0].query, accepted, None))
        for change, experience in zip(changes, experiences, strict=True):
            change.append(_ask(index, search[0].query, accepted, experience) - plain[-1])
        if advance is not None:
            advance(done, len(later))
    gains = [_gain(parts, change) for parts, change in zip(_CHOICES, changes, strict=True)]
    return Replay(split, len(later), 100 * sum(plain) / len(plain), tuple(gains))


def _ask(index: Index, query: str, accepted: set[str], experience: LearntExperience | None) -> float:
    """nDCG@10 of the answer, where what was accepted is right and nothing else is known to be."""
    hits = index.search(query, DEPTH, experience=experience).hits
    return score_answer([hit.id for hit in hits], dict.fromkeys(accepted, 1.0))["ndcg10"]


def _gain(parts: tuple[str, ...], changes: Sequence[float]) -> Gain:
    mean = sum(changes) / len(changes)
    spread = sum((change - mean) ** 2 for change in changes) / max(1, len(changes) - 1)
    return Gain(parts, 100 * mean, 100 * sqrt(spread / len(changes)))
