"""The limits of traces: by age, and by the size of the file."""

import os
import sqlite3

from hub_index.errors import TracesUnusable
from hub_index.limits import MAX_TRACE_DAYS, MAX_TRACES_BYTES
from hub_index.traces.database import has_traces, open_traces, own_files, vacuum
from hub_index.traces.verdict import forget_verdicts

DAY_S = 86_400
_SHARE_DROPPED = 10  # a tenth of the searches at once, so that this is rare


def drop_old(connection: sqlite3.Connection, now_s: float, max_bytes: int = MAX_TRACES_BYTES) -> None:
    """Drops what is too old, and the oldest tenth where the file has grown too large."""
    drop_before(connection, now_s - MAX_TRACE_DAYS * DAY_S)
    pages, free, size = (
        int(connection.execute(f"PRAGMA {what}").fetchone()[0])
        for what in ("page_count", "freelist_count", "page_size")
    )
    if (pages - free) * size <= max_bytes:
        return
    count = int(connection.execute("SELECT count(*) FROM searches").fetchone()[0])
    limit = connection.execute(
        "SELECT at FROM searches ORDER BY at LIMIT 1 OFFSET ?", (min(count - 1, count // _SHARE_DROPPED + 1),)
    ).fetchone()
    if limit is not None:
        drop_before(connection, limit[0])


def drop_before(connection: sqlite3.Connection, at: float) -> int:
    """The number of dropped searches and events, which are older than this moment."""
    searches = connection.execute("DELETE FROM searches WHERE at < ?", (at,)).rowcount
    events = connection.execute("DELETE FROM events WHERE at < ?", (at,)).rowcount
    if searches or events:
        connection.execute("PRAGMA incremental_vacuum").fetchall()
    return searches + events


def forget_before(folder: str, at: float) -> int:
    """The number of removed searches and events, which were older. Raises TracesUnusable."""
    if not has_traces(folder):
        return 0
    with open_traces(folder) as connection:
        dropped = drop_before(connection, at)
    vacuum(folder)
    return dropped


def forget_queries(folder: str, text: str) -> int:
    """The number of removed searches with this text in their query, in any case, together with their events."""
    if not has_traces(folder):
        return 0
    wanted = text.casefold()
    with open_traces(folder) as connection:
        searches = connection.execute("SELECT search_id, query FROM searches").fetchall()
        matching = [(search_id,) for search_id, query in searches if wanted in query.casefold()]
        connection.executemany("DELETE FROM searches WHERE search_id = ?", matching)
    vacuum(folder)
    return len(matching)


def forget_all(folder: str) -> int:
    """The number of removed files: the database, leftovers of damage, and a replay's verdict."""
    files = own_files(folder)
    try:
        for path in files:
            os.unlink(path)
    except OSError as error:
        raise TracesUnusable(f"traces: {error.filename}: {error.strerror}; check its rights") from error
    return len(files) + forget_verdicts(folder)
