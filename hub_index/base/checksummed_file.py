"""Trusted files in the user's cache: written whole, sealed by a digest, and read only if no other user may write there.

Otherwise one bit that a disk has lost would pass for an earlier result. Files that are absent, damaged or writable by
others are made again.
"""

import os
from hashlib import sha256

from hub_index.base.file_permissions import make_private_folder, open_private_file
from hub_index.base.safe_open import read_own
from hub_index.limits import MAX_SKILLS_BYTES

SEAL_BYTES = 32


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
