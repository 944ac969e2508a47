"""The sections of a new index: each made of old rows and new vectors, checked, or kept unchanged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import (
    SKILLS_FILE,
    VECTOR_FILE,
    all_bits,
    part_number,
    skills_name,
    vectors_name,
    width_of,
)
from hub_index.index.format.records import encode_record
from hub_index.index.format.sections import Section, SectionContent, load, pair_sections, size_of
from hub_index.index.format.validate import check_lines_schema
from hub_index.index.format.vector_rows import VectorRows
from hub_index.index.format.vectors import check_rows, encode_vectors
from hub_index.index.format.verify import VerifiedIndex
from hub_index.models import Content, IndexFiles, Manifest, Part, PartFile
from hub_index.record import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = Mapping[str, NDArray[np.float32]]  # by text_hash


@dataclass(frozen=True, slots=True)
class RowSource:
    """Where every row of the new index comes from."""

    records: Sequence[Record]
    sources: Sequence[int | None]  # the row of the old index; None: the text's new vector
    reused: VerifiedIndex | None
    fresh: "Vectors"
    is_own: bool  # whether this generator made the old index

    def is_old(self, row: int) -> bool:
        """Whether a record is one of the old index, as it was read there."""
        before = self.sources[row]
        return before is not None and self.reused is not None and self.reused.records[before] is self.records[row]


@dataclass(frozen=True, slots=True)
class SectionRows:
    """The rows of a section; without bits, all rows."""

    bits: str
    rows: Sequence[int]

    def facts(self, stride: int) -> Section:
        """The section's facts for our reader, without sizes and digests."""
        if not self.bits:
            return Section(SKILLS_FILE, VECTOR_FILE, stride, len(self.rows), None, None, None)
        names = skills_name(self.bits), vectors_name(self.bits)
        place = int(self.bits, 2), len(self.bits)
        return Section(*names, stride, len(self.rows), None, None, None, *place)


@dataclass(frozen=True, slots=True)
class NewSection:
    """A section's files, right by our reader, in memory or where they are stored."""

    bits: str
    count: int
    skills: Content
    vectors: Content
    skills_sha256: str
    vector_sha256: str

    def largest_bytes(self) -> int:
        """The size of its larger file."""
        return max(size_of(self.skills), size_of(self.vectors))

    def as_part(self) -> Part:
        """The section's entry in the manifest."""
        return Part(
            self.bits,
            self.count,
            PartFile(skills_name(self.bits), size_of(self.skills), self.skills_sha256),
            PartFile(vectors_name(self.bits), size_of(self.vectors), self.vector_sha256),
        )


@dataclass(frozen=True, slots=True)
class OldSection:
    """A section of the previous index, and which of its rows it has."""

    rows: "NDArray[np.int64]"
    skills: Content
    vectors: Content
    skills_sha256: str | None
    vector_sha256: str | None

    def is_whole(self) -> bool:
        """Whether its digests are known: other writers give none."""
        return self.skills_sha256 is not None and self.vector_sha256 is not None

    def digests(self) -> tuple[str, str]:
        """Those of its records and of its vectors."""
        return self.skills_sha256 or "", self.vector_sha256 or ""


def split_rows(records: Sequence[Record], width: int) -> list[SectionRows]:
    """The rows of each section: all in one for width 0, else by the first bits of sha256(id)."""
    if width == 0:
        return [SectionRows("", range(len(records)))]
    rows: list[list[int]] = [[] for _ in range(1 << width)]
    for row, record in enumerate(records):
        rows[part_number(record.id, width)].append(row)
    return [SectionRows(bits, section_rows) for bits, section_rows in zip(all_bits(width), rows, strict=True)]


def old_sections(old: VerifiedIndex | None, width: int) -> dict[str, OldSection]:
    """{bits: section} of the previous index, if it is divided in the same way."""
    if old is None or width != (width_of(old.manifest.parts) if old.manifest.parts else 0):
        return {}
    contents = {bits: content for bits, content in _bits_of_sections(old) if _is_opened(old, bits)}
    return {
        bits: OldSection(
            rows, content.skills, content.vectors, content.facts.skills_sha256, content.facts.vector_sha256
        )
        for (bits, content), rows in zip(contents.items(), old.rows.rows_of_parts(), strict=True)
    }


def unopened_sections(old: VerifiedIndex | None) -> dict[str, NewSection]:
    """{bits: section} of the previous index's unopened parts: they stay as they are."""
    if old is None or old.opened is None:
        return {}
    return {
        bits: NewSection(
            bits,
            content.facts.count or 0,
            content.skills,
            content.vectors,
            content.facts.skills_sha256 or "",
            content.facts.vector_sha256 or "",
        )
        for bits, content in _bits_of_sections(old)
        if not _is_opened(old, bits)
    }


def _bits_of_sections(old: VerifiedIndex) -> list[tuple[str, SectionContent]]:
    bits = all_bits(width_of(old.manifest.parts)) if old.manifest.parts else [""]
    return list(zip(bits, pair_sections(old.manifest, old.files), strict=True))


def _is_opened(old: VerifiedIndex, bits: str) -> bool:
    return old.opened is None or int(bits, 2) in old.opened


def make_sections(source: RowSource, manifest: Manifest, width: int) -> list[NewSection]:
    """The sections of an index with parts of `width` bits: the previous index's if they are equal, else new ones.

    Raises IndexCorrupt.
    """
    old, unopened = old_sections(source.reused, width), unopened_sections(source.reused)
    return [
        unopened.get(section.bits) or make_section(source, section, manifest, old.get(section.bits))
        for section in split_rows(source.records, width)
    ]


def make_section(source: RowSource, section: SectionRows, manifest: Manifest, old: OldSection | None) -> NewSection:
    """One section, checked by our reader and, but for lines that this generator wrote before, by the schema."""
    rows, facts = section.rows, section.facts(manifest.dim * 4)
    has_same_rows = old is not None and _has_same_rows(source, section, old)
    if old is not None and old.is_whole() and has_same_rows and source.is_own and all(map(source.is_old, rows)):
        return NewSection(section.bits, len(rows), old.skills, old.vectors, *old.digests())
    skills: Content = b"".join(encode_record(source.records[row]) for row in rows)
    skills_sha256 = sha256(load(skills)).hexdigest()
    if old is not None and old.skills_sha256 == skills_sha256:
        skills = old.skills
    else:
        new = [row for row in rows if not (source.is_own and source.is_old(row))]
        lines = b"".join(encode_record(source.records[row]) for row in new)
        check_lines_schema(lines, len(new), facts)
    if old is not None and old.is_whole() and has_same_rows:
        return NewSection(section.bits, len(rows), skills, old.vectors, skills_sha256, old.digests()[1])
    vectors = encode_vectors(_join_vectors(source, section, manifest.dim))
    check_rows(vectors, manifest, facts.vector_file)
    return NewSection(section.bits, len(rows), skills, vectors, skills_sha256, sha256(vectors).hexdigest())


def _has_same_rows(source: RowSource, section: SectionRows, old: OldSection) -> bool:
    return len(section.rows) == len(old.rows) and all(
        source.sources[row] == before for row, before in zip(section.rows, old.rows.tolist(), strict=True)
    )


def _join_vectors(source: RowSource, section: SectionRows, dim: int) -> "NDArray[np.float32]":
    """A row per record: the previous index's bits if it has them, else the vector of the record's text."""
    import numpy as np

    joined = np.zeros((len(section.rows), dim), dtype="<f4")
    places, wanted = [], []
    for place, row in enumerate(section.rows):
        before = source.sources[row]
        if before is None:
            joined[place] = source.fresh[source.records[row].text_hash]
        else:
            places.append(place)
            wanted.append(before)
    if source.reused is not None:
        source.reused.rows.copy_to(joined, places, wanted)
    return joined


def stored_rows(files: IndexFiles) -> VectorRows:
    """The vectors of an index that was just made, in the order in which they are stored."""
    manifest = decode_manifest(files.manifest)
    return VectorRows(manifest.dim, [section.vectors for section in pair_sections(manifest, files)])


def rows_of_files(files: IndexFiles, records: Sequence[Record]) -> VectorRows:
    """The same in the order of the index's records."""
    manifest = decode_manifest(files.manifest)
    if manifest.parts is None:
        return stored_rows(files)
    stored = [row for section in split_rows(records, width_of(manifest.parts)) for row in section.rows]
    order = [0] * len(stored)
    for place, row in enumerate(stored):
        order[row] = place
    return VectorRows(manifest.dim, [section.vectors for section in pair_sections(manifest, files)], order)
