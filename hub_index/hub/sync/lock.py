"""One sync of a folder at a time: a lock on a file beside the folder, which ends with its holder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub_index.errors import PublishError
from hub_index.locks import Lock


@contextmanager
def lock_checkout(folder: Path) -> Iterator[int]:
    """The lock's handle, held until the block is left. Raises PublishError."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = Lock(folder.parent / f".{folder.name}.sync.lock")
    except OSError as error:
        raise PublishError(
            f"{folder.parent} cannot be written ({error.strerror}); change its rights or set AXON_HOME"
        ) from error
    with lock:
        busy = PublishError(f"another sync is at work on {folder}; wait for it, then run again")
        lock.take_now(busy, folder.parent, "set AXON_HOME")
        yield lock.handle
