"""One entry of the lexical cache: a folder with a tantivy index, its source, and a seal written last.

`entry` names its versions and its base; `keys` holds each document's key. An entry that was changed in place shares the
base's files (hard links: only we write them) and adds to them: `delta`, the keys of the added documents, and `rows`,
the place of every document now. The seal names the entry, and each file's size, time and a checksum, of a large one of
samples: a query cannot afford all of 30 MB, and zeros or another file show in the samples. Other damage is noticed when
it is read (`guarded`); a damaged entry is removed, and so is the base that shares its files.
"""

from __future__ import annotations

import os
from binascii import crc32

import tantivy

from hub_index.base.file_permissions import is_written_by_us_or_root
from hub_index.frozen import FrozenValue
from hub_index.search.lexical.build import LEXICAL_VERSION
from hub_index.search.lexical.cache.edited_files import LOOSE
from hub_index.search.lexical.guarded import GuardedSearcher, is_damage
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.words.tokens import TOKENS_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.lexical.searcher import RowMap

KIND = "lexical"
_WHOLE_BYTES = 512 * 1024  # a file that is not larger is checked whole: 0.2 ms
_SAMPLES, _SAMPLE_BYTES = 16, 512  # of each other one
SEAL, ENTRY, KEYS, DELTA, ROWS = "seal", "entry", "keys", "delta", "rows"
SIDE_FILES = (SEAL, ENTRY, KEYS, DELTA, ROWS, LOOSE)
_TANTIVY = getattr(tantivy, "__version__", "")  # its files are not readable by every other version
VERSIONS = f"fields {LEXICAL_VERSION} tokens {TOKENS_VERSION} tantivy {_TANTIVY} seal 3".replace("\n", " ")


_dropped: set[str] = set()  # entries that were damaged: another user's cannot be removed, and is not read again


class EntryNote(FrozenValue):
    """The facts in an entry's note."""

    folder: str
    base: str  # the name of the entry that it was made from; empty if it was made from nothing
    count: int  # documents of the base, or its own

    @property
    def name(self) -> str:
        """The folder's own name."""
        return os.path.basename(self.folder)


def new_folder(root: str, prefix: str) -> str:
    """A new folder for us alone; `tempfile` would cost a small change a tenth of its time. Raises OSError."""
    folder = os.path.join(root, f"{prefix}{os.getpid()}-{os.urandom(6).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def remove_folder(folder: str) -> None:
    """Removes a folder of files, if it is there."""
    try:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    except OSError:  # it is not there, or another process has removed it
        return


def copy_file(path: str, other: str) -> None:
    """Copies a small file's bytes. Raises OSError."""
    with open(path, "rb") as source, open(other, "xb") as target:
        target.write(source.read())


def open_entry(folder: str) -> LexicalIndex | None:
    """The entry's index; None if it is missing or incomplete."""
    try:
        if folder in _dropped or not _is_whole(folder):
            return None
    except (OSError, ValueError):  # absent, or no seal
        return None
    try:
        lexical = open_index(_open_tantivy(folder), folder)
    except BaseException as error:
        if not is_damage(error):
            raise
        drop_entry(folder)
        return None
    _note_use(folder)
    return lexical


def drop_entry(folder: str) -> None:
    """Removes a damaged entry, and the one whose files it shares, which would lend the damage to the next."""
    root = os.path.dirname(folder)
    try:
        with open(os.path.join(folder, ENTRY), encoding="utf-8") as file:
            base = os.path.basename(file.read().split("\n")[1])
    except (OSError, ValueError, IndexError):
        base = ""
    for name in filter(None, (base, os.path.basename(folder))):
        remove_folder(os.path.join(root, name))
    if os.path.exists(folder):
        _dropped.add(folder)


def _note_use(folder: str) -> None:
    """Makes the entry the one that was used last, if that can be done: the oldest are pruned first."""
    if os.access(folder, os.W_OK):
        try:
            os.utime(folder)
        except OSError:  # another process has just removed it
            return


def open_index(index: tantivy.Index, folder: str) -> LexicalIndex:
    """An open tantivy index with the rows of a folder. Raises an error of `is_damage` for damaged files."""
    if not os.path.exists(os.path.join(folder, ROWS)):
        return LexicalIndex(index, guard=guard_index(index, folder))
    from hub_index.search.lexical.searcher import ChangedSearcher

    row_map = _read_rows(folder)
    guard = guard_index(index, folder, len(row_map.rows))
    return LexicalIndex(index, ChangedSearcher(guard, row_map), guard)


def guard_index(index: tantivy.Index, folder: str, rows: int | None = None) -> GuardedSearcher:
    """The searcher of an entry's index, which removes a damaged entry."""
    return GuardedSearcher(index.searcher(), lambda: drop_entry(folder), rows)


def read_note(folder: str) -> EntryNote | None:
    """The note of an entry; None if other versions made it, or if it is incomplete."""
    try:
        with open(os.path.join(folder, ENTRY), encoding="utf-8") as file:
            versions, base, count = file.read().split("\n")[:3]
        return EntryNote(folder, base, int(count)) if versions == VERSIONS and _is_whole(folder) else None
    except (OSError, ValueError):
        return None


def _is_whole(folder: str) -> bool:
    """True if all files are as they were written and no other user may write them. Raises OSError."""
    if not is_own_place(os.path.dirname(folder)) or not is_written_by_us_or_root(folder):
        return False
    with open(os.path.join(folder, SEAL), encoding="utf-8") as file:
        return file.read() == _seal_text(folder, os.path.basename(folder))


def is_own_place(root: str) -> bool:
    """True if no other user may write the folder of all entries, and the cache above it."""
    return is_written_by_us_or_root(os.path.dirname(root)) and is_written_by_us_or_root(root)


def write_note(folder: str, base: str, count: int) -> None:
    """Says which versions made the entry, from which other one, and how many documents it was made with."""
    with open(os.path.join(folder, ENTRY), "x", encoding="utf-8") as file:
        file.write(f"{VERSIONS}\n{base}\n{count}\n")


def write_seal(folder: str, name: str) -> None:
    """Makes an entry whole, which will have this name."""
    with open(os.path.join(folder, SEAL), "x", encoding="utf-8") as file:
        file.write(_seal_text(folder, name))


def _seal_text(folder: str, name: str) -> str:
    """The entry's name, and every file with its size, time of change and a checksum of samples."""
    files = sorted(file for file in os.listdir(folder) if file != SEAL and not file.endswith(".lock"))
    return "".join([f"{name}\n", *(f"{file} {_file_mark(os.path.join(folder, file))}\n" for file in files)])


def _file_mark(path: str) -> str:
    """A file's size, time of change, and a checksum: of a large one, of samples from all over it."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        stat = os.fstat(handle)
        if stat.st_size <= _WHOLE_BYTES:
            return f"{stat.st_size} {stat.st_mtime_ns} {crc32(os.read(handle, _WHOLE_BYTES)):08x}"
        step = max(_SAMPLE_BYTES, -(-stat.st_size // _SAMPLES))
        samples = b"".join([os.pread(handle, _SAMPLE_BYTES, at) for at in range(0, stat.st_size, step)])
    finally:
        os.close(handle)
    return f"{stat.st_size} {stat.st_mtime_ns} {crc32(samples):08x}"


def read_keys(folder: str, name: str = KEYS) -> list[bytes]:
    """The keys of the documents, by their number. Raises OSError."""
    from hub_index.search.lexical.cache.documents import ROW_KEY_BYTES

    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    return [data[at : at + ROW_KEY_BYTES] for at in range(0, len(data), ROW_KEY_BYTES)]


def _read_rows(folder: str) -> RowMap:
    """The place of each document: the number of documents, their rows, the numbers by row, and a checksum."""
    from array import array

    from hub_index.search.lexical.searcher import RowMap

    numbers = array("I")
    with open(os.path.join(folder, ROWS), "rb") as file:
        numbers.frombytes(file.read())
    if numbers.pop() != crc32(numbers):
        raise ValueError("rows that are not those that were written")
    count = numbers[0]
    return RowMap(numbers[1 : count + 1], numbers[count + 1 :])


def write_rows(folder: str, rows: list[int], numbers: list[int]) -> None:
    """Keeps the place of each document."""
    from array import array

    with open(os.path.join(folder, ROWS), "xb") as file:
        data = array("I", [len(rows), *rows, *numbers])
        data.append(crc32(data))
        file.write(data.tobytes())


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
