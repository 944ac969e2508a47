"""The files of an index → a VerifiedIndex, or IndexCorrupt; stored parts are read one at a time and not kept.

`check_digests` is what an unchanged build and a keyword query can afford, `decode_index` is what every use of
rows and vectors demands; `validate.check_index` adds the JSON Schemas.

Sections that our reader has accepted before are known by their digests: their lines and vectors are not checked again.
To check the 109,026 lines of an index takes 1.9 s of a build that changes one of them, to take them apart 0.6 s. The
notes are empty files in the user's own cache, named by the accepted digests and our version, and used only if no other
user may write there. Bytes are hashed as ever whenever they are read: a note is about these very bytes.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from hub_index import GENERATOR
from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.records import check_characters, check_line_count, decode_accepted, decode_records
from hub_index.index.format.sections import (
    Section,
    SectionContent,
    digest_of,
    load,
    pair_sections,
    sections_of,
    size_of,
)
from hub_index.index.format.vector_rows import VectorRows
from hub_index.index.format.vectors import check_rows
from hub_index.models import IndexFiles, Manifest
from hub_index.record import Record

_KIND = "accepted"
_KEPT = 4_096  # an index has at most 1,024 parts, and an edit makes one anew


class AcceptedSections:
    """The notes in a cache folder; an empty name remembers nothing."""

    def __init__(self, cache: str) -> None:
        self._folder = os.path.join(cache, _KIND) if cache else ""

    def has(self, section: Section, manifest: Manifest) -> bool:
        """True if records and vectors of these digests were accepted at the same place of an index with these facts."""
        path = self._path(section, manifest)
        return bool(path) and os.path.isfile(path) and not any(map(who_else_may_write, (self._folder, path)))

    def add(self, manifest: Manifest) -> None:
        """Notes that all records and vectors of an index were accepted, if that can be done."""
        paths = [path for section in sections_of(manifest) if (path := self._path(section, manifest))]
        with suppress(OSError):
            for path in paths:
                make_private_folder(self._folder)
                with suppress(FileExistsError), open(path, "xb", opener=open_private_file):
                    pass
                os.utime(path)  # used now: the oldest are dropped first
            entries = list(os.scandir(self._folder)) if paths else []
            for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[:-_KEPT]:
                os.unlink(entry.path)

    def _path(self, section: Section, manifest: Manifest) -> str:
        """The path of a section's note; empty if the manifest has no digest of its bytes."""
        if not self._folder or section.skills_sha256 is None or section.vector_sha256 is None:
            return ""
        form = (section.number, section.width, section.count, manifest.dim, manifest.normalize, manifest.constant_part)
        facts = f"2 {GENERATOR}\0{form!r}\0{section.skills_sha256}\0{section.vector_sha256}"
        return os.path.join(self._folder, sha256(facts.encode()).hexdigest())


NOTHING_ACCEPTED: AcceptedSections = AcceptedSections("")


@dataclass(frozen=True, slots=True)
class VerifiedIndex:
    """An index that was checked in full: records sorted by id, row i of `rows` belongs to `records[i]`."""

    manifest: Manifest
    records: tuple[Record, ...]
    rows: VectorRows
    files: IndexFiles
    opened: frozenset[int] | None = None  # the sections that records and rows are of; None: of all

    @property
    def unopened_count(self) -> int:
        """The number of records in the unopened sections."""
        return 0 if self.opened is None else (self.manifest.count or 0) - len(self.records)

    @property
    def vectors(self) -> bytes:
        """All rows as bytes; of format 2 a copy that is made anew each time."""
        return self.rows.whole()


def check_digests(files: IndexFiles) -> Manifest:
    """The manifest, which speaks of exactly these bytes as far as it says. Raises IndexCorrupt, IndexTooNew."""
    manifest = decode_manifest(files.manifest)
    for section in pair_sections(manifest, files):
        _load_skills(section)
        _load_vectors(section)
    return manifest


def check_stored(files: IndexFiles) -> Manifest:
    """As `check_digests`, but the digest of a stored file is checked later, when the file is read.

    Raises IndexCorrupt, IndexTooNew.
    """
    manifest = decode_manifest(files.manifest)
    for section in pair_sections(manifest, files):
        if isinstance(section.skills, bytes):
            _load_skills(section)
        else:
            section.facts.check_skills_size(section.skills.size)
            section.facts.check_skills_digest(section.skills.sha256)
        if isinstance(section.vectors, bytes):
            _load_vectors(section)
        else:
            section.facts.count_rows(section.vectors.size)
            section.facts.check_vector_digest(section.vectors.sha256)
    return manifest


def decode_index(files: IndexFiles, accepted: AcceptedSections = NOTHING_ACCEPTED) -> VerifiedIndex:
    """The whole index, every row and vector checked. Raises IndexCorrupt, IndexTooNew.

    Sections in `accepted` are not checked again: their vectors are not even read. Sections that pass are noted there.
    """
    manifest = decode_manifest(files.manifest)
    sections = pair_sections(manifest, files)
    records: dict[int, tuple[Record, ...]] = {}
    for number, section in enumerate(sections):
        rows = section.facts.count_rows(size_of(section.vectors))
        skills = _load_skills(section)
        if accepted.has(section.facts, manifest):
            records[number] = decode_accepted(skills)
            continue
        records[number] = decode_records(skills, rows, section.facts)
        check_rows(_load_vectors(section), manifest, section.facts.vector_file)
    accepted.add(manifest)
    return join_sections(manifest, files, records)


def join_sections(manifest: Manifest, files: IndexFiles, found: Mapping[int, tuple[Record, ...]]) -> VerifiedIndex:
    """The index of these sections, whose records were accepted, by their numbers; or of some of them."""
    sections = pair_sections(manifest, files)
    vectors = [section.vectors for number, section in enumerate(sections) if number in found]
    opened = None if len(vectors) == len(sections) else frozenset(found)
    records = [record for number in sorted(found) for record in found[number]]
    if len(found) == 1:
        return VerifiedIndex(manifest, tuple(records), VectorRows(manifest.dim, vectors), files, opened)
    order = sorted(range(len(records)), key=lambda row: records[row].id)
    sorted_records = tuple(records[row] for row in order)
    return VerifiedIndex(manifest, sorted_records, VectorRows(manifest.dim, vectors, order), files, opened)


def read_ids(files: IndexFiles) -> set[str]:
    """The ids of an index's records. Raises IndexCorrupt, IndexTooNew."""
    ids: set[str] = set()
    for section in pair_sections(decode_manifest(files.manifest), files):
        skills = load(section.skills)
        ids.update(record.id for record in decode_records(skills, skills.count(b"\n"), section.facts))
    return ids


def _load_skills(section: SectionContent) -> bytes:
    """The bytes of a section's records, right by size, number of lines and digest."""
    facts = section.facts
    facts.check_skills_size(size_of(section.skills))
    skills = load(section.skills)
    check_line_count(skills, facts.count_rows(size_of(section.vectors)), facts)
    facts.check_skills_digest(digest_of(section.skills, skills))
    check_characters(skills, facts)
    return skills


def _load_vectors(section: SectionContent) -> bytes:
    section.facts.count_rows(size_of(section.vectors))
    vectors = load(section.vectors)
    section.facts.check_vector_digest(digest_of(section.vectors, vectors))
    return vectors
