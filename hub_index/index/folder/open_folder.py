"""One state of an index folder, open: files are opened below its handle, their sizes known before they are read."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, TypeVar

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import RootedPath, is_link, open_regular, rooted
from hub_index.errors import IndexCorrupt, IndexMissing
from hub_index.index.format.parts import MANIFEST_FILE, SIGNATURE_FILE
from hub_index.limits import MAX_MANIFEST_BYTES, MAX_SIGNATURE_BYTES
from hub_index.models import PartFile

T = TypeVar("T")
IndexFolder = Path | RootedPath  # one that the user names, or one that a hub's settings name below the hub
CHUNK_BYTES = 1024 * 1024


class OpenFolder:
    """A folder's handle: the files are opened below it, so that an exchange of folders cannot mix two sets."""

    def __init__(self, handle: int, path: Path) -> None:
        self.handle = handle
        self.path = path

    def open(self, name: str) -> IO[bytes]:
        """A regular file of the folder."""
        try:
            return open_regular(name, dir_fd=self.handle)
        except FileNotFoundError as error:
            if name == MANIFEST_FILE:
                raise IndexMissing(f"there is no {MANIFEST_FILE}; sync the hub or run `hub-index build`") from error
            raise IndexCorrupt.at(name, "is missing") from error
        except OSError as error:
            raise IndexCorrupt.at(name, f"cannot be opened as a regular file ({error.strerror})") from error

    def load(self, name: str, check_size: Callable[[int], object]) -> bytes:
        """A file's bytes; its size is checked first."""
        with self.open(name) as file:
            size = size_of_file(file)
            check_size(size)
            return load_whole(file, name, size)

    def stream(self, name: str, room_for: Callable[[int], memoryview], step: int = CHUNK_BYTES) -> Iterator[memoryview]:
        """A file's bytes, piece by piece, in the room that is given for its size, which may be refused.

        A room of one step is a window, through which all pieces pass.
        """
        with self.open(name) as file:
            size = size_of_file(file)
            room = room_for(size)
            for start in range(0, size, step):
                length = min(step, size - start)
                place = room[start : start + length] if len(room) >= size else room[:length]
                read_into(file, name, place)
                yield place
            if file.read(1):
                raise _grown(name)

    def stored(self, facts: PartFile) -> "FolderFile":
        """A file of a part, to be read later."""
        return FolderFile(Path(os.path.abspath(self.path)), facts.file, facts.bytes, facts.sha256)

    def manifest(self) -> bytes:
        """The manifest's bytes."""
        return self.load(MANIFEST_FILE, _check_manifest_size)

    def signature(self) -> bytes | None:
        """The signature; None without one, empty for an impossible one, which only a check of signatures refuses."""
        try:
            with open_regular(SIGNATURE_FILE, dir_fd=self.handle) as file:
                return file.read(MAX_SIGNATURE_BYTES + 1) if size_of_file(file) <= MAX_SIGNATURE_BYTES else b""
        except FileNotFoundError:
            return None
        except OSError:
            return b""


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of a part in an index folder, whose bytes are read when they are needed, and hashed each time."""

    folder: Path
    name: str
    size: int
    sha256: str

    def read(self) -> bytes:
        """Its bytes. Raises IndexCorrupt if they are not those that the manifest names any more."""
        try:
            with open_regular(self.folder / self.name) as file:
                if size_of_file(file) != self.size:
                    raise _grown(self.name)
                data = load_whole(file, self.name, self.size)
        except OSError as error:
            raise IndexCorrupt.at(self.name, f"cannot be read any more ({error.strerror})") from error
        if sha256(data).hexdigest() != self.sha256:
            raise IndexCorrupt.at(self.name, "its bytes are not those that the manifest names")
        return data


def read_once(folder: IndexFolder, load: Callable[[OpenFolder], T]) -> T:
    """The result of `load` on the folder as it is now. Raises IndexMissing, IndexCorrupt and the errors of `load`."""
    place = rooted(folder)
    try:
        handle = place.open()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexMissing("the folder does not exist; sync the hub or run `hub-index build`") from error
    except OSError as error:
        if is_link(error):
            raise IndexCorrupt.at(
                "the folder", f"{quote_line(str(error.filename))} is a link, which is not followed"
            ) from error
        raise
    try:
        return load(OpenFolder(handle, Path(place)))
    finally:
        os.close(handle)


def size_of_file(file: IO[bytes]) -> int:
    """The present size of an open file in bytes."""
    return os.fstat(file.fileno()).st_size


def load_whole(file: IO[bytes], name: str, size: int) -> bytes:
    """All bytes of a file of that size. Raises IndexCorrupt if it has another by now."""
    chunks = []
    while size >= 0 and (chunk := file.read(min(size + 1, 1 << 30))):  # the one byte more tells that it grew
        chunks.append(chunk)
        size -= len(chunk)
    if size != 0:
        raise _grown(name)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def read_into(file: IO[bytes], name: str, place: memoryview) -> None:
    """Fills a place with a file's next bytes. Raises IndexCorrupt if it ends before."""
    done = 0
    while done < len(place):
        count = file.readinto(place[done : done + CHUNK_BYTES])  # type: ignore[attr-defined]  # an unbuffered file has it
        if not count:
            raise _grown(name)
        done += count


def digest_file(file: IO[bytes]) -> str:
    """The sha256 of what is left of an open file."""
    digest = sha256()
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


def _grown(name: str) -> IndexCorrupt:
    return IndexCorrupt.at(name, "changed its size while it was read")


def _check_manifest_size(size: int) -> None:
    if size > MAX_MANIFEST_BYTES:
        raise IndexCorrupt.at(MANIFEST_FILE, f"is larger than {MAX_MANIFEST_BYTES} bytes")
