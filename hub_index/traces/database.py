"""The one file of traces: SQLite in the user's state folder, for its owner alone; opened anew for each piece of work.

It is open for milliseconds, so a writer waits a moment and then gives up: no answer depends on it. A damaged file is
set aside with a notice, and the next piece of work begins another. Forgotten traces are overwritten, not only unlinked
from their table.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import quote

from hub_index.base.file_permissions import make_private_folder, who_else_may_write
from hub_index.base.locks import Lock
from hub_index.errors import TracesUnusable

PATIENCE_S = 0.2  # for another writer, after the answer; a write takes some 5 ms
_NAME = "traces.sqlite"
_ASIDE = tuple([f"{_NAME}.damaged{ending}" for ending in ("", "-2", "-3")])  # each up to 64 MB
_VERSION = 1
_SCHEMA = f"""
CREATE TABLE searches (
    search_id TEXT PRIMARY KEY, session TEXT NOT NULL, at REAL NOT NULL, hub TEXT NOT NULL, revision TEXT NOT NULL,
    query TEXT NOT NULL, words TEXT NOT NULL, mode TEXT NOT NULL, filters TEXT NOT NULL, space TEXT NOT NULL,
    vector BLOB NOT NULL);
CREATE INDEX searches_at ON searches (at);
CREATE TABLE shown (
    search_id TEXT NOT NULL REFERENCES searches ON DELETE CASCADE, place INTEGER NOT NULL, skill TEXT NOT NULL,
    score REAL NOT NULL, PRIMARY KEY (search_id, place)) WITHOUT ROWID;
CREATE INDEX shown_skill ON shown (skill);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, search_id TEXT REFERENCES searches ON DELETE CASCADE, session TEXT NOT NULL,
    at REAL NOT NULL, hub TEXT NOT NULL, kind TEXT NOT NULL, skill TEXT NOT NULL);
CREATE INDEX events_at ON events (at);
CREATE INDEX events_search ON events (search_id);
PRAGMA user_version = {_VERSION};
"""
_TABLES = {"searches", "shown", "events"}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PRIMARY_CODE = 0xFF  # the rest of an error's number says how it came about


def database_path(folder: str) -> str:
    """Where a state folder's traces are."""
    return os.path.join(folder, _NAME)


def has_traces(folder: str) -> bool:
    """Whether anything was ever recorded there."""
    return os.path.exists(database_path(folder))


def own_files(folder: str) -> list[str]:
    """Every file that may hold something of a trace: the database, its journals, and damaged ones."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(os.path.join(folder, name) for name in names if name.startswith(_NAME))


@contextmanager
def open_traces(folder: str, *, patience_s: float = PATIENCE_S) -> Iterator[sqlite3.Connection]:
    """The database inside a transaction that is kept if the block ends well. Raises TracesUnusable."""
    path = database_path(folder)
    try:
        with closing(_open_sound(folder, path, patience_s)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        if _is_damaged(error) and (aside := _set_aside(folder, path)):
            what = f"it was damaged and is now {aside}; what comes next is recorded in a new file"
            raise TracesUnusable(f"traces: {path}: {what}") from error
        raise _unusable(path, error) from error
    except OSError as error:
        raise TracesUnusable(f"traces: {path}: {error.strerror}; check the folder and its rights") from error


@contextmanager
def read_traces(folder: str, *, patience_s: float = PATIENCE_S) -> Iterator[sqlite3.Connection]:
    """The database for reading; call it only if it exists. Raises TracesUnusable."""
    path = database_path(folder)
    try:
        _check_private(folder, path)
        with closing(_connect(path, patience_s)) as connection:
            _check_version(connection, path)
            yield connection
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    except OSError as error:
        raise TracesUnusable(f"traces: {path}: {error.strerror}; check the folder and its rights") from error


def vacuum(folder: str) -> None:
    """Writes the file anew without the room that forgotten rows took. Raises TracesUnusable."""
    path = database_path(folder)
    try:
        with closing(_connect(path, PATIENCE_S)) as connection:
            connection.execute("VACUUM")
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def _open_sound(folder: str, path: str, patience_s: float) -> sqlite3.Connection:
    """A connection to a file of ours with our tables."""
    make_private_folder(folder)
    if os.path.exists(path):
        _check_private(folder, path)
    _make_file(folder, path)
    connection = _connect(path, patience_s)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: str, patience_s: float) -> sqlite3.Connection:
    address = f"file:{quote(os.path.abspath(path))}?mode=rw"
    connection = sqlite3.connect(address, uri=True, timeout=patience_s, isolation_level=None)
    for setting in ("secure_delete = ON", "foreign_keys = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    if _check_version(connection, path) == _VERSION:
        return
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before the first table, so that old traces free room
    connection.execute("BEGIN IMMEDIATE")
    if _check_version(connection, path) != _VERSION:  # another process may have been first
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
    connection.execute("COMMIT")


def _check_version(connection: sqlite3.Connection, path: str) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > _VERSION:
        raise TracesUnusable(f"traces: {path} was written by a newer hub-index; update this one")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if version and not tables >= _TABLES:
        error = sqlite3.DatabaseError("tables are missing")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    return version


def _make_file(folder: str, path: str) -> None:
    """Makes an empty private file if there is none yet. Raises TracesUnusable if others could change it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077 and status.st_uid == os.geteuid():
            os.fchmod(handle, 0o600)
    finally:
        os.close(handle)
    _check_private(folder, path)


def _check_private(folder: str, path: str) -> None:
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise TracesUnusable(f"traces: {path} is not a file; move it away")
    for place in (folder, path):
        if why := who_else_may_write(place):
            raise TracesUnusable(f"traces: {place}: {why}; make it yours alone (chmod go-rwx), or move it away")


def _is_damaged(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _DAMAGED


def _set_aside(folder: str, path: str) -> str:
    """Moves a damaged file out of the way, and its new name; empty if another process does, or the disk refuses."""
    try:
        before = os.stat(path).st_ino
        with Lock(folder, on_folder=True) as lock:
            if not lock.take(PATIENCE_S) or os.stat(path).st_ino != before:
                return ""
            free = [name for name in _ASIDE if not os.path.lexists(os.path.join(folder, name))]
            aside = free[0] if free else _ASIDE[-1]
            os.replace(path, os.path.join(folder, aside))
            for ending in ("-journal", "-wal", "-shm"):
                if os.path.exists(path + ending):
                    os.unlink(path + ending)
    except OSError:
        return ""
    return aside


def _unusable(path: str, error: sqlite3.Error) -> TracesUnusable:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    damaged = f"it is damaged; a recorded search sets it aside as {_ASIDE[0]}, and the next begins a new one"
    what = {
        sqlite3.SQLITE_BUSY: "another process is writing there; try again in a moment",
        sqlite3.SQLITE_LOCKED: "another process is writing there; try again in a moment",
        sqlite3.SQLITE_READONLY: "it cannot be written; check its rights and the disk",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check its rights and the disk",
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_IOERR: "the disk does not take it; is it full?",
        sqlite3.SQLITE_CORRUPT: damaged,
        sqlite3.SQLITE_NOTADB: damaged,
    }.get(code, str(error))
    return TracesUnusable(f"traces: {path}: {what}")
