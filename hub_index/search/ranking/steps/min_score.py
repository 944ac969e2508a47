"""Candidates below the least score are left out."""

from hub_index.search.ranking import Ranking


def leave_out_low(ranking: Ranking) -> Ranking:
    """The candidates that score enough."""
    least = ranking.options.min_score or 0.0
    return ranking.replace(candidates=[hit for hit in ranking.candidates if hit.score >= least])
