"""The index folder → verified bytes; a set that git or a builder is changing is read again, never mixed.

Trusts digests, never order or time stamps, and hands out exactly the bytes that it hashed. Follows no link, opens no
pipe, and knows every size before it reads. Imports neither numpy nor jsonschema: a client's keyword search runs this.
Records and vectors of either format are handed out in one order, that of the ids.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from mmap import MAP_PRIVATE, mmap
from pathlib import Path
from typing import TypeVar

from hub_index.index.folder.open_folder import CHUNK_BYTES, IndexFolder, OpenFolder, read_once
from hub_index.index.folder.part_records import MergedLines, merge_lines, order_rows
from hub_index.index.folder.retry_read import retry_until_settled
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import skills_digest
from hub_index.index.format.records import check_characters, check_line_count
from hub_index.index.format.sections import Section, sections_of
from hub_index.index.format.verify import check_digests
from hub_index.models import IndexFiles, Manifest, PartContent

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SkillsRead:
    """A manifest and the records that it names, sorted by id: all that a keyword query needs."""

    manifest: Manifest
    skills: bytes  # of format 2 too as one text, which skills.jsonl would be

    @property
    def skills_sha256(self) -> str:
        """The digest of these records; our manifests hold it too."""
        return skills_digest(self.manifest) or sha256(self.skills).hexdigest()


@dataclass(frozen=True, slots=True)
class MappedIndex(SkillsRead):
    """A verified set, its vectors in private memory: a file that shrinks under a map of it would kill the process."""

    vectors: memoryview  # read-only; row i belongs to line i


def read_files(folder: IndexFolder, accept: Callable[[IndexFiles], object] | None = None) -> IndexFiles:
    """The files, whole, their digests right, and the signature. Raises IndexUnusable, also what `accept` does.

    Parts stay on disk and are hashed again whenever they are read. `accept` looks at every set that is read: one whose
    signature is still to come is waited for.
    """

    def load(opened: OpenFolder) -> IndexFiles:
        files = _load_files(opened)
        if accept is not None:
            accept(files)
        return files

    return _read_settled(folder, load)


def open_files(folder: IndexFolder) -> IndexFiles:
    """As `read_files`, but parts are not hashed before they are read. Raises IndexUnusable."""
    return _read_settled(folder, lambda opened: _load_files(opened, hash_parts=False))


def read_signed_manifest(folder: IndexFolder, accept: Callable[[bytes, bytes | None], object]) -> bytes:
    """The manifest's bytes, once `accept` has taken them and their signature. Raises IndexUnusable."""

    def load(opened: OpenFolder) -> bytes:
        manifest = opened.manifest()
        accept(manifest, opened.signature())
        return manifest

    return _read_settled(folder, load)


def read_manifest(folder: IndexFolder) -> Manifest:
    """The manifest alone, decoded; the other files are not looked at. Raises IndexUnusable."""
    return _read_settled(folder, _load_manifest)


def read_digests_ok(folder: IndexFolder) -> Manifest:
    """The manifest of a set whose digests are right; the vectors are hashed, not loaded. Raises IndexUnusable."""
    return _read_settled(folder, _hash_all)


def read_skills(folder: IndexFolder) -> SkillsRead:
    """Manifest and records, their digests right; the vectors are not touched. Raises IndexUnusable."""
    return _read_settled(folder, _load_skills)


def map_index(folder: IndexFolder) -> MappedIndex:
    """The set with its vectors in memory of our own, read once and hashed there. Raises IndexUnusable.

    The numbers are still to be checked, by `check_vectors`.
    """
    return _read_settled(folder, _map_all)


def _read_settled(folder: IndexFolder, load: Callable[[OpenFolder], T]) -> T:
    return retry_until_settled(Path(folder), lambda: read_once(folder, load))


def _load_manifest(folder: OpenFolder) -> Manifest:
    return decode_manifest(folder.manifest())


def _load_skills(folder: OpenFolder) -> SkillsRead:
    manifest = _load_manifest(folder)
    return SkillsRead(manifest, _load_merged(folder, manifest).skills)


def _load_merged(folder: OpenFolder, manifest: Manifest) -> MergedLines:
    sections = sections_of(manifest)
    return merge_lines(sections, [_load_records(folder, section) for section in sections])


def _load_records(folder: OpenFolder, section: Section) -> bytes:
    skills = folder.load(section.skills_file, section.check_skills_size)
    section.check_skills_digest(sha256(skills).hexdigest())
    if section.count is not None:
        check_line_count(skills, section.count, section)
    check_characters(skills, section)
    return skills


def _load_files(folder: OpenFolder, *, hash_parts: bool = True) -> IndexFiles:
    data = folder.manifest()
    manifest = decode_manifest(data)
    if manifest.parts is not None:
        if hash_parts:
            _hash_sections(folder, manifest)
        parts = (PartContent(folder.stored(part.skills), folder.stored(part.vectors)) for part in manifest.parts)
        return IndexFiles(data, signature=folder.signature(), parts=tuple(parts))
    (whole,) = sections_of(manifest)
    files = IndexFiles(
        data,
        folder.load(whole.skills_file, whole.check_skills_size),
        folder.load(whole.vector_file, whole.count_rows),
        folder.signature(),
    )
    check_digests(files)
    return files


def _hash_all(folder: OpenFolder) -> Manifest:
    manifest = _load_manifest(folder)
    _hash_sections(folder, manifest)
    return manifest


def _hash_sections(folder: OpenFolder, manifest: Manifest) -> None:
    window = memoryview(bytearray(CHUNK_BYTES))
    for section in sections_of(manifest):
        _read_vectors(folder, section, _load_records(folder, section), lambda _size: window)


def _map_all(folder: OpenFolder) -> MappedIndex:
    manifest = _load_manifest(folder)
    sections = sections_of(manifest)
    texts = [_load_records(folder, section) for section in sections]
    merged = merge_lines(sections, texts)
    if merged.order is None:
        vectors = _read_vectors(folder, sections[0], texts[0], _own_memory)
    else:
        pairs = zip(sections, texts, strict=True)
        rows = (_read_vectors(folder, section, text, _own_memory) for section, text in pairs)
        vectors = order_rows(rows, merged.order, manifest.dim, _own_memory)
    return MappedIndex(manifest, merged.skills, vectors.toreadonly())


def _read_vectors(
    folder: OpenFolder, section: Section, skills: bytes, room_for: Callable[[int], memoryview]
) -> memoryview:
    """The room with a section's vectors, a row for each of its lines, their digest right."""
    room = memoryview(b"")

    def make_room(size: int) -> memoryview:
        nonlocal room
        check_line_count(skills, section.count_rows(size), section)
        room = room_for(size)
        return room

    digest = sha256()
    for piece in folder.stream(section.vector_file, make_room):
        digest.update(piece)
    section.check_vector_digest(digest.hexdigest())
    return room


def _own_memory(size: int) -> memoryview:
    """Memory of this process alone; unlike a bytearray it is not filled with zeros before it is read into."""
    return memoryview(mmap(-1, size, flags=MAP_PRIVATE) if size else b"")
