"""The index folder → verified bytes; a set that git or a builder is changing is waited for, never mixed.

Trusts digests, never order or time stamps, and hands out exactly the bytes that it hashed. Follows no link, opens no
pipe, and knows every size before it reads. Imports neither numpy nor jsonschema: a client's keyword search runs this.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from mmap import MAP_PRIVATE, mmap
from pathlib import Path
from typing import IO, TypeVar

from hub_index.errors import IndexCorrupt, IndexMissing
from hub_index.index.folder.settle import retry_until_settled
from hub_index.index.format.manifest import (
    MANIFEST_FILE,
    SIGNATURE_FILE,
    SKILLS_FILE,
    VECTOR_FILE,
    decode_manifest,
)
from hub_index.index.format.records import check_characters, check_line_count
from hub_index.index.format.vectors import count_rows
from hub_index.index.format.verify import check_digests, check_skills_digest, check_skills_size, check_vector_digest
from hub_index.limits import MAX_MANIFEST_BYTES, MAX_SIGNATURE_BYTES
from hub_index.models import IndexFiles, Manifest
from hub_index.regular_file import open_regular

T = TypeVar("T")
_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SkillsRead:
    """A manifest and the skills.jsonl that it names: all that a keyword query needs."""

    manifest: Manifest
    skills: bytes


@dataclass(frozen=True, slots=True)
class MappedIndex:
    """A verified set, its vectors in private memory: a file that shrinks under a map of it would kill the process."""

    manifest: Manifest
    skills: bytes
    vectors: memoryview  # read-only


def read_files(folder: Path, accept: Callable[[IndexFiles], object] | None = None) -> IndexFiles:
    """The three files, whole, their digests right, and the signature. Raises IndexUnusable, also what `accept` does.

    `accept` looks at every set that is read: one whose signature is still to come is waited for.
    """

    def read() -> IndexFiles:
        files = _read_once(folder, _load_files)
        if accept is not None:
            accept(files)
        return files

    return retry_until_settled(folder, read)


def read_signed_manifest(folder: Path, accept: Callable[[bytes, bytes | None], object]) -> bytes:
    """The manifest's bytes, once `accept` has taken them and their signature. Raises IndexUnusable."""

    def load(opened: _OpenFolder) -> bytes:
        manifest = _manifest_bytes(opened)
        accept(manifest, _load_signature(opened))
        return manifest

    return retry_until_settled(folder, lambda: _read_once(folder, load))


def read_manifest(folder: Path) -> Manifest:
    """The manifest alone, decoded; the other files are not looked at. Raises IndexUnusable."""
    return retry_until_settled(folder, lambda: _read_once(folder, _load_manifest))


def read_digests_ok(folder: Path) -> Manifest:
    """The manifest of a set whose digests are right; the vectors are hashed, not loaded. Raises IndexUnusable."""
    return retry_until_settled(folder, lambda: _read_once(folder, _hash_all))


def read_skills(folder: Path) -> SkillsRead:
    """Manifest and skills.jsonl, the latter's digest right; the vectors are not touched. Raises IndexUnusable."""
    return retry_until_settled(folder, lambda: _read_once(folder, _load_skills))


def map_index(folder: Path) -> MappedIndex:
    """The set with its vectors in memory of our own, read once and hashed there. Raises IndexUnusable.

    The numbers are still to be checked, by `check_vectors`.
    """
    return retry_until_settled(folder, lambda: _read_once(folder, _map_all))


class _OpenFolder:
    """A folder's handle: the three files are opened below it, so that an exchange of folders cannot mix two sets."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

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
            size = _size(file)
            check_size(size)
            chunks = []
            while size >= 0 and (chunk := file.read(min(size + 1, 1 << 30))):  # the one byte more tells that it grew
                chunks.append(chunk)
                size -= len(chunk)
        if size != 0:
            raise IndexCorrupt.at(name, "changed its size while it was read")
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _read_once(folder: Path, load: Callable[[_OpenFolder], T]) -> T:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError) as error:
        if folder.is_symlink():
            raise IndexCorrupt.at("the folder", "is a link, which is not followed") from error
        raise IndexMissing("there is no such folder; sync the hub or run `hub-index build`") from error
    try:
        return load(_OpenFolder(handle))
    finally:
        os.close(handle)


def _load_manifest(folder: _OpenFolder) -> Manifest:
    return decode_manifest(_manifest_bytes(folder))


def _load_skills(folder: _OpenFolder) -> SkillsRead:
    manifest = _load_manifest(folder)
    skills = folder.load(SKILLS_FILE, lambda size: check_skills_size(size, manifest))
    check_skills_digest(sha256(skills).hexdigest(), manifest)
    check_characters(skills)
    return SkillsRead(manifest, skills)


def _load_files(folder: _OpenFolder) -> IndexFiles:
    data = _manifest_bytes(folder)
    manifest = decode_manifest(data)
    files = IndexFiles(
        data,
        folder.load(SKILLS_FILE, lambda size: check_skills_size(size, manifest)),
        folder.load(VECTOR_FILE, lambda size: count_rows(size, manifest)),
        _load_signature(folder),
    )
    check_digests(files)
    return files


def _load_signature(folder: _OpenFolder) -> bytes | None:
    """The signature's bytes; None without one, empty for what cannot be one: only who checks it refuses that."""
    try:
        with open_regular(SIGNATURE_FILE, dir_fd=folder.handle) as file:
            return file.read(MAX_SIGNATURE_BYTES + 1) if _size(file) <= MAX_SIGNATURE_BYTES else b""
    except FileNotFoundError:
        return None
    except OSError:
        return b""


def _hash_all(folder: _OpenFolder) -> Manifest:
    read = _load_skills(folder)
    _read_vectors(folder, read, memoryview(bytearray(_CHUNK_BYTES)))
    return read.manifest


def _map_all(folder: _OpenFolder) -> MappedIndex:
    read = _load_skills(folder)
    return MappedIndex(read.manifest, read.skills, _read_vectors(folder, read).toreadonly())


def _read_vectors(folder: _OpenFolder, read: SkillsRead, window: memoryview | None = None) -> memoryview:
    """The vectors, their digest right; with a window they only pass through it and none is kept."""
    with folder.open(VECTOR_FILE) as file:
        size = _size(file)
        check_line_count(read.skills, count_rows(size, read.manifest))
        kept = _own_memory(size) if window is None else window
        digest = sha256()
        done = 0
        while done < size:
            start = done if window is None else 0
            place = kept[start : start + min(_CHUNK_BYTES, size - done)]
            count = file.readinto(place)  # type: ignore[attr-defined]  # an unbuffered file has it
            if not count:
                break
            digest.update(place[:count])
            done += count
        if done != size or file.read(1):
            raise IndexCorrupt.at(VECTOR_FILE, "changed its size while it was read")
    check_vector_digest(digest.hexdigest(), read.manifest)
    return kept


def _own_memory(size: int) -> memoryview:
    """Memory of this process alone; unlike a bytearray it is not filled with zeros before it is read into."""
    return memoryview(mmap(-1, size, flags=MAP_PRIVATE) if size else b"")


def _manifest_bytes(folder: _OpenFolder) -> bytes:
    return folder.load(MANIFEST_FILE, _check_manifest_size)


def _check_manifest_size(size: int) -> None:
    if size > MAX_MANIFEST_BYTES:
        raise IndexCorrupt.at(MANIFEST_FILE, f"is larger than {MAX_MANIFEST_BYTES} bytes")


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size
