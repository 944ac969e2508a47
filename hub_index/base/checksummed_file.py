"""Trusted files in the user's cache: written whole, sealed by a digest, and read only if no other user may write there.

Otherwise one bit that a disk has lost would pass for an earlier result. Files that are absent, damaged or writable by
others are made again.

Of a mapped matrix each row has a sum, kept beside it: rows of zeros or of another file do not have them. The words of a
row are added up, with a number that the file's name gives, so that zeros beside zeros are noticed too. 14 MB take 0.3
ms, where crc32 takes 3.3 and sha256 7.8; where few rows are read, few are added up.
"""

import os
from binascii import crc32
from hashlib import sha256

from hub_index.base.file_permissions import make_private_folder, open_private_file
from hub_index.base.safe_open import read_own
from hub_index.limits import MAX_SKILLS_BYTES

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray


SEAL_BYTES = 32
SUM_BYTES = 4  # of one row


def read_sealed(path: str) -> bytes | None:
    """The written bytes; None without a file that can be trusted."""
    try:
        data = read_own(path, MAX_SKILLS_BYTES)  # what is kept of a hub is smaller than its records
    except OSError:
        return None
    body = data[SEAL_BYTES:]
    return body if sha256(body).digest() == data[:SEAL_BYTES] else None


def write_sealed(path: str, body: bytes, kept: int) -> None:
    """Keeps these bytes if possible; of the folder's files the `kept` last written ones stay."""
    folder = os.path.dirname(path)
    temporary = f"{path}-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        make_private_folder(folder)
        try:
            with open(temporary, "xb", opener=open_private_file) as file:
                file.write(sha256(body).digest())
                file.write(body)
            os.replace(temporary, path)
        except OSError:  # a full disk: what was written of it would take up the rest
            _remove(temporary)
            raise
        _prune(folder, kept)
    except OSError:
        return


def _prune(folder: str, kept: int) -> None:
    """Removes the files written longest ago, those that dead writers left among them. Raises OSError.

    Others may prune at the same time. What a slow writer loses so, it has to write another time.
    """
    names = os.listdir(folder)
    if len(names) <= kept:
        return
    paths = [os.path.join(folder, name) for name in names]
    for path in sorted(paths, key=_written_ns, reverse=True)[kept:]:
        _remove(path)


def _written_ns(path: str) -> int:
    """When a file was written; 0 if it has just been removed."""
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # somebody else has
        return


def sum_rows(rows: "NDArray[Any]", name: str) -> "NDArray[np.uint32]":
    """The sum of each row, in a file of this name; a row's length is a multiple of four bytes."""
    import numpy as np

    sums: NDArray[np.uint32] = np.add.reduce(rows.view("<u4"), axis=1, dtype=np.uint32)
    sums += np.uint32(crc32(name.encode()) | 1)  # never 0: an empty row beside an empty sum is wrong
    return sums
