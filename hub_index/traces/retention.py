"""The limits of traces: by age, and by the size of the file."""

import sqlite3

from hub_index.limits import MAX_TRACE_DAYS, MAX_TRACES_BYTES

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
