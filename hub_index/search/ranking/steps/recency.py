"""What was updated lately is preferred; no clock is read."""

from hub_index.search.ranking import Ranking
from hub_index.search.ranking.fusion import rank

_HALF_LIFE_DAYS = 180


def favour_recent(ranking: Ranking) -> Ranking:
    """The candidates with a share of their score more for the newest, halved with every half year behind it."""
    candidates, weight = ranking.candidates, ranking.options.recency_weight
    days = [number_day(day) for day in ranking.facts.list_days(candidates)]
    newest = max(days, default=0)
    for candidate, day in zip(candidates, days, strict=True):
        if day:
            candidate.score *= 1.0 + weight * 0.5 ** ((newest - day) / _HALF_LIFE_DAYS)
    return ranking.replace(candidates=rank(candidates))


def number_day(day: int) -> int:
    """20260131 as a number of days, near enough: a month has 31 days here, a year 372; 0 stays 0."""
    return day // 10_000 * 372 + day // 100 % 100 * 31 + day % 100 if day else 0
