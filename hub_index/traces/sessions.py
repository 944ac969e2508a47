"""The searches of one session: those less than half an hour apart, unless a door names its own sessions."""

import os
import sqlite3

SESSION_S = 30 * 60
_RETURN_S = 60  # a search this soon after opening a skill means that the skill did not fit


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
