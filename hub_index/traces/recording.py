"""Writing traces: a search after its answer is out, and the outcomes of its skills. Every door calls `record_use`."""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from math import inf

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, TracesUnusable
from hub_index.hub.config import DEFAULT_ROOT
from hub_index.limits import (
    MAX_MANIFEST_BYTES,
    MAX_MANIFEST_TEXT_CHARS,
    MAX_QUERY_CHARS,
    MAX_TRACE_ID_CHARS,
    MAX_TRACED_HITS,
)
from hub_index.search.checkout.git_head import read_head
from hub_index.search.index import Index
from hub_index.search.places.verified_records import MANIFEST
from hub_index.search.query.query import count_terms, parse_query
from hub_index.search.results import Results
from hub_index.traces.database import has_traces, open_traces, read_traces
from hub_index.traces.events import OUTCOMES, Event, SearchTrace, ShownSkill, UsedSkill, id_in_hub
from hub_index.traces.retention import drop_old

SESSION_S = 30 * 60
_RETURN_S = 60  # a search this soon after opening a skill means that the skill did not fit


def describe_search(index: Index, results: Results, options: dict[str, object], *, session: str = "") -> SearchTrace:
    """The trace of an answer; `options` are the search's options that differ from their defaults."""
    parsed = parse_query(results.query)
    filters = [f"{item.field}:{item.text}" for group in parsed.filters for items in group for item in items]
    return SearchTrace(
        search_id=results.search_id,
        at=time.time(),
        hub=identify_hub(index),
        revision=read_revision(index, results.index_dir),
        query=results.query[:MAX_QUERY_CHARS],
        words=tuple(count_terms(parsed.text)),
        mode=results.mode,
        filters={**options, "filters": filters} if filters else options,
        shown=tuple(
            ShownSkill(hit.id, hit.score, place) for place, hit in enumerate(results.hits[:MAX_TRACED_HITS], start=1)
        )
        + tuple(shown for _, shown in _copies_of(results)),
        vector=results.query_vector,
        session=session[:MAX_TRACE_ID_CHARS],
    )


def describe_searches(indexes: Mapping[str, Index], results: Results, options: dict[str, object]) -> list[SearchTrace]:
    """The traces of an answer: one for each hub, by name, that has shown a skill, since outcomes belong to a hub."""
    if len(indexes) == 1:
        return [describe_search(index, results, options) for index in indexes.values()]
    traces = []
    for name, index in indexes.items():
        shown = tuple(_shown_of(name, results))
        if shown:
            trace = describe_search(index, results, options)
            traces.append(trace.replace(search_id=id_in_hub(trace.search_id, trace.hub), shown=shown))
    return traces


def _shown_of(hub: str, results: Results) -> Iterator[ShownSkill]:
    """The skills of one hub among the hits, those in `also_in` included."""
    for place, hit in enumerate(results.hits[:MAX_TRACED_HITS], start=1):
        skills = [(hit.hub, hit.id), *((other.hub, other.id) for other in hit.also_in)]
        yield from (ShownSkill(skill, hit.score, place) for named, skill in skills if named == hub)
    yield from (shown for named, shown in _copies_of(results) if named == hub)


def _copies_of(results: Results) -> Iterator[tuple[str, ShownSkill]]:
    """The near copies that hits name, each with its hub: a use of one counts as well. Their places are after all."""
    copies = [(hit, copy) for hit in results.hits for copy in hit.also_like]
    for place, (hit, copy) in enumerate(copies, start=len(results.hits) + 1):
        if place <= MAX_TRACED_HITS:
            yield copy.hub, ShownSkill(copy.id, hit.score, place)


def record_search(folder: str, trace: SearchTrace) -> None:
    """Keeps the trace; old ones make room. Raises TracesUnusable."""
    with open_traces(folder) as connection:
        session = trace.session or find_session(connection, trace.at)
        note_return(connection, session, trace.at)
        vector = trace.vector
        connection.execute(
            "INSERT INTO searches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(trace.search_id, session, trace.at, trace.hub, trace.revision, trace.query, " ".join(trace.words)),
                *(trace.mode, json.dumps(trace.filters, ensure_ascii=False)),
                *(vector.space if vector else "", vector.values if vector else b""),
            ),
        )
        rows = [(trace.search_id, hit.place, hit.skill, hit.score) for hit in trace.shown]
        connection.executemany("INSERT INTO shown VALUES (?, ?, ?, ?)", rows)
        drop_old(connection, trace.at)


def record_searches(folder: str, indexes: Mapping[str, Index], results: Results, options: dict[str, object]) -> None:
    """Keeps the traces of an answer. Raises TracesUnusable."""
    for trace in describe_searches(indexes, results, options):
        record_search(folder, trace)


def try_to_record(record: Callable[[], object]) -> str:
    """A note for the user if a trace could not be written, else empty. The answer is out already."""
    try:
        record()
    except TracesUnusable as error:
        return f"note: not recorded: {error}"
    return ""


def record_use(
    folder: str, places: Sequence[UsedSkill], outcome: str = "use", *, search_id: str = "", session: str = ""
) -> Event:
    """Records the outcome of a skill and gives back the event, with the search that it belongs to.

    A skill that is the same in several hubs counts in the hub of the search that has shown it. Without a search_id that
    is the last search of the hub that has shown it, not longer ago than a session lasts; there may be none. Raises
    ConfigError for an unknown outcome or search, TracesUnusable.
    """
    if outcome not in OUTCOMES:
        raise ConfigError(f"there is no outcome {outcome!r}; choose one of {', '.join(OUTCOMES)}")
    now = time.time()
    return _record_event(folder, [Event(outcome, used.skill, now, used.hub, search_id, session) for used in places])


def find_elsewhere(folder: str, named: str, open_hubs: Collection[str], *, search_id: str = "") -> UsedSkill | None:
    """The skill, named by id or path, where the last search that has shown it was of a hub that is not open.

    With a search_id that search alone; else not longer ago than a session lasts. Raises TracesUnusable.
    """
    if not has_traces(folder):
        return None
    skill = named.strip("/")
    skills = skill, skill.removeprefix(f"{DEFAULT_ROOT}/")
    since = inf if search_id else time.time() - SESSION_S
    with read_traces(folder) as connection:
        shown = connection.execute(
            "SELECT hub, skill FROM searches JOIN shown USING (search_id) WHERE skill IN (?, ?)"
            " AND (at >= ? OR search_id IN (?, ? || '-' || hub)) ORDER BY at DESC",
            (*skills, since, search_id, search_id),
        ).fetchall()
    rows = shown if search_id else shown[:1]
    is_open = any(hub in open_hubs for hub, _ in rows)
    return UsedSkill(*map(str, rows[0])) if rows and not is_open else None


def record_open(folder: str, hub: str, skill: str, *, session: str = "") -> Event:
    """Records that a skill was looked at. Raises TracesUnusable."""
    return _record_event(folder, [Event("open", skill, time.time(), hub, session=session)])


def _record_event(folder: str, candidates: Sequence[Event]) -> Event:
    """Keeps the first of these events that a search belongs to, else the first."""
    with open_traces(folder) as connection:
        event = _choose_event(connection, candidates)
        session = event.session[:MAX_TRACE_ID_CHARS] or find_session(connection, event.at)
        event = event.replace(session=session)
        connection.execute(
            "INSERT INTO events (search_id, session, at, hub, kind, skill) VALUES (?, ?, ?, ?, ?, ?)",
            (event.search_id or None, event.session, event.at, event.hub, event.kind, event.skill),
        )
    return event


def _choose_event(connection: sqlite3.Connection, candidates: Sequence[Event]) -> Event:
    refusal: ConfigError | None = None
    for event in candidates:
        try:
            search_id = _find_search(connection, event)
        except ConfigError as error:
            refusal = refusal or error
            continue
        if search_id:
            return event.replace(search_id=search_id)
    if refusal is not None:
        raise refusal
    return candidates[0]


def _check_shown(connection: sqlite3.Connection, search_id: str, skill: str) -> None:
    """Raises ConfigError if the search has not shown the skill; of a very long answer only the first are known."""
    shown = [row[0] for row in connection.execute("SELECT skill FROM shown WHERE search_id = ?", (search_id,))]
    if skill not in shown and len(shown) < MAX_TRACED_HITS:
        raise ConfigError(
            f"that search has not shown {quote_line(skill)}, so nothing is learnt from it; name one that it has"
        )


def _find_search(connection: sqlite3.Connection, event: Event) -> str:
    if event.search_id:
        named = connection.execute(
            "SELECT search_id FROM searches WHERE search_id IN (?, ?) AND hub = ?",
            (event.search_id, id_in_hub(event.search_id, event.hub), event.hub),
        ).fetchone()
        if named is None:
            raise ConfigError("there is no recorded search of that id in this hub; `hub-index traces show` lists them")
        _check_shown(connection, named[0], event.skill)
        return str(named[0])
    row = connection.execute(
        "SELECT search_id FROM searches JOIN shown USING (search_id) WHERE skill = ? AND hub = ? AND at >= ?"
        " ORDER BY at DESC LIMIT 1",
        (event.skill, event.hub, event.at - SESSION_S),
    ).fetchone()
    return str(row[0]) if row else ""


def find_session(connection: sqlite3.Connection, at: float) -> str:
    """The session of the last event where that is not long ago, else a new one: a number drawn at random."""
    last = connection.execute(
        "SELECT session, at FROM (SELECT session, at FROM searches UNION ALL SELECT session, at FROM events)"
        " ORDER BY at DESC LIMIT 1"
    ).fetchone()
    if last is not None and abs(at - last[1]) < SESSION_S:
        return str(last[0])
    return os.urandom(6).hex()


def note_return(connection: sqlite3.Connection, session: str, at: float) -> None:
    """Records a quick return: a search soon after the session's last event, an opened skill."""
    last = connection.execute(
        "SELECT search_id, hub, kind, skill, at FROM events WHERE session = ? ORDER BY at DESC, id DESC LIMIT 1",
        (session,),
    ).fetchone()
    if last is None or last[2] != "open" or not 0 <= at - last[4] <= _RETURN_S:
        return
    connection.execute(
        "INSERT INTO events (search_id, session, at, hub, kind, skill) VALUES (?, ?, ?, ?, 'return', ?)",
        (last[0], session, at, last[1], last[3]),
    )


def identify_hub(index: Index) -> str:
    """The same text for the same checkout, or index folder; skills of one id in two hubs stay apart."""
    place = index.reader.hub or index.reader.places[-1].index_dir
    return sha256(os.fsencode(os.path.realpath(place))).hexdigest()[:16]


def read_revision(index: Index, index_dir: str) -> str:
    """The commit of the answer's index, else that of the checkout; empty if neither is known."""
    if index_dir:
        try:
            manifest = json.loads(index.reader.folder_of(index_dir).read(MANIFEST, MAX_MANIFEST_BYTES))
            return str(manifest["hub_revision"])[:MAX_MANIFEST_TEXT_CHARS]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return ""
    return read_head(index.reader.hub) if index.reader.hub else ""
