"""An index as sections: format 1 is one, format 2 has one for each part. Bytes are checked section by section."""

from dataclasses import dataclass
from hashlib import sha256

from hub_index.errors import IndexCorrupt
from hub_index.index.format.parts import SKILLS_FILE, VECTOR_FILE, part_number, width_of
from hub_index.limits import MAX_SKILLS_BYTES, MAX_VECTOR_BYTES
from hub_index.models import Content, IndexFiles, Manifest


@dataclass(frozen=True, slots=True)
class Section:
    """The manifest's facts on one file of records and one of vectors; None if another writer leaves a fact out."""

    skills_file: str
    vector_file: str
    stride: int  # bytes of a vector
    count: int | None
    skills_bytes: int | None
    skills_sha256: str | None
    vector_sha256: str | None
    number: int = 0
    width: int = 0  # bits that name a part; 0: the section is all there is

    def check_skills_size(self, size: int) -> None:
        """Raises IndexCorrupt if the file of records cannot be the one that the manifest names."""
        if size > MAX_SKILLS_BYTES or self.skills_bytes not in {None, size}:
            raise IndexCorrupt.at(self.skills_file, f"has {size} bytes, and the manifest names another number")

    def check_skills_digest(self, digest: str) -> None:
        """Raises IndexCorrupt for other bytes than the manifest's; other writers give no digest."""
        if self.skills_sha256 not in {None, digest}:
            raise IndexCorrupt.at(self.skills_file, "its bytes are not those that the manifest names")

    def check_vector_digest(self, digest: str) -> None:
        """Raises IndexCorrupt for other bytes than the manifest's; other writers give no digest."""
        if self.vector_sha256 not in {None, digest}:
            raise IndexCorrupt.at(self.vector_file, "its bytes are not those that the manifest names")

    def count_rows(self, size: int) -> int:
        """The number of rows in a file of that size. Raises IndexCorrupt if it disagrees with the manifest."""
        rows, rest = divmod(size, self.stride)
        if rest or size > MAX_VECTOR_BYTES or self.count not in {None, rows}:
            raise IndexCorrupt.at(self.vector_file, f"has {size} bytes, which is not count × dim × 4 of the manifest")
        return rows

    def check_place(self, id_: str, number: int) -> None:
        """Raises IndexCorrupt for a record of another part: no reader would look for it here."""
        if self.width and part_number(id_, self.width) != self.number:
            raise IndexCorrupt.at(self.skills_file, f"line {number} belongs to another part")


WHOLE_INDEX = Section(SKILLS_FILE, VECTOR_FILE, 4, None, None, None, None)  # records without a word about their files


def sections_of(manifest: Manifest) -> tuple[Section, ...]:
    """The sections of a manifest: one for format 1, one for each part of format 2."""
    stride = manifest.dim * 4
    if manifest.parts is None:
        facts = (manifest.count, manifest.skills_bytes, manifest.skills_sha256, manifest.vector_sha256)
        return (Section(SKILLS_FILE, VECTOR_FILE, stride, *facts),)
    width = width_of(manifest.parts)
    return tuple(
        Section(
            part.skills.file,
            part.vectors.file,
            stride,
            part.count,
            part.skills.bytes,
            part.skills.sha256,
            part.vectors.sha256,
            number,
            width,
        )
        for number, part in enumerate(manifest.parts)
    )


@dataclass(frozen=True, slots=True)
class SectionContent:
    """A section and its two files."""

    facts: Section
    skills: Content
    vectors: Content


def pair_sections(manifest: Manifest, files: IndexFiles) -> tuple[SectionContent, ...]:
    """The sections of a manifest with the files that belong to them. Raises IndexCorrupt if a part has none."""
    sections = sections_of(manifest)
    if manifest.parts is None:
        return (SectionContent(sections[0], files.skills, files.vectors),)
    if len(files.parts) != len(sections):
        raise IndexCorrupt.at(sections[min(len(files.parts), len(sections) - 1)].skills_file, "is missing")
    pairs = zip(sections, files.parts, strict=True)
    return tuple(SectionContent(section, content.skills, content.vectors) for section, content in pairs)


def load(content: Content) -> bytes:
    """The bytes, read now if they are stored elsewhere. Raises IndexCorrupt."""
    return content if isinstance(content, bytes) else content.read()


def digest_of(content: Content, data: bytes) -> str:
    """The digest of a content's bytes; a stored file has checked its own when it was read."""
    return sha256(data).hexdigest() if isinstance(content, bytes) else content.sha256


def size_of(content: Content) -> int:
    """The size of the content in bytes."""
    return len(content) if isinstance(content, bytes) else content.size
