"""One builder a folder: a kernel lock on the parent folder's handle, which leaves no file and dies with its holder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub_index.errors import IndexBusy, PublishError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.writing import check_output_folder, recover_folder

_held: set[int] = set()


@contextmanager
def lock_folder(folder: Path, disk: Disk | None = None) -> Iterator[None]:
    """Holds the right to write a folder; what dead builders left behind is healed first.

    Raises IndexBusy where another builder is at work, PublishError where the folder cannot be written.
    """
    folder = Path(os.path.abspath(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise PublishError(f"{folder.parent}: cannot be opened ({error.strerror}); choose another --out") from error
    _held.add(handle)
    try:
        _lock(handle, folder)
        check_output_folder(folder)
        recover_folder(folder, disk or Disk())
        yield
    finally:
        if handle in _held:
            _held.remove(handle)
            os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise IndexBusy(f"another build is writing {folder}; wait for it or stop it") from error
    except OSError as error:
        raise PublishError(
            f"{folder.parent}: this file system cannot lock ({error.strerror}); build into a local folder"
        ) from error


def _let_go() -> None:
    """A forked child shares the lock: without this a worker would hold it after its builder was killed."""
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_let_go)
