"""An index folder → what is known of it and the bytes of its skills.jsonl, verified.

The first time every line is decoded and checked by the core's reader, and the verdict is remembered under the digest
of the manifest's bytes. From then on two hashes say that these are the same bytes: no JSON is decoded, and the vectors
are not touched. Any other bytes, a half-synced set among them, go the long way again.
"""

import os
from hashlib import sha256

from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_MANIFEST_BYTES, MAX_SKILLS_BYTES
from hub_index.regular_file import read_regular
from hub_index.search.cache_notes import read_note, write_note

TYPE_CHECKING = False  # as typing's own, which would cost a cold query 3 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.models import Manifest
    from hub_index.search.checkout.files import Progress
    from hub_index.search.lexical.build import LexicalDocument

_KIND = "manifests"
MANIFEST, _SKILLS = "index_manifest.json", "skills.jsonl"  # as in index/format, which imports json and dataclasses
_NOTE_VERSION = "4"  # of the checks that a remembered verdict has passed: raise it when they grow


class PublishedSkills(FrozenValue):
    """A verified skills.jsonl, its digest, that of the files which it was made from (empty: nobody says), and when."""

    skills: bytes
    skills_sha256: str
    source_digest: str
    created_at: str


def read_published(index_dir: str, cache: str) -> PublishedSkills:
    """The index's records, whole and verified. Raises IndexUnusable."""
    return _remembered(index_dir, cache) or _verified(index_dir, cache)


def read_record_documents(
    skills: bytes, hub: str, progress: "Progress | None", *, with_unindexed: bool = False
) -> "Iterator[LexicalDocument]":
    """The records as documents for the lexical index, with the bodies that stand in the checkout.

    After them, if wanted, the skills of the checkout that have no record: rows beyond the last vector.
    """
    from hub_index.index.format.records import decode_records
    from hub_index.search.checkout.files import list_record_files, read_body, read_unindexed
    from hub_index.search.lexical.build import LexicalDocument

    records = decode_records(skills, skills.count(b"\n"))
    files = list_record_files(hub)
    for done, record in enumerate(records):
        if progress:
            progress(done, len(records))
        yield LexicalDocument(record, read_body(hub, files.get(record.id, "")))
    if with_unindexed:
        yield from read_unindexed(hub, {record.id for record in records})


def _remembered(index_dir: str, cache: str) -> PublishedSkills | None:
    manifest = _read_plain(os.path.join(index_dir, MANIFEST), MAX_MANIFEST_BYTES)
    note = read_note(cache, _KIND, sha256(manifest).hexdigest()) if manifest is not None else None
    if note is None or note.get("version") != _NOTE_VERSION:
        return None
    skills = _read_plain(os.path.join(index_dir, _SKILLS), MAX_SKILLS_BYTES)
    if skills is None or note["skills_sha256"] != sha256(skills).hexdigest():
        return None
    return PublishedSkills(skills, note["skills_sha256"], note["source_digest"], note["created_at"])


def _verified(index_dir: str, cache: str) -> PublishedSkills:
    from pathlib import Path

    from hub_index.index.folder.store import read_skills
    from hub_index.index.format.records import decode_records

    found = read_skills(Path(index_dir))
    decode_records(found.skills, found.skills.count(b"\n") if found.manifest.count is None else found.manifest.count)
    manifest = found.manifest
    skills_sha256, source_digest = found.skills_sha256, manifest.source_digest or ""
    published = PublishedSkills(found.skills, skills_sha256, source_digest, manifest.created_at)
    again = _read_plain(os.path.join(index_dir, MANIFEST), MAX_MANIFEST_BYTES)
    if again is not None and _same_manifest(again, manifest):
        facts = {"skills_sha256": skills_sha256, "source_digest": source_digest, "created_at": manifest.created_at}
        write_note(cache, _KIND, sha256(again).hexdigest(), {"version": _NOTE_VERSION, **facts})
    return published


def _same_manifest(data: bytes, manifest: "Manifest") -> bool:
    """Whether these bytes, read a moment later, are still those that were verified."""
    from hub_index.errors import IndexUnusable
    from hub_index.index.format.manifest import decode_manifest

    try:
        return decode_manifest(data) == manifest
    except IndexUnusable:
        return False


def _read_plain(path: str, max_bytes: int) -> bytes | None:
    """A regular file's bytes, or None: whoever comes after this quick look says what is wrong."""
    try:
        return read_regular(path, max_bytes)
    except OSError:
        return None
