"""Which blobs a checkout holds, read from git's own index file without a process.

Used to tell a fresh search index from a stale one, and to find skills that it does not hold yet. Versions 2 to 4; a
split or sparse index, a foreign version or a damaged file is "unknown" (None), and the caller then claims nothing.
"""

import os

from hub_index.models import TreeEntry
from hub_index.search.checkout.git_head import find_git_folder

_MAX_INDEX_BYTES = 512 * 1024 * 1024  # about four million files
_FIXED_BYTES = 40  # times, device, inode, mode, owner, size: before the object's id
_MODES = {"100644", "100755", "120000", "160000"}


def read_git_index(hub: str) -> list[TreeEntry] | None:
    """The entries below the hub's folder, with paths from it; None where they cannot be known."""
    git = find_git_folder(hub)
    if not git:
        return None
    try:
        with open(os.path.join(git, "index"), "rb") as file:
            data = file.read(_MAX_INDEX_BYTES)
        id_bytes = 32 if _has_long_ids(git) else 20
    except OSError:
        return None
    try:
        entries = _parse_entries(data, id_bytes)
    except (ValueError, IndexError):  # it ends too early, or is another format
        return None
    if entries is None:
        return None
    root = os.path.dirname(git)
    prefix = os.path.relpath(os.path.realpath(hub), os.path.realpath(root)) if os.path.basename(git) == ".git" else "."
    if prefix == ".":
        return entries
    below = os.fsencode(prefix).decode("utf-8", "surrogateescape").replace(os.sep, "/") + "/"
    return [
        TreeEntry(entry.mode, entry.blob, entry.size, entry.path[len(below) :])
        for entry in entries
        if entry.path.startswith(below)
    ]


def _has_long_ids(git: str) -> bool:
    with open(os.path.join(git, "config"), "rb") as file:
        return b"objectformat = sha256" in file.read(1024 * 1024).lower()


def _parse_entries(data: bytes, id_bytes: int) -> list[TreeEntry] | None:
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return None
    entries: list[TreeEntry] = []
    at = 12
    path = b""
    for _ in range(count):
        start = at
        mode = f"{int.from_bytes(data[at + 24 : at + 28], 'big'):o}"
        size = int.from_bytes(data[at + 36 : at + 40], "big")
        at += _FIXED_BYTES
        blob = data[at : at + id_bytes].hex()
        at += id_bytes
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 4 if flags & 0x4000 else 2
        if version == 4:
            strip = _Varint(data, at)
            end = data.index(b"\0", strip.end)
            path = path[: len(path) - strip.value] + data[strip.end : end]
            at = end + 1
        else:
            end = data.index(b"\0", at)
            path = data[at:end]
            at = start + (end - start + 8) // 8 * 8
        if mode not in _MODES or flags & 0x3000:  # a folder of a sparse index, or a conflict
            return None
        entries.append(TreeEntry(mode, blob, size, path.decode("utf-8", "surrogateescape")))
    return None if data[at : at + 4] == b"link" else entries


class _Varint:
    """git's number of variable length, and where it ends."""

    __slots__ = ("end", "value")

    def __init__(self, data: bytes, at: int) -> None:
        byte = data[at]
        self.value = byte & 0x7F
        while byte & 0x80:
            at += 1
            byte = data[at]
            self.value = ((self.value + 1) << 7) | (byte & 0x7F)
        self.end = at + 1
