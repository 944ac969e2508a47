"""One builder a folder: the parent folder's handle is locked, which leaves no file and ends with its holder."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hub_index.base.locks import Lock
from hub_index.errors import IndexBusy, PublishError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.writing import check_output_folder, recover_folder


@contextmanager
def lock_folder(
    folder: Path, disk: Disk | None = None, recover: Callable[[Path, Disk], None] = recover_folder
) -> Iterator[None]:
    """Holds the right to write a folder; what dead builders left behind is healed first, by `recover`.

    Raises IndexBusy if another builder is at work, PublishError if the folder cannot be written.
    """
    folder = Path(os.path.abspath(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = Lock(folder.parent, on_folder=True)
    except OSError as error:
        raise PublishError(f"{folder.parent}: cannot be opened ({error.strerror}); choose another --out") from error
    with lock:
        where = f"{folder}, or another index in {folder.parent}, where one is written at a time"
        busy = IndexBusy(f"another build is writing {where}; wait for it or stop it")
        lock.take_now(busy, folder.parent, "build into a local folder")
        check_output_folder(folder)
        recover(folder, disk or Disk())
        yield
