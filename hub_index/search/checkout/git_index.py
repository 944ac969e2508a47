"""The blobs of a checkout, read from git's own index file without a process.

Used to recognise a stale search index, and to find skills that it lacks. Versions 2 to 4; a split or sparse index, a
foreign version or a damaged file is "unknown" (None), and the caller then claims nothing.
"""

import os
from hashlib import new as new_hash

from hub_index.base.safe_open import read_regular
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_GIT_PATH_BYTES, MAX_GIT_PATHS_BYTES
from hub_index.search.checkout.git_head import find_git_folder, find_root, shared_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.models import TreeEntry

_MAX_INDEX_BYTES = 512 * 1024 * 1024  # about four million files
_MAX_CONFIG_BYTES = 1024 * 1024
_MAX_VARINT_BYTES = 3  # says how much of a path falls away: two million, far more than a path has
_FIXED_BYTES = 40  # times, device, inode, mode, owner, size: before the object's id
_MODES = {int(mode, 8).to_bytes(4, "big"): mode for mode in ("100644", "100755", "120000", "160000")}
_EXTENDED, _STAGED = 0x40, 0x30  # bits of the first byte of an entry's flags


class GitEntries(FrozenValue):
    """The entries of git's index below the hub's folder, column by column: as bytes, for speed."""

    modes: list[bytes]  # as the file has them
    heads: list[bytes]  # all that stands before a blob: see `stamp_of`
    blobs: list[bytes]
    paths: list[bytes]  # from the hub's root
    hash_name: str  # by which blobs are named

    def tree_entries(self) -> "list[TreeEntry]":
        """The same as values."""
        from hub_index.models import TreeEntry

        columns = zip(self.modes, self.heads, self.blobs, self.paths, strict=True)
        return [
            TreeEntry(
                _MODES[mode],
                blob.hex(),
                int.from_bytes(head[36:40], "big"),
                path.decode("utf-8", "surrogateescape"),
            )
            for mode, head, blob, path in columns
        ]


def blob_id(content: bytes, hash_name: str) -> bytes:
    """The id under which git keeps a file of these bytes."""
    digest = new_hash(hash_name, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.digest()


def stamp_of(head: bytes) -> bytes:
    """git's facts on a file in the checkout: both times of change, the system's own first, and its size."""
    return head[:16] + head[36:40]


def read_git_index(hub: str) -> "list[TreeEntry] | None":
    """The entries below the hub's folder, with paths from it; None if they cannot be known."""
    entries = read_git_entries(hub)
    return None if entries is None else entries.tree_entries()


def read_git_entries(hub: str) -> GitEntries | None:
    """The same, not yet taken apart."""
    git = find_git_folder(hub)
    if not git:
        return None
    try:
        data = read_regular(os.path.join(git, "index"), _MAX_INDEX_BYTES)
        hash_name = "sha256" if _has_long_ids(git) else "sha1"
    except OSError:
        return None
    try:
        entries = _parse_entries(data, hash_name)
    except (ValueError, IndexError):  # it ends too early, or is another format
        return None
    if entries is None:
        return None
    prefix = os.path.relpath(os.path.realpath(hub), os.path.realpath(find_root(hub)))
    return entries if prefix == "." else _below(entries, os.fsencode(prefix) + b"/")


def _below(entries: GitEntries, folder: bytes) -> GitEntries:
    inside = [at for at, path in enumerate(entries.paths) if path.startswith(folder)]
    return GitEntries(
        [entries.modes[at] for at in inside],
        [entries.heads[at] for at in inside],
        [entries.blobs[at] for at in inside],
        [entries.paths[at][len(folder) :] for at in inside],
        entries.hash_name,
    )


def _has_long_ids(git: str) -> bool:
    config = read_regular(os.path.join(shared_folder(git), "config"), _MAX_CONFIG_BYTES)
    return b"objectformat = sha256" in config.lower()


def _parse_entries(data: bytes, hash_name: str) -> GitEntries | None:
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return None
    entries = GitEntries([], [], [], [], hash_name)
    modes, heads, blobs, paths = entries.modes, entries.heads, entries.blobs, entries.paths
    flags_bytes = _FIXED_BYTES + (32 if hash_name == "sha256" else 20)
    at = 12
    path, path_bytes = b"", 0
    for _ in range(count):
        start = at
        at += flags_bytes
        flags = data[at]
        if flags & _STAGED:  # a conflict
            return None
        blobs.append(data[start + _FIXED_BYTES : at])
        modes.append(data[start + 24 : start + 28])
        heads.append(data[start : start + _FIXED_BYTES])
        at += 4 if flags & _EXTENDED else 2
        if version == 4:
            strip, before = _Varint(data, at), len(path)
            end = data.index(b"\0", strip.end)
            path = path[: before - strip.value] + data[strip.end : end]
            path_bytes += len(path)
            if strip.value > before or len(path) > MAX_GIT_PATH_BYTES or path_bytes > MAX_GIT_PATHS_BYTES:
                return None  # each path repeats the one before: 832 kB could say 2.5 GB of them
            at = end + 1
        else:
            end = data.index(b"\0", at)
            path = data[at:end]
            at = start + (end - start + 8) // 8 * 8
        paths.append(path)
    if not _MODES.keys() >= set(modes):  # a folder of a sparse index
        return None
    return None if data[at : at + 4] == b"link" else entries


class _Varint:
    """git's number of variable length, and its end."""

    __slots__ = ("end", "value")

    def __init__(self, data: bytes, at: int) -> None:
        byte = data[at]
        self.value = byte & 0x7F
        last = at + _MAX_VARINT_BYTES - 1
        while byte & 0x80:
            at += 1
            if at > last:
                raise ValueError("no path is so long")
            byte = data[at]
            self.value = ((self.value + 1) << 7) | (byte & 0x7F)
        self.end = at + 1
