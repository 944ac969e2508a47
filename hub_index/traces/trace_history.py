"""Traces for display: the events in order of time, and their totals."""

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from hub_index.traces.database import database_path, has_traces, read_traces
from hub_index.traces.events import asked_id

_NAMES = ("session", "search_id", "hub", "query")


@dataclass(frozen=True, slots=True)
class SkillUse:
    """How often a skill was shown, when last, and its outcomes."""

    skill: str
    retrieval_count: int = 0
    last_retrieved_at: float | None = None
    accepts: int = 0
    rejects: int = 0

    @property
    def acceptance(self) -> float | None:
        """The share of good ones among its outcomes; None without outcomes."""
        outcomes = self.accepts + self.rejects
        return self.accepts / outcomes if outcomes else None


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of all traces."""

    searches: int
    sessions: int
    modes: dict[str, int]
    events: dict[str, int]
    first_at: float | None
    last_at: float | None
    accepted_searches: int
    mean_accepted_place: float | None  # where in the answer the accepted skills stood
    size_bytes: int


def read_events(folder: str, limit: int = -1) -> list[dict[str, object]]:
    """The last events, newest first, searches among them as kind `query`. Raises TracesUnusable."""
    if not has_traces(folder):
        return []
    with read_traces(folder) as connection:
        searches = "SELECT 'query' AS kind, search_id, session, at, hub, '' AS skill, 0 AS id FROM searches"
        others = "SELECT kind, search_id, session, at, hub, skill, id FROM events"
        rows = connection.execute(f"{searches} UNION ALL {others} ORDER BY at DESC, id DESC LIMIT ?", (limit,))
        return [_encode_event(connection, *row[:6]) for row in rows.fetchall()]


def _encode_event(  # noqa: PLR0913, PLR0917 - a row's columns
    connection: sqlite3.Connection, kind: str, search_id: str | None, session: str, at: float, hub: str, skill: str
) -> dict[str, object]:
    event: dict[str, object] = {"kind": kind, "search_id": search_id, "session": session, "at": at, "hub": hub}
    if kind != "query":
        return event | {"skill": skill}
    wanted = "SELECT query, mode, filters, revision FROM searches WHERE search_id = ?"
    query, mode, filters, revision = connection.execute(wanted, (search_id,)).fetchone()
    shown = connection.execute("SELECT skill, score FROM shown WHERE search_id = ? ORDER BY place", (search_id,))
    hits = [{"skill": id_, "score": score} for id_, score in shown]
    return event | {"query": query, "mode": mode, "filters": json.loads(filters), "revision": revision, "shown": hits}


def read_totals(folder: str) -> Totals:
    """The totals of all traces; a search of several hubs counts once. Raises TracesUnusable."""
    with read_traces(folder) as connection:
        connection.create_function("asked_id", 2, asked_id, deterministic=True)
        searches, first, last = connection.execute(
            "SELECT count(DISTINCT asked_id(search_id, hub)), min(at), max(at) FROM searches"
        ).fetchone()
        sessions = connection.execute(
            "SELECT count(*) FROM (SELECT session FROM searches UNION SELECT session FROM events)"
        ).fetchone()[0]
        accepted, place = connection.execute(
            "SELECT count(DISTINCT asked), avg(place) FROM (SELECT DISTINCT asked_id(search_id, hub) AS asked, place"
            " FROM events JOIN shown USING (search_id, skill) WHERE kind IN ('accept', 'use') AND id IN"
            " (SELECT max(id) FROM events WHERE kind IN ('accept', 'use', 'reject') GROUP BY search_id, skill))"
        ).fetchone()
        return Totals(
            searches=searches,
            sessions=sessions,
            modes=dict(
                _counts(
                    connection,
                    "SELECT mode, count(DISTINCT asked_id(search_id, hub)) FROM searches GROUP BY mode ORDER BY mode",
                )
            ),
            events=dict(_counts(connection, "SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind")),
            first_at=first,
            last_at=last,
            accepted_searches=accepted,
            mean_accepted_place=place,
            size_bytes=os.path.getsize(database_path(folder)),
        )


def read_skill_uses(folder: str, hub: str = "", skill: str = "", limit: int = -1) -> list[SkillUse]:
    """The skills that were shown most, of one hub or of all, or one skill alone. Raises TracesUnusable.

    As in learning, a search has one outcome for a skill, the last one: used and then accepted is accepted once.
    """
    if not has_traces(folder):
        return []
    with read_traces(folder) as connection:
        rows = connection.execute(
            "WITH outcomes AS (SELECT hub, skill, sum(kind IN ('accept', 'use')) AS accepts, sum(kind = 'reject') AS"
            " rejects FROM events WHERE id IN (SELECT max(id) FROM events WHERE kind IN ('accept', 'use', 'reject')"
            " GROUP BY hub, skill, coalesce(search_id, id)) GROUP BY hub, skill),"
            " retrieved AS (SELECT hub, skill, count(*) AS times, max(at) AS last FROM shown JOIN searches"
            " USING (search_id) GROUP BY hub, skill),"
            " either AS (SELECT hub, skill FROM outcomes UNION SELECT hub, skill FROM retrieved)"
            " SELECT skill, coalesce(times, 0), last, coalesce(accepts, 0), coalesce(rejects, 0) FROM either"
            " LEFT JOIN retrieved USING (hub, skill) LEFT JOIN outcomes USING (hub, skill)"
            " WHERE :hub IN (hub, '') AND :skill IN (skill, '') ORDER BY 2 DESC, skill LIMIT :limit",
            {"hub": hub, "skill": skill, "limit": limit},
        ).fetchall()
    return [SkillUse(*row) for row in rows]


def _counts(connection: sqlite3.Connection, statement: str) -> Iterator[tuple[str, int]]:
    yield from connection.execute(statement)


def export_events(folder: str, *, anonymous: bool) -> Iterator[dict[str, object]]:
    """The events, oldest first. Raises TracesUnusable."""
    numbers: dict[str, dict[object, int]] = {name: {} for name in _NAMES}
    for event in reversed(read_events(folder)):
        yield _anonymous(event, numbers) if anonymous else event


def _anonymous(event: dict[str, object], numbers: dict[str, dict[object, int]]) -> dict[str, object]:
    kept: dict[str, object] = {name: event[name] for name in ("kind", "skill", "mode", "shown") if name in event}
    moment = datetime.fromtimestamp(float(str(event["at"])), UTC)
    for name in _NAMES:
        if event.get(name) is not None:
            number_of = numbers[name]
            kept[name] = number_of.setdefault(event[name], len(number_of) + 1)
    return {"day": moment.date().isoformat(), **kept}
