"""An index folder → the facts of its manifest and the lines of its skills.jsonl, verified.

The first time every line is decoded and checked by the core's reader, and the verdict is remembered under the digest of
the manifest's bytes, which name the digest of skills.jsonl, with the stamps of the record files. From then on one hash
and a look at these files identify the records: a search with a lexical index of these records reads nothing else. The
lines are read by their digest; any other bytes, a half-synced set among them, and files of another time or size are
verified again.
"""

import os
from hashlib import sha256

from hub_index.base.cache_notes import read_note, write_note
from hub_index.base.characters import quote_line
from hub_index.base.safe_open import RootedPath, folder_stamp
from hub_index.errors import IndexChanging, IndexUnusable
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_MANIFEST_BYTES, MAX_SKILLS_BYTES

TYPE_CHECKING = False  # as typing's own, which would cost a cold query 3 ms
if TYPE_CHECKING:
    from hub_index.models import Manifest
    from hub_index.search.places.skill_lines import SkillLines

_KIND = "manifests"
MANIFEST, _SKILLS = "index_manifest.json", "skills.jsonl"  # as in index/format, which imports json and dataclasses
_CHANGING = "the index is being changed right now; try again in a moment"
_SUFFIX = ".jsonl"
_NOTE_VERSION = "6"  # of the checks that a remembered verdict has passed: raise it when they grow
_FACTS = ("skills_sha256", "source_digest", "created_at", "model_id")
_NOTED = ("version", "stamp", *_FACTS, "count", "names_skills")


class PublishedSkills(FrozenValue):
    """A verified skills.jsonl: its digest, the digest of its source files (empty: unknown), and its time."""

    folder: RootedPath
    skills_sha256: str
    source_digest: str
    created_at: str
    model_id: str
    count: int
    lines: "SkillLines | None" = None  # where they were read

    def read_lines(self, cache: str) -> "SkillLines":
        """The lines. Raises IndexUnusable, IndexChanging if they are others by now."""
        from hub_index.search.places.skill_lines import remembered_lines

        lines = self.lines or remembered_lines(self.skills_sha256, str(self.folder), cache, self._read_again)
        if lines is not None:
            return lines
        again = _verified(self.folder, cache, folder_stamp(self.folder, _SUFFIX))
        if again.skills_sha256 != self.skills_sha256 or again.lines is None:
            raise IndexChanging(f"{quote_line(str(self.folder))}: {_CHANGING}")
        return again.lines

    def _read_again(self) -> "list[bytes]":
        from hub_index.search.places.skill_lines import split_lines

        skills = _read_plain(self.folder, _SKILLS, MAX_SKILLS_BYTES)
        if skills is not None and sha256(skills).hexdigest() == self.skills_sha256:
            return split_lines(skills)
        from hub_index.index.folder.reading import read_skills

        found = read_skills(self.folder)  # of format 2, or something is wrong
        if found.skills_sha256 != self.skills_sha256:
            raise IndexChanging(f"{quote_line(str(self.folder))}: {_CHANGING}")
        return split_lines(found.skills)


def read_published(folder: RootedPath, cache: str) -> PublishedSkills:
    """The facts of the index, its records verified. Raises IndexUnusable."""
    stamp = folder_stamp(folder, _SUFFIX)  # before anything is read
    return _remembered(folder, cache, stamp) or _verified(folder, cache, stamp)


def _remembered(folder: RootedPath, cache: str, stamp: str) -> PublishedSkills | None:
    manifest = _read_plain(folder, MANIFEST, MAX_MANIFEST_BYTES)
    key = _note_key(manifest, folder) if manifest is not None else ""
    note = read_note(cache, _KIND, key, _NOTED) if key else None
    if note is None or (note["version"], note["stamp"]) != (_NOTE_VERSION, stamp) or not note["count"].isdecimal():
        return None
    if not note["names_skills"]:
        skills = _read_plain(folder, _SKILLS, MAX_SKILLS_BYTES)
        if skills is None or note["skills_sha256"] != sha256(skills).hexdigest():
            return None
    skills_sha256, source_digest, created_at, model_id = (note[name] for name in _FACTS)
    return PublishedSkills(folder, skills_sha256, source_digest, created_at, model_id, int(note["count"]))


def _note_key(manifest: bytes, folder: RootedPath) -> str:
    """The name of the note on these bytes in this folder: a clone of the same index has other files."""
    return sha256(manifest + b"\0" + os.fsencode(os.path.realpath(folder))).hexdigest()


def _verified(folder: RootedPath, cache: str, stamp: str) -> PublishedSkills:
    from hub_index.index.folder.reading import read_skills
    from hub_index.index.format.parts import skills_digest
    from hub_index.search.places.skill_lines import verify_lines

    read = read_skills(folder)
    manifest = read.manifest
    count = read.skills.count(b"\n") if manifest.count is None else manifest.count
    facts = (read.skills_sha256, manifest.source_digest or "", manifest.created_at, manifest.model_id)
    lines = verify_lines(read.skills, read.skills_sha256, count, str(folder), cache)
    published = PublishedSkills(folder, *facts, count, lines)
    again = _read_plain(folder, MANIFEST, MAX_MANIFEST_BYTES)
    if again is not None and _same_manifest(again, manifest):
        note = {"version": _NOTE_VERSION, "stamp": stamp, **dict(zip(_FACTS, facts, strict=True))}
        note |= {"count": str(count), "names_skills": "yes" if skills_digest(manifest) else ""}
        write_note(cache, _KIND, _note_key(again, folder), note)
    return published


def _same_manifest(data: bytes, manifest: "Manifest") -> bool:
    """Whether these bytes, read a moment later, are still those that were verified."""
    from hub_index.index.format.manifest import decode_manifest

    try:
        return decode_manifest(data) == manifest
    except IndexUnusable:
        return False


def _read_plain(folder: RootedPath, name: str, max_bytes: int) -> bytes | None:
    """A regular file's bytes, or None: the full read reports the error."""
    try:
        return folder.read(name, max_bytes)
    except OSError:
        return None
