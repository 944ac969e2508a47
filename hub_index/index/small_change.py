"""A few changed files of a big index in parts: what to read, and which parts to open; the others stay unread.

Stands between the snapshot and the draft. The previous index must describe today's files but for some blobs, which its
source_digest proves, and every part must have been accepted before. Then a part that holds neither the id of a changed
file nor its text stays as it is, so that a build of one edit takes one of eight parts apart at 109,026 skills.
"""

import re
from dataclasses import dataclass, replace
from json import loads
from random import Random

from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import Repository
from hub_index.hub.known_trees import ListedLater
from hub_index.hub.snapshot import HubState
from hub_index.hub.tree.known_listing import KnownFiles
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.hub.tree.listing import lines_digest
from hub_index.index.build_tools import Watcher
from hub_index.index.format.manifest import WHOLE, decode_manifest
from hub_index.index.format.parts import is_too_large, part_number, width_of
from hub_index.index.format.records import decode_accepted, encode_record, find_record
from hub_index.index.format.sections import load, pair_sections
from hub_index.index.format.verify import AcceptedSections, VerifiedIndex, join_sections
from hub_index.index.rows import Rows, read_files
from hub_index.index.spot_checks import SAMPLE, find_other_records, fingerprint
from hub_index.models import IndexFiles, SkillFile
from hub_index.record import Record

_FEW = 64  # more files are in most parts anyway
_ID = re.compile(rb'^\{"id":("(?:[^"\\]|\\.)*")', re.MULTILINE)  # as our own lines begin


class PreviousParts:
    """The previous index in parts, and which parts were accepted before."""

    def __init__(self, files: IndexFiles, accepted: AcceptedSections) -> None:
        self.files = files
        self.manifest = decode_manifest(files.manifest)
        self.sections = pair_sections(self.manifest, files)
        self.are_accepted = all(accepted.has(section.facts, self.manifest) for section in self.sections)

    def number_of(self, id_: str) -> int:
        """The place of the part that an id belongs to."""
        return part_number(id_, width_of(self.manifest.parts or ()))

    def read_ids(self) -> set[str]:
        """The ids of all records. Raises IndexCorrupt."""
        matches = (_ID.findall(load(section.skills)) for section in self.sections)
        return {loads(id_) for ids in matches for id_ in ids}


@dataclass(frozen=True, slots=True)
class OpenedParts:
    """The parts that a change touches, and their rows to be."""

    index: VerifiedIndex
    rows: Rows
    others: list[str]  # ids of sampled records that do not match their files


def open_parts(repo: Repository, state: HubState, parts: PreviousParts, watcher: Watcher) -> OpenedParts | None:
    """The parts that hold an id or a text of what changed; None if that is much, or more would have to be made anew.

    This very recipe made the previous index. Raises IndexCorrupt, SourceError.
    """
    known_files = _known_files(state)
    changed = (
        _changed_files(repo, state, parts, known_files) if known_files is not None and parts.are_accepted else None
    )
    if known_files is None or changed is None:
        return None
    watcher.expect("reading", len(changed))
    read = read_files(repo, changed, watcher.advance)
    ids = {file.id for file in changed}
    sample = [file for file in _choose_sample(known_files, state.snapshot.revision) if file.id not in ids]
    texts = [row.record.text_hash.encode() for row in read.rows]
    touched = set(map(parts.number_of, ids))
    opened: dict[int, tuple[Record, ...]] = {}
    prints: dict[str, bytes] = {}
    for number, section in enumerate(parts.sections):
        skills = load(section.skills)
        if number in touched or any(text in skills for text in texts):
            opened[number] = decode_accepted(skills)
        here = [find_record(skills, file.id) for file in sample if parts.number_of(file.id) == number]
        prints |= {record.id: fingerprint(record) for record in here if record is not None}
    index = join_sections(parts.manifest, parts.files, opened)
    if not _is_room_for(read, index, state.config.format):
        return None
    rows = read.with_records(record for record in index.records if record.id not in ids)
    rows = replace(rows, problems=(*state.snapshot.problems, *rows.problems))
    return OpenedParts(index, rows, find_other_records(repo, sample, prints))


def _changed_files(
    repo: Repository, state: HubState, parts: PreviousParts, known: KnownFiles
) -> tuple[SkillFile, ...] | None:
    """The files that differ from the previous index; None unless it describes most files.

    Raises SourceError, IndexCorrupt.
    """
    manifest = parts.manifest
    if state.snapshot.outside or not repo.has_commit(manifest.hub_revision):
        return None
    changes = repo.changed_entries(manifest.hub_revision, state.snapshot.revision)
    blobs = {change.path: change.old_blob for change in changes if change.old_mode in REGULAR_MODES}
    if CONFIG_FILE in blobs or lines_digest(known.with_blobs(blobs)) != manifest.source_digest:
        return None
    files = [known.at_line(place) for path in blobs if (place := known.find_line(path)) is not None]
    changed = {file.id: file for file in files if file.blob != blobs[file.file]}
    if len(known) != manifest.count:  # a file in which nothing is readable is read, and named, by every build
        ids = parts.read_ids()
        changed |= {file.id: file for file in known if file.id not in ids}
    return tuple(changed.values()) if len(changed) <= _FEW else None


def _known_files(state: HubState) -> KnownFiles | None:
    files = state.snapshot.files
    listed = files.listed() if isinstance(files, ListedLater) else files
    return listed if isinstance(listed, KnownFiles) else None


def _choose_sample(known: KnownFiles, revision: str) -> list[SkillFile]:
    """Some of the files, others for every revision."""
    places = Random(revision).sample(range(len(known)), min(SAMPLE, len(known)))  # noqa: S311  a sample, no secret
    return [known.at_line(place) for place in places]


def _is_room_for(read: Rows, index: VerifiedIndex, configured: int | None) -> bool:
    """Whether every record stays, and the index is divided with what was read as it was before."""
    manifest, before = index.manifest, {record.id for record in index.records}
    ids = {row.record.id for row in read.rows}
    if any(file.id in before and file.id not in ids for file in read.files):
        return False  # whether too much is lost is judged by all records
    added = len(ids - before)
    parts, stride = manifest.parts or (), manifest.dim * 4
    longest = max(part.skills.bytes for part in parts) + sum(len(encode_record(row.record)) for row in read.rows)
    largest = max(part.vectors.bytes for part in parts) + added * stride
    return configured != WHOLE and not is_too_large(max(longest, largest))
