"""Files of a snapshot → the rows of the index: a record each, and the text if it was read.

A file with the same blob as in the previous index is not read again: its record is carried over. This is checked: the
tree of the previous `hub_revision`, listed with today's rules, must give the previous `source_digest`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from hub_index.hub.git.repository import Repository
from hub_index.hub.history import commit_times, read_history
from hub_index.hub.inspection import inspect_files
from hub_index.hub.snapshot import HubState
from hub_index.hub.text import embedding_text
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.hub.tree.listing import blobs_digest, select_files
from hub_index.index.format.verify import VerifiedIndex
from hub_index.models import Manifest, Problem, Skill, SkillFile, SkillText, TreeEntry
from hub_index.record import Record


class Row(NamedTuple):
    """One row to be; `text` is None if the record was carried over unread."""

    record: Record
    text: SkillText | None


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows, sorted by id, and what was wrong with the files that were read for them."""

    rows: list[Row]
    problems: tuple[Problem, ...]
    files: tuple[SkillFile, ...]  # that were read

    def with_records(self, records: Iterable[Record]) -> "Rows":
        """These rows and those of the carried records, sorted by id."""
        rows = [*self.rows, *(Row(record, None) for record in records)]
        return replace(self, rows=sorted(rows, key=lambda row: row.record.id))

    def take(self) -> Iterator[Row]:
        """The rows one by one, no longer kept here: 109,026 records take 45 MB, which those that follow may have."""
        self.rows.reverse()
        while self.rows:
            yield self.rows.pop()


@dataclass(frozen=True, slots=True)
class DatedRows:
    """The rows with their times, and the newest commit that touched an indexed file."""

    rows: list[Row]
    hub_revision: str
    shallow: bool  # some times are those at which a shallow clone ended
    corrected: int  # times of the previous index that no commit bears out


def carried_records(
    repo: Repository, state: HubState, manifest: Manifest, records: Sequence[Record]
) -> dict[str, Record]:
    """{file: record} of the files that the previous index already describes, blob for blob."""
    if not manifest.source_digest or not repo.has_commit(manifest.hub_revision):
        return {}
    blobs = _blobs_before(repo, state, manifest.hub_revision)
    if blobs_digest(blobs) != manifest.source_digest:
        blobs = {
            file.file: file.blob for file in select_files(repo.list_tree(manifest.hub_revision), state.config).files
        }
    if blobs_digest(blobs) != manifest.source_digest:
        return {}
    by_id = {record.id: record for record in records}
    return {
        file.file: by_id[file.id]
        for file in state.snapshot.files
        if blobs.get(file.file) == file.blob and file.id in by_id and by_id[file.id].path == file.path
    }


def _blobs_before(repo: Repository, state: HubState, commit: str) -> dict[str, str]:
    """{file: blob} of an earlier commit, from today's files and git's difference; a digest has to prove it.

    To list and judge the whole tree once more takes 3 s for 109,000 files.
    """
    blobs = {file.file: file.blob for file in state.snapshot.files}
    gone = []
    for change in repo.changed_entries(commit, state.snapshot.revision):
        if change.path in blobs and change.old_mode in REGULAR_MODES:
            blobs[change.path] = change.old_blob
        elif change.path in blobs:
            del blobs[change.path]
        elif change.old_mode:
            gone.append(TreeEntry(change.old_mode, change.old_blob, 1, change.path))
    return blobs | {file.file: file.blob for file in select_files(gone, state.config).files}


def read_rows(
    repo: Repository, state: HubState, carried: Mapping[str, Record], progress: Callable[[int], None]
) -> Rows:
    """The rows of a snapshot; files that are not carried over are read, parsed and checked."""
    kept = [carried[file.file] for file in state.snapshot.files if file.file in carried]
    read = read_files(repo, [file for file in state.snapshot.files if file.file not in carried], progress)
    rows = read.with_records(kept)
    return replace(rows, problems=(*state.snapshot.problems, *rows.problems))


def read_files(repo: Repository, files: Sequence[SkillFile], progress: Callable[[int], None]) -> Rows:
    """The rows of these files, which are read, parsed and checked."""
    rows: list[Row] = []
    problems: list[Problem] = []
    for inspected in inspect_files(repo, files):
        progress(1)
        problems.extend(inspected.problems)
        if inspected.skill is not None:
            rows.append(row_of(inspected.skill))
    return Rows(rows, tuple(problems), tuple(files))


def row_of(skill: Skill) -> Row:
    """The row of a skill that was read; its time is still to be found."""
    text = embedding_text(skill)
    record = Record(
        id=skill.id,
        path=skill.path,
        name=skill.name,
        description=skill.description,
        text_hash=text.text_hash,
        updated_at="",
        keywords=skill.keywords,
        lang=skill.lang,
    )
    return Row(record, text)


def read_texts(repo: Repository, state: HubState, ids: Collection[str]) -> dict[str, SkillText]:
    """{id: text} of some skills, read again where their records were carried over. Raises SourceError."""
    files = [file for file in state.snapshot.files if file.id in ids]
    inspected = (inspection.skill for inspection in inspect_files(repo, files))
    return {skill.id: embedding_text(skill) for skill in inspected if skill is not None}


def date_rows(  # noqa: PLR0913 - what is dated, and what it is dated by
    repo: Repository, state: HubState, rows: Rows, old: VerifiedIndex | None, since: str | None, *, checks: bool = False
) -> DatedRows:
    """The rows with `updated_at`: carried over while an id keeps its text, else read from git's history. Takes `rows`.

    `hub_revision` is kept while the source is the same; `since` may name a commit before which nothing changed. With
    `checks` a time is carried over only where a commit changed the file at that time: not if a shallow clone made it;
    a time of no commit is carried over too, unless the previous index is marked.
    """
    # a record that was carried over has its time
    hashes = {row.record.id: row.record.text_hash for row in rows.rows if checks or row.text is not None}
    before = old.records if old and hashes else ()
    carried = {record.id: record.updated_at for record in before if hashes.get(record.id) == record.text_hash}
    hub_revision, times = _kept_revision(state, old, checks=checks), carried
    is_marked = bool(old and old.manifest.shallow)
    is_cut = is_marked and not checks
    if checks or len(carried) < len(hashes) or not hub_revision:
        doubted = _doubted(repo, state, carried, is_marked=is_marked) if checks else set()
        files = state.snapshot.files if checks else rows.files
        wanted = [file for file in files if file.id in hashes and (file.id in doubted or file.id not in carried)]
        earlier = {file.file: carried[file.id] for file in wanted if file.id in carried}
        history = read_history(repo, state.snapshot.revision, wanted, state.config, since, earlier=earlier)
        hub_revision, is_cut = hub_revision or history.hub_revision, is_cut or history.is_cut
        times = carried | {file.id: history.updated_at[file.file] for file in wanted}
    corrected = sum(times[id_] != time for id_, time in carried.items())
    dated = [_with_time(row, times.get(row.record.id)) for row in rows.take()]
    return DatedRows(dated, hub_revision, is_cut, corrected)


def _doubted(repo: Repository, state: HubState, carried: Mapping[str, str], *, is_marked: bool) -> set[str]:
    """The ids whose earlier time may be that at which a shallow clone ended.

    Without the mark it is then the time of some commit. A time of no commit is from a history that was rewritten.
    """
    if is_marked:
        return set(carried)
    times = commit_times(repo, state.snapshot.revision)
    return {id_ for id_, updated_at in carried.items() if updated_at in times}


def _kept_revision(state: HubState, old: VerifiedIndex | None, *, checks: bool) -> str:
    """The previous index's `hub_revision`, where this one has the same; else empty."""
    if old is None or old.manifest.source_digest != state.snapshot.source_digest:
        return ""
    return "" if checks and old.manifest.shallow else old.manifest.hub_revision


def _with_time(row: Row, updated_at: str | None) -> Row:
    """The row with this time, if it is another one."""
    is_same = updated_at is None or row.record.updated_at == updated_at
    return row if is_same else Row(row.record.replace(updated_at=updated_at), row.text)
