"""Forgetting: what is dropped is overwritten on disk, and files of an earlier damage go with everything else."""

import os

from hub_index.errors import TracesUnusable
from hub_index.traces.database import has_traces, open_traces, own_files, vacuum
from hub_index.traces.retention import drop_before
from hub_index.traces.verdict import forget_verdicts


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
