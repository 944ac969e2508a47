"""A build between reading and embedding: the records to be, where each vector comes from, what is still to embed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hub_index.errors import IndexUnusable
from hub_index.hub.git.repository import Repository
from hub_index.hub.inspection import IndexedText, read_outside
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState
from hub_index.index.build_tools import Watcher
from hub_index.index.format.verify import NOTHING_ACCEPTED, AcceptedSections, VerifiedIndex
from hub_index.index.plan import Plan, plan_rows
from hub_index.index.previous import PreviousIndex, unusable_notice
from hub_index.index.reporting.report import BuildReport
from hub_index.index.rows import DatedRows, Rows, carried_records, date_rows, read_rows
from hub_index.index.small_change import OpenedParts, PreviousParts, open_parts
from hub_index.index.spot_checks import check_some, is_our_recipe
from hub_index.models import Manifest, SkillText
from hub_index.record import Record

_SHOWN_IDS = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything decided, nothing embedded yet."""

    manifest: Manifest  # complete but for created_at, dim and the digests
    old: VerifiedIndex | None
    reuses: bool  # whether the old index's vectors may be used
    records: tuple[Record, ...]  # of the parts that are opened, where not all of them are
    texts: tuple[SkillText, ...]  # distinct, to be embedded
    plan: Plan
    report: BuildReport

    @property
    def count(self) -> int:
        """The number of records in the new index."""
        return len(self.records) + (self.old.unopened_count if self.old else 0)


@dataclass(frozen=True, slots=True)
class Scope:
    """The previous index, and how much of it a build may take over."""

    previous: PreviousIndex | None
    read_all: bool = False  # --strict: every file's problems are wanted
    force: bool = False  # --force: every vector is made anew
    accepted: AcceptedSections = NOTHING_ACCEPTED  # records that need no check again
    distrusted: Sequence[str] = ()  # ids of its records that do not match their files


@dataclass(frozen=True, slots=True)
class _Start:
    """The used part of the previous index, and the coming rows; `since`: its revision if some rows come from it."""

    old: VerifiedIndex | None
    reuses: bool
    rows: Rows
    since: str | None
    notice: str = ""


def draft_index(repo: Repository, state: HubState, wanted: Manifest, scope: Scope, watcher: Watcher) -> Draft:
    """The draft of a build of this state, made after all needed files are read."""
    small = _open_small(repo, state, wanted, scope, watcher)
    if small is not None and not small.others:
        start = _Start(small.index, True, small.rows, small.index.manifest.hub_revision)
    else:
        scope = replace(scope, distrusted=small.others if small else ())
        start = _start_whole(repo, state, wanted, scope, watcher)
    old = start.old
    is_full = not state.snapshot.shallow
    checks = is_full and old is not None and (scope.force or bool(old.manifest.shallow))
    dated = date_rows(repo, state, start.rows, old, start.since, checks=checks)
    records = tuple(row.record for row in dated.rows)
    plan = plan_rows(records, old.records if old else (), reuse=start.reuses)
    texts = {row.text.text_hash: row.text for row in dated.rows if row.text is not None}
    return Draft(
        manifest=replace(wanted, hub_revision=dated.hub_revision, shallow=dated.shallow or None),
        old=old,
        reuses=start.reuses,
        records=records,
        texts=tuple(texts[text_hash] for text_hash in plan.embed),
        plan=plan,
        report=_with_outside(_report(state, wanted, start, plan, dated), repo, state, records),
    )


def _open_small(
    repo: Repository, state: HubState, wanted: Manifest, scope: Scope, watcher: Watcher
) -> OpenedParts | None:
    """The parts of the previous index that a few changed files touch; None where all of it is to be taken apart."""
    previous = scope.previous
    if previous is None or previous.manifest.parts is None or scope.read_all or scope.force:
        return None
    if previous.manifest.shallow and not state.snapshot.shallow:  # all times are looked at
        return None
    if previous.manifest.space != wanted.space or not is_our_recipe(previous.manifest):
        return None
    try:
        return open_parts(repo, state, PreviousParts(previous.open(), scope.accepted), watcher)
    except IndexUnusable:  # the full read reports what is wrong
        return None


def _start_whole(repo: Repository, state: HubState, wanted: Manifest, scope: Scope, watcher: Watcher) -> _Start:
    """The start where every record of the previous index is taken apart."""
    old, notice = None, ""
    try:
        old = scope.previous.decode(scope.accepted) if scope.previous else None
    except IndexUnusable as error:
        notice = unusable_notice(error)
    reuses = old is not None and old.manifest.space == wanted.space and not scope.force
    if old is not None and not reuses:
        notice = _why_nothing_is_reused(old, wanted, scope)
    carried: dict[str, Record] = {}
    if old is not None and reuses and is_our_recipe(old.manifest) and not scope.read_all:
        if not scope.distrusted:
            carried = carried_records(repo, state, old.manifest, old.records)
        others = scope.distrusted or check_some(repo, state.snapshot.revision, state.snapshot.files, carried)
        if others:
            carried, notice = {}, _why_all_is_read(others)
    watcher.expect("reading", len(state.snapshot.files) - len(carried))
    rows = read_rows(repo, state, carried, watcher.advance)
    return _Start(old, reuses, rows, old.manifest.hub_revision if old and carried else None, notice)


def _why_nothing_is_reused(old: VerifiedIndex, wanted: Manifest, scope: Scope) -> str:
    if scope.force:
        return "no earlier vector is used: --force, or --sign of an index that this key has not signed"
    model = old.manifest.model_id
    if old.manifest.constant_part != wanted.constant_part:
        return f"the previous index's vectors ({model}) have another form: none of them is used"
    who = f"{model} on another server or in another version" if model == wanted.model_id else f"another model ({model})"
    return f"the previous index was made by {who}: none of its vectors is used"


def _why_all_is_read(others: Sequence[str]) -> str:
    return (
        f"the previous index has {counted(len(others), 'row')} not matching the hub's files "
        f"({listed(others, _SHOWN_IDS)}): every file is read again; --force makes the vectors anew as well"
    )


def _report(state: HubState, wanted: Manifest, start: _Start, plan: Plan, dated: DatedRows) -> BuildReport:
    corrected = f"{counted(dated.corrected, 'date')} of a shallow clone put right, from the whole history"
    notices = (start.notice, corrected if dated.corrected else "")
    unopened = start.old.unopened_count if start.old else 0
    return BuildReport(
        revision=state.snapshot.revision,
        model_id=wanted.model_id,
        skills=len(plan.sources) + unopened,
        embedded=len(plan.embed),
        reused=len(plan.sources) - plan.sources.count(None) + unopened,
        added=plan.added,
        edited=plan.edited,
        removed=plan.removed,
        problems=start.rows.problems,
        files_read=len(start.rows.files),
        notices=tuple(notice for notice in notices if notice),
    )


def _with_outside(report: BuildReport, repo: Repository, state: HubState, records: Sequence[Record]) -> BuildReport:
    """The report with the skills that are missing from it because of where they lie."""
    texts = (IndexedText(record.path, record.text_hash, record.lang) for record in records)
    outside = read_outside(repo, state.snapshot, texts)
    return replace(report, outside=outside, problems=(*report.problems, *outside.problems()))
