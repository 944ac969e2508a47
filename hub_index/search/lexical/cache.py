"""The lexical index in the user's cache folder: opened if it was made from just this source, else made anew.

An entry is a folder named by the digest of its source and of the versions of tokens and fields. It is written beside
its place and renamed, under a kernel lock, so that two processes never see half of it and do not both do the work.
Nothing in it is believed over the source: an entry whose files are not those that were written (by size and time),
or that tantivy cannot open, is thrown away. Where nothing can be written, the index is made in memory; where the
source moved while it was read, the entry serves the one answer that asked for it and is not kept.
"""

from __future__ import annotations

import os
from hashlib import sha256

import tantivy

from hub_index.search.lexical.build import LEXICAL_VERSION, write_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.tokens import TOKENS_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hub_index.search.lexical.build import LexicalDocument

    Documents = Callable[[], Iterable[LexicalDocument]]
    IsSettled = Callable[[], bool]

_KIND = "lexical"
_SEAL = "seal"  # the list of files, written last: an entry without it is not whole
_MAX_ENTRIES = 8  # a hub of 6,793 skills takes 15 MB; a user has one hub, two indexes and some old states
_LOCK_WAIT_S = 60.0
_READ_AHEAD = 5_000  # documents, some 30 MB: reading takes a tenth of the whole, and git may move soon after
_TANTIVY = getattr(tantivy, "__version__", "")  # its files are not readable by every other version


def entry_key(*source: str) -> str:
    """The name of the entry that is made from this source."""
    parts = (f"fields {LEXICAL_VERSION}", f"tokens {TOKENS_VERSION}", f"tantivy {_TANTIVY}", *source)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def open_lexical(cache: str, key: str, documents: Documents, is_settled: IsSettled = lambda: True) -> LexicalIndex:
    """The lexical index of a source; `documents` is called only where it has to be made.

    `is_settled` is asked after the documents were read: whether the source is still what the key says.
    """
    return _open_entry(cache, key) or _make_entry(cache, key, documents, is_settled)


def _open_entry(cache: str, key: str) -> LexicalIndex | None:
    folder = os.path.join(cache, _KIND, key)
    try:
        with open(os.path.join(folder, _SEAL), encoding="utf-8") as file:
            if file.read() != _seal_text(folder):
                return None
        index = LexicalIndex(_open_tantivy(folder))
    except (OSError, ValueError):  # absent, damaged, or another tantivy's
        return None
    if os.access(folder, os.W_OK):
        os.utime(folder)  # used now: the oldest are pruned first
    return index


def _open_tantivy(folder: str) -> tantivy.Index:
    try:
        return tantivy.Index.open(folder)
    except ValueError:
        if os.access(folder, os.W_OK):
            raise
    # tantivy wants to write a lock file even to read: a folder that is not ours is read from a copy
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            shutil.copyfile(os.path.join(folder, name), os.path.join(copy, name))
        return tantivy.Index.open(copy)


def _seal_text(folder: str) -> str:
    """Every file of an entry with its size and time of change."""
    names = sorted(name for name in os.listdir(folder) if name != _SEAL and not name.endswith(".lock"))
    stats = [(name, os.lstat(os.path.join(folder, name))) for name in names]
    return "".join(f"{name} {stat.st_size} {stat.st_mtime_ns}\n" for name, stat in stats)


def _make_entry(cache: str, key: str, documents: Documents, is_settled: IsSettled) -> LexicalIndex:
    from contextlib import suppress

    from hub_index.locks import Lock
    from hub_index.private_place import make_private_folder

    root = os.path.join(cache, _KIND)
    try:
        make_private_folder(root)
        lock = Lock(os.path.join(root, "lock"))
    except OSError:
        return LexicalIndex(write_lexical(documents(), None))
    with lock:
        with suppress(OSError):  # a file system without locks; this one only saves work, so that we go on without it
            lock.take(_LOCK_WAIT_S)
        # whoever held the lock before has probably made it
        made = _open_entry(cache, key)
        if made is None:
            try:
                made = _write_entry(root, key, documents, is_settled) or _open_entry(cache, key)
            except OSError:  # the disk is full, or was taken away
                return LexicalIndex(write_lexical(documents(), None))
        _prune(root, key)
    return made or LexicalIndex(write_lexical(documents(), None))


def _write_entry(root: str, key: str, documents: Documents, is_settled: IsSettled) -> LexicalIndex | None:
    """Puts the entry in its place; gives it back, open, where it may not be kept."""
    import shutil
    import tempfile
    from itertools import chain, islice

    temporary = tempfile.mkdtemp(prefix=".new-", dir=root)
    try:
        rest = iter(documents())
        ahead = list(islice(rest, _READ_AHEAD))
        may_keep = len(ahead) < _READ_AHEAD and is_settled()  # all are read: what moves from now on does no harm
        try:
            written = write_lexical(chain(ahead, rest), temporary)
        except ValueError as error:  # how tantivy reports a full disk
            raise OSError(str(error)) from error
        if not may_keep and not is_settled():
            return LexicalIndex(written)  # its files are mapped, and live on until it is closed
        with open(os.path.join(temporary, _SEAL), "x", encoding="utf-8") as file:
            file.write(_seal_text(temporary))
        target = os.path.join(root, key)
        if os.path.lexists(target):  # damaged, or _open_entry had taken it
            os.rename(target, tempfile.mktemp(prefix=".old-", dir=root))  # noqa: S306 - a name to rename to
        os.rename(temporary, target)
        return None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _prune(root: str, keep: str) -> None:
    """Removes the entries longest unused, and what dead processes left; files that are mapped live on."""
    import shutil
    import time

    young_s = time.time() - 3600  # since then another process may still be writing it
    folders = [entry for entry in os.scandir(root) if entry.name != keep and entry.is_dir(follow_symlinks=False)]
    hidden = [entry for entry in folders if entry.name.startswith(".")]
    left = [entry for entry in hidden if entry.name.startswith(".old-") or entry.stat().st_mtime <= young_s]
    whole = sorted(
        (entry for entry in folders if not entry.name.startswith(".")),
        key=lambda entry: entry.stat().st_mtime_ns,
        reverse=True,
    )
    for entry in left + whole[_MAX_ENTRIES - 1 :]:
        shutil.rmtree(entry.path, ignore_errors=True)
