"""The lessons of outcomes: a memory of queries, and a prior for each skill. Pure arithmetic; no file is read here.

(a) Memory: outcomes of earlier queries vote, `k = max(0, (nearness − 0.3) / 0.7)²` each, and a skill is favoured by
    `0.45 · Σ ±k / (0.3 + Σ k)` of the best score. Nearness is the cosine of the two queries' vectors, or, where one has
    none, the share of words that they have in common.
(b) Prior: `0.04 · confidence · exp(−decay · days since reinforced)`, confidence = (a − r)/(a + r + 2) from accepts and
    rejects. Being at most a twenty-fifth of the best score, it never lifts a skill over a clearly better match.

An outcome's vote fades by the same `exp(−decay · days)`. Chosen once for both sets of `python -m benchmarks.learning`.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import exp

from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_FAVOURED_SKILLS
from hub_index.search.ranking.steps.experience import Favours
from hub_index.traces.outcomes import Outcome
from hub_index.traces.retention import DAY_S
from hub_index.traces.verdict import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.semantic.semantic import Vectors

DECAY = 0.005  # a day: half after 139 days, a sixth after a year
MAX_PRIOR = 0.04
_MEMORY = 0.45
_NEAR = 0.3  # queries less alike than this say nothing about each other
_DOUBT = 0.3  # one vote of a query that is the same counts three quarters


class SkillConfidence(FrozenValue):
    """The outcomes of one skill and the days since the last one."""

    accepts: int
    rejects: int
    days: float

    @property
    def confidence(self) -> float:
        """From −1 (always rejected) to 1; two imaginary outcomes, one of each kind, keep a single one from deciding."""
        return (self.accepts - self.rejects) / (self.accepts + self.rejects + 2)

    @property
    def faded(self) -> float:
        """The confidence, faded since it was last reinforced."""
        return self.confidence * fading(self.days)


def fading(days: float) -> float:
    """The share of an outcome's vote that is left after `days`."""
    return exp(-DECAY * max(0.0, days))


class LearntExperience:
    """The outcomes of one hub as search takes them; `parts` says which of memory and prior are used."""

    def __init__(self, outcomes: Sequence[Outcome], now_s: float, parts: Iterable[str] = PARTS) -> None:
        self._parts = frozenset(parts)
        self._now_s = now_s
        self._outcomes = [outcome for outcome in outcomes if outcome.words or outcome.vector]
        self.skills = weigh_skills(outcomes, now_s)
        earned = {skill: MAX_PRIOR * confidence.faded for skill, confidence in self.skills.items()}
        self._earned = _strongest(earned if "prior" in self._parts else {}, MAX_FAVOURED_SKILLS)
        self._matrices: dict[str, tuple[list[Outcome], Vectors]] = {}

    def favour(self, words: frozenset[str], vector: "Vectors | None", space: str) -> Favours:
        """The favours of the outcomes for a query."""
        remembered = self._remember(words, vector, space) if "memory" in self._parts else {}
        return Favours(_strongest(remembered, MAX_FAVOURED_SKILLS), self._earned)

    def confidences(self) -> Mapping[str, float]:
        """From 0 to 1 and faded, as `search --scoring cortex` multiplies with: the share of accepts, one in hand."""
        return {
            skill: (confidence.accepts + 1) / (confidence.accepts + confidence.rejects + 1) * fading(confidence.days)
            for skill, confidence in self.skills.items()
        }

    def _remember(self, words: frozenset[str], vector: "Vectors | None", space: str) -> dict[str, float]:
        votes: dict[str, float] = {}
        total = _DOUBT
        for outcome, nearness in self._near(words, vector, space):
            weight = ((nearness - _NEAR) / (1 - _NEAR)) ** 2 * fading((self._now_s - outcome.at) / DAY_S)
            total += weight
            votes[outcome.skill] = votes.get(outcome.skill, 0.0) + (weight if outcome.accepted else -weight)
        return {skill: _MEMORY * weight / total for skill, weight in votes.items()}

    def _near(self, words: frozenset[str], vector: "Vectors | None", space: str) -> Iterable[tuple[Outcome, float]]:
        """The outcomes of queries that are like this one, and how much."""
        for outcome in self._outcomes:
            if vector is None or outcome.vector is None or outcome.vector.space != space:
                nearness = _overlap(words, outcome.words)
                if nearness > _NEAR:
                    yield outcome, nearness
        if vector is None:
            return
        outcomes, matrix = self._matrix(space, len(vector))
        if outcomes:
            cosines = matrix @ vector
            for place in (cosines > _NEAR).nonzero()[0].tolist():
                yield outcomes[place], min(1.0, float(cosines[place]))

    def _matrix(self, space: str, dim: int) -> "tuple[list[Outcome], Vectors]":
        if space not in self._matrices:
            import numpy as np

            size = dim * 4
            remembered = [it for it in self._outcomes if it.vector and it.vector.space == space]
            remembered = [it for it in remembered if it.vector and len(it.vector.values) == size]
            rows = [np.frombuffer(it.vector.values, dtype="<f4") for it in remembered if it.vector]
            self._matrices[space] = (remembered, np.stack(rows) if rows else np.zeros((0, dim), dtype=np.float32))
        return self._matrices[space]


def weigh_skills(outcomes: Iterable[Outcome], now_s: float) -> dict[str, SkillConfidence]:
    """Accepts, rejects and the days since the last of them, for each skill with outcomes."""
    counts: dict[str, list[float]] = {}
    for outcome in outcomes:
        count = counts.setdefault(outcome.skill, [0, 0, 0.0])
        count[0 if outcome.accepted else 1] += 1
        count[2] = max(count[2], outcome.at)
    return {
        skill: SkillConfidence(int(accepts), int(rejects), max(0.0, (now_s - last) / DAY_S))
        for skill, (accepts, rejects, last) in counts.items()
    }


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _strongest(favours: Mapping[str, float], count: int) -> Mapping[str, float]:
    if len(favours) <= count:
        return favours
    best = sorted(favours, key=lambda skill: (-abs(favours[skill]), skill))[:count]
    return {skill: favours[skill] for skill in best}
