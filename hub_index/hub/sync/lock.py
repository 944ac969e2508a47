"""One sync of a folder at a time: a kernel lock that dies with its holder, on a file beside the folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub_index.errors import PublishError


@contextmanager
def lock_checkout(folder: Path) -> Iterator[int]:
    """The lock's handle, held until the block is left. Raises PublishError."""
    path = folder.parent / f".{folder.name}.sync.lock"
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise PublishError(
            f"{folder.parent} cannot be written ({error.strerror}); change its rights or set AXON_HOME"
        ) from error
    try:
        _take(handle, folder)
        yield handle
    finally:
        os.close(handle)


def _take(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise PublishError(f"another sync is at work on {folder}; wait for it, then run again") from error
    except OSError as error:
        raise PublishError(
            f"{folder.parent}: this file system cannot lock ({error.strerror}); set AXON_HOME"
        ) from error
