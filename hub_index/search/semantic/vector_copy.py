"""Verified copies of vectors in the user's own cache folder, mapped: hashed and checked bytes are not read again.

A copy is named by the digest of what it was made from and put in its place by a rename, after every check. Behind its
rows are their sums: zeros, a cut and another file are noticed when it is read. It is believed only where nobody but its
user can have written it; so nobody cuts it under a map of it either, as git may do with the hub's own file. Never a
hard link, which would be that file. Where there is no room for a copy, vectors are read into memory as ever. numpy
when called.
"""

import os
import time
from mmap import ACCESS_READ, MADV_DONTNEED, mmap

from hub_index.base.checksummed_file import SUM_BYTES, sum_rows
from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.base.safe_open import open_regular
from hub_index.errors import CopyDamaged
from hub_index.limits import MAX_VECTOR_COPIES_BYTES, UNUSED_CACHE_DAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

KIND = "mapped"
_STALE_S = 3600.0  # a temporary file that is older was left by a dead process
SPARE_SHARE = 0.1  # of the disk: a cache never takes the last of it
_CHUNK_BYTES = 1 << 24
_STRETCH_BYTES = 1 << 27  # of a mapped file: so much of it is resident at once where rows are taken from all over it


class CopyMap(mmap):
    """A map of a copy, which is never written: its pages may be given back, the system's disk cache still has them."""


def copy_path(cache: str, name: str) -> str:
    """Where a copy of this name lies."""
    return os.path.join(cache, KIND, name)


class VectorCopy:
    """The mapped rows of a copy, and the sums that show damage."""

    def __init__(self, cache: str, name: str, matrix: "Matrix", sums: "NDArray[np.uint32]") -> None:
        self.matrix = matrix
        self._cache, self._name = cache, name
        self._sums = sums

    def check(self, taken: "Matrix", rows: "NDArray[np.int64]") -> None:
        """Removes the copy and raises CopyDamaged unless what was taken of these rows is right."""
        if (sum_rows(taken, self._name) != self._sums[rows]).any():
            remove_copy(self._cache, self._name)
            raise CopyDamaged("a copy of the vectors in the cache folder was damaged, and is removed; search again")

    def is_whole(self) -> bool:
        """Whether every row is right; a copy with others is removed. Of many rows none stays resident."""
        step = max(1, _STRETCH_BYTES // (self.matrix.shape[1] * 4))
        for start in range(0, len(self.matrix), step):
            sums = sum_rows(self.matrix[start : start + step], self._name)
            if (sums != self._sums[start : start + step]).any():
                remove_copy(self._cache, self._name)
                return False
            if len(self.matrix) > step:
                give_back(self.matrix)
        return True


def open_copy(cache: str, name: str, rows: int, dim: int) -> VectorCopy | None:
    """The copy of this name, its rows still to be checked; None if it is missing or cannot be trusted."""
    path = copy_path(cache, name)
    if not rows or any(map(who_else_may_write, (cache, os.path.dirname(path)))):
        return None
    try:
        with open_regular(path) as file:
            if who_else_may_write(file.fileno()) or os.fstat(file.fileno()).st_size != _size(rows, dim):
                return None
            mapped = CopyMap(file.fileno(), 0, access=ACCESS_READ)
        os.utime(path)  # used now: the oldest are dropped first
    except (OSError, ValueError):
        return None
    import numpy as np

    matrix = np.frombuffer(mapped, dtype="<f4", count=rows * dim).reshape(rows, dim)
    return VectorCopy(cache, name, matrix, np.frombuffer(mapped, dtype="<u4", offset=matrix.nbytes))


def remove_copy(cache: str, name: str) -> None:
    """Removes the copy of this name, with what was made of it, if that can be done."""
    folder = os.path.dirname(copy_path(cache, name))
    try:
        for entry in os.listdir(folder):
            if entry.startswith(name):
                os.unlink(os.path.join(folder, entry))
    except OSError:
        return


def take_rows(matrix: "Matrix", rows: "NDArray[np.int64]") -> "Matrix":
    """A new matrix of these rows, ascending; a mapped copy is left without resident pages.

    Rows of 2 kB from all over a file would keep all of it resident: the system maps up to 2 MB around each.
    """
    import numpy as np

    taken = np.empty((len(rows), matrix.shape[1]), dtype=matrix.dtype)
    step = max(1, _STRETCH_BYTES // (matrix.shape[1] * 4))
    for start in range(0, len(matrix), step):
        first, last = np.searchsorted(rows, (start, start + step)).tolist()
        if first < last:
            taken[first:last] = matrix[rows[first:last]]
            give_back(matrix)
    return taken


def give_back(matrix: "Matrix") -> None:
    """Lets the system have the resident pages of a mapped copy; other memory stays as it is."""
    under: object = matrix
    while (base := getattr(under, "base", None)) is not None:
        under = base
    if isinstance(under, memoryview) and isinstance(under.obj, CopyMap):
        under.obj.madvise(MADV_DONTNEED)


def keep_copy(cache: str, name: str, rows: int, dim: int, write: "Callable[[IO[bytes]], object]") -> bool:
    """True if the rows were written and put in their place; False if there is no room for them."""
    path, size = copy_path(cache, name), _size(rows, dim)
    temporary = f"{path}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        make_private_folder(os.path.dirname(path))
        if any(map(who_else_may_write, (cache, os.path.dirname(path)))) or not _make_room(path, size):
            return False
        try:
            with open(temporary, "x+b", opener=open_private_file) as file:
                write(file)
                _add_sums(file, name, rows, dim)
                is_whole = os.fstat(file.fileno()).st_size == size
            if is_whole:
                os.replace(temporary, path)
            return is_whole
        finally:
            if os.path.lexists(temporary):
                os.unlink(temporary)
    except OSError:
        return False


def _size(rows: int, dim: int) -> int:
    """The bytes of a copy with `rows` rows."""
    return rows * (dim * 4 + SUM_BYTES)


def _add_sums(file: "IO[bytes]", name: str, rows: int, dim: int) -> None:
    """Writes the sums of the rows behind them, if these are as many as they should be. Raises OSError."""
    import numpy as np

    file.flush()
    if not rows or os.fstat(file.fileno()).st_size != rows * dim * 4:
        return
    with CopyMap(file.fileno(), 0, access=ACCESS_READ) as mapped:
        matrix = np.frombuffer(mapped, dtype="<f4").reshape(rows, dim)
        step = max(1, _STRETCH_BYTES // (dim * 4))
        file.seek(0, os.SEEK_END)
        for start in range(0, rows, step):
            file.write(sum_rows(matrix[start : start + step], name).astype("<u4").tobytes())
            mapped.madvise(MADV_DONTNEED)
        del matrix  # a map that is looked at cannot be closed
    file.flush()


def write_matrix(matrix: "Matrix") -> "Callable[[IO[bytes]], object]":
    """A writer of these rows."""

    def write(file: "IO[bytes]") -> None:
        data = matrix.reshape(-1).view("u1").data
        for start in range(0, len(data), _CHUNK_BYTES):
            file.write(data[start : start + _CHUNK_BYTES])

    return write


def _make_room(path: str, size: int) -> bool:
    """Drops the copies that were used longest ago until this one fits; False if it never will."""
    folder = os.path.dirname(path)
    now_s = time.time()
    kept: list[os.DirEntry[str]] = []
    for entry in os.scandir(folder):
        age_s = now_s - entry.stat().st_mtime
        is_left = entry.name.endswith(".tmp") and age_s > _STALE_S
        if is_left or age_s > UNUSED_CACHE_DAYS * 86_400:
            os.unlink(entry.path)
        else:
            kept.append(entry)
    kept.sort(key=lambda entry: entry.stat().st_mtime_ns)
    total = sum(entry.stat().st_size for entry in kept)
    while kept and total + size > MAX_VECTOR_COPIES_BYTES:
        oldest = kept.pop(0)
        total -= oldest.stat().st_size
        os.unlink(oldest.path)
    disk = os.statvfs(folder)
    is_room = disk.f_bavail * disk.f_frsize - size > SPARE_SHARE * disk.f_blocks * disk.f_frsize
    return is_room and total + size <= MAX_VECTOR_COPIES_BYTES
