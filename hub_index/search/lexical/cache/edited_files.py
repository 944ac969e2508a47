"""Files that differ from git's index: an entry made of one is used only as long as the file is unchanged.

An entry's name contains the blobs of its bodies. A file that was edited and not added, or that a sparse checkout lacks,
is none of them; by that name its words would answer for every checkout of these blobs, and for this one after the edit
was undone. So this entry has another name for each checkout, and notes the stamps of the files.
"""

from __future__ import annotations

import os
from hashlib import sha256

from hub_index.base.safe_open import file_stamp, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LOOSE = "loose"
_STEP_NS = 10**9  # in which the clock of a file system may go


def loose_name(key: str, place: str) -> str:
    """The name of the entry of this key that was made of a checkout's loose files."""
    return sha256(f"{key}\0{os.path.realpath(place)}".encode("utf-8", "surrogateescape")).hexdigest()[:32]


def write_loose(folder: str, files: Iterable[str]) -> None:
    """Notes what the loose files of an entry are now, if there are any. Raises OSError."""
    note = "\0".join([f"{file}\0{file_stamp(file)}" for file in files])
    if note:
        with open(os.path.join(folder, LOOSE), "xb") as target:
            target.write(note.encode("utf-8", "surrogateescape"))


def has_loose(folder: str) -> bool:
    """Whether an entry was made of loose files."""
    return os.path.exists(os.path.join(folder, LOOSE))


def are_as_noted(folder: str) -> bool:
    """True if every loose file of an entry is unchanged; False without the entry."""
    try:
        return all(file_stamp(file) == stamp for file, stamp in _read_loose(folder))
    except (OSError, ValueError):
        return False


def may_have_moved(folder: str, since_ns: int) -> bool:
    """Whether a loose file may have changed after it was read, which began at that time. Raises OSError."""
    return any(stamp and int(stamp.split()[0]) >= since_ns - _STEP_NS for _, stamp in _read_loose(folder))


def _read_loose(folder: str) -> list[tuple[str, str]]:
    with open_regular(os.path.join(folder, LOOSE)) as file:
        fields = file.read().decode("utf-8", "surrogateescape").split("\0")
    return list(zip(fields[::2], fields[1::2], strict=True))
