"""Kernel locks (flock) on an open handle: a lock ends with its holder, however that ends.

Four rooms use them, each on a suitable file:
- `index/folder` locks the index's parent folder itself, so that no lock file is ever beside a published index;
- `hub/sync` locks a file beside the checkout, which may not exist yet; other folders of the parent are synced
  meanwhile, and a git that writes files keeps the handle, so that the lock outlives a killed hub-index;
- `search/lexical` locks a file in the cache folder and waits for it, but not for ever: this lock only saves work; for
  the dictionary it does not wait at all.
- `pipelines` locks a file in the cache folder, one a hub: a second run of it steps aside.
A locked file stays: removing it would let two processes lock two files of one name.
"""

import fcntl
import os
import time

from hub_index.errors import HubIndexError, PublishError

_POLL_S = 0.05
_handles: set[int] = set()


class Lock:
    """A handle that can be locked once, closed when the block is left. Making one raises OSError."""

    def __init__(self, path: str | os.PathLike[str], *, on_folder: bool = False) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY if on_folder else os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        self.handle = os.open(path, flags, 0o600)
        _handles.add(self.handle)

    def take(self, wait_s: float = 0.0) -> bool:
        """Whether the lock is held now; False if another process holds it still after that time.

        Raises OSError if the file system cannot lock.
        """
        end_s = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end_s:
                    return False
                time.sleep(_POLL_S)
            else:
                return True

    def take_now(self, busy: HubIndexError, place: object, advice: str) -> None:
        """Takes the lock without waiting, before a write beside it.

        Raises `busy` if another process holds it, PublishError if the file system of this place cannot lock.
        """
        try:
            is_free = self.take()
        except OSError as error:
            raise PublishError(f"{place}: this file system cannot lock ({error.strerror}); {advice}") from error
        if not is_free:
            raise busy

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle in _handles:
            _handles.remove(self.handle)
            os.close(self.handle)


def _close_all() -> None:
    """A forked child shares the lock: without this a worker would hold it after its builder was killed."""
    while _handles:
        os.close(_handles.pop())


os.register_at_fork(after_in_child=_close_all)
