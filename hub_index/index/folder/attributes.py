"""Our .gitattributes beside an unchanged index: put back alone if it is missing or changed.

Without it git may convert line ends or run filters, and the next checkout has other bytes than the manifest's digests.
"""

import os
from contextlib import suppress
from pathlib import Path

from hub_index.index.folder.disk import Disk
from hub_index.index.folder.leftovers import temporary_folder
from hub_index.index.folder.our_files import ATTRIBUTES, ATTRIBUTES_FILE, holds
from hub_index.index.folder.writing import plain_errors


def put_attributes(folder: Path, disk: Disk | None = None) -> str:
    """A sentence on the repair; empty if none was needed. Only under the lock, beside an index of ours.

    Raises PublishError, with the folder as it was.
    """
    folder = Path(os.path.abspath(folder))
    path, disk = folder / ATTRIBUTES_FILE, disk or Disk()
    if holds(path, ATTRIBUTES) or (path.is_dir() and not path.is_symlink()):
        return ""  # somebody's folder of that name stays, and git reads no rule from it
    what = "had been changed" if os.path.lexists(path) else "was missing"
    with plain_errors(folder, f"{ATTRIBUTES_FILE} there {what} and could not be put back"):
        _replace(path, temporary_folder(folder, "new"), disk)
    return f"{path} {what} and was put back: git must not convert the index (the hub's own rules go into its root)"


def _replace(path: Path, staged: Path, disk: Disk) -> None:
    """Writes a new file beside the folder, where a dead builder's is found and removed, and moves it into place."""
    try:
        disk.create(staged, ATTRIBUTES)
        disk.sync(staged)
        disk.rename(staged, path)
    except BaseException:
        with suppress(OSError):
            disk.remove(staged)
        raise
