"""The accepted and rejected skills of one hub, newest first: the input of learning."""

import sqlite3

from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_LEARNT_EVENTS
from hub_index.search.results import QueryVector
from hub_index.traces.database import has_traces, read_traces
from hub_index.traces.events import ACCEPTED


class Outcome(FrozenValue):
    """An accepted or rejected skill; without words if no search led to it."""

    skill: str
    accepted: bool
    at: float
    search_id: str = ""
    query: str = ""
    words: frozenset[str] = frozenset()
    vector: QueryVector | None = None


def read_outcomes(folder: str, hub: str) -> list[Outcome]:
    """The last outcome of each skill of each search, and those without a search. Raises TracesUnusable."""
    if not has_traces(folder):
        return []
    with read_traces(folder) as connection:
        rows = connection.execute(
            "SELECT e.skill, e.kind, e.at, e.search_id, s.query, s.words, s.space, s.vector FROM events e"
            " LEFT JOIN searches s USING (search_id) WHERE e.hub = ? AND e.kind IN ('accept', 'use', 'reject')"
            " ORDER BY e.at DESC, e.id DESC LIMIT ?",
            (hub, MAX_LEARNT_EVENTS),
        ).fetchall()
    seen: set[tuple[str, str]] = set()
    outcomes = []
    for row in rows:
        outcome = _outcome(row)
        key = (outcome.search_id, outcome.skill)
        if not outcome.search_id or key not in seen:
            seen.add(key)
            outcomes.append(outcome)
    return outcomes


def _outcome(row: "sqlite3.Row") -> Outcome:
    skill, kind, at, search_id, query, words, space, vector = row
    return Outcome(
        skill=skill,
        accepted=kind in ACCEPTED,
        at=at,
        search_id=search_id or "",
        query=query or "",
        words=frozenset((words or "").split()),
        vector=QueryVector(space, vector) if space and vector else None,
    )
