"""One run of a hub at a time on a machine: a kernel lock in the user's cache folder, which dies with its holder.

A limit of Prefect's is not used: a killed run's share of it is given back after five minutes, and never if the server
was killed as well, since leases are kept in its memory and counts in its database (seen with Prefect 3.8.8). Between
machines nothing is needed: the run that pushes second starts again on the new head.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub_index.base.file_permissions import make_private_folder
from hub_index.base.locks import Lock


@contextmanager
def only_run(hub_name: str, cache_dir: Path) -> Iterator[bool]:
    """Whether no other run of this hub is at work here; none can begin while the block lasts."""
    try:
        make_private_folder(cache_dir / "runs")
        lock = Lock(cache_dir / "runs" / f"{hub_name}.lock")
    except OSError:  # the lock saves work and money; that nothing is lost is git's and the folder lock's part
        yield True
        return
    with lock:
        yield _is_free(lock)


def _is_free(lock: Lock) -> bool:
    try:
        return lock.take()
    except OSError:  # a file system that cannot lock
        return True
