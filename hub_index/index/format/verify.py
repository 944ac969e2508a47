"""Three byte strings → a VerifiedIndex, or IndexCorrupt; pure, nothing is read from disk.

`check_digests` is what an unchanged build and a keyword query can afford, `decode_index` is what every use of
rows and vectors demands; `validate.check_index` adds the JSON Schemas.
"""

from dataclasses import dataclass
from hashlib import sha256

from hub_index.errors import IndexCorrupt
from hub_index.index.format.manifest import SKILLS_FILE, VECTOR_FILE, decode_manifest
from hub_index.index.format.records import check_characters, check_line_count, decode_records
from hub_index.index.format.vectors import check_vectors, count_rows
from hub_index.limits import MAX_SKILLS_BYTES
from hub_index.models import IndexFiles, Manifest
from hub_index.record import Record


@dataclass(frozen=True, slots=True)
class VerifiedIndex:
    """An index that was checked in full: row i of `vectors` belongs to `records[i]`."""

    manifest: Manifest
    records: tuple[Record, ...]
    vectors: bytes


def check_digests(files: IndexFiles) -> Manifest:
    """The manifest, which speaks of exactly these bytes as far as it says. Raises IndexCorrupt, IndexTooNew."""
    manifest = decode_manifest(files.manifest)
    rows = count_rows(len(files.vectors), manifest)
    check_skills_size(len(files.skills), manifest)
    check_line_count(files.skills, rows)
    check_skills_digest(sha256(files.skills).hexdigest(), manifest)
    check_characters(files.skills)
    check_vector_digest(sha256(files.vectors).hexdigest(), manifest)
    return manifest


def check_skills_size(size: int, manifest: Manifest) -> None:
    """Raises IndexCorrupt where skills.jsonl cannot be the file that the manifest names."""
    if size > MAX_SKILLS_BYTES or manifest.skills_bytes not in {None, size}:
        raise IndexCorrupt.at(SKILLS_FILE, f"has {size} bytes, and the manifest names another number")


def check_skills_digest(digest: str, manifest: Manifest) -> None:
    """Raises IndexCorrupt for other bytes than the manifest's; other writers give no digest."""
    if manifest.skills_sha256 not in {None, digest}:
        raise IndexCorrupt.at(SKILLS_FILE, "its bytes are not those that the manifest names")


def check_vector_digest(digest: str, manifest: Manifest) -> None:
    """Raises IndexCorrupt for other bytes than the manifest's; other writers give no digest."""
    if manifest.vector_sha256 not in {None, digest}:
        raise IndexCorrupt.at(VECTOR_FILE, "its bytes are not those that the manifest names")


def decode_index(files: IndexFiles) -> VerifiedIndex:
    """All of it, every row and vector checked. Raises IndexCorrupt, IndexTooNew."""
    manifest = check_digests(files)
    records = decode_records(files.skills, count_rows(len(files.vectors), manifest))
    check_vectors(files.vectors, manifest)
    return VerifiedIndex(manifest, records, files.vectors)
