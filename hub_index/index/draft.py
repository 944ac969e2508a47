"""A build between reading and embedding: the records to be, where each vector comes from, what is still to embed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hub_index.errors import IndexUnusable
from hub_index.hub.git.repository import Repository
from hub_index.hub.outside import IndexedText, read_outside
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState
from hub_index.index.format.accepted import NOTHING_ACCEPTED, AcceptedSections
from hub_index.index.format.verify import VerifiedIndex
from hub_index.index.plan import Plan, plan_rows
from hub_index.index.previous import PreviousIndex, unusable_notice
from hub_index.index.recomputed import check_some, is_our_recipe
from hub_index.index.report import BuildReport
from hub_index.index.rows import Rows, carried_records, date_rows, read_rows
from hub_index.index.seams import Watcher
from hub_index.models import Manifest, SkillText
from hub_index.record import Record

_SHOWN_IDS = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything decided, nothing embedded yet."""

    manifest: Manifest  # complete but for created_at, dim and the digests
    old: VerifiedIndex | None
    reuses: bool  # whether the old index's vectors may be used
    records: tuple[Record, ...]
    texts: tuple[SkillText, ...]  # distinct, to be embedded
    plan: Plan
    report: BuildReport


@dataclass(frozen=True, slots=True)
class Scope:
    """The previous index, and how much of it a build may take over."""

    previous: PreviousIndex | None
    read_all: bool = False  # --strict: every file's problems are wanted
    force: bool = False  # --force: every vector is made anew
    accepted: AcceptedSections = NOTHING_ACCEPTED  # records that need no check again


def draft_index(repo: Repository, state: HubState, wanted: Manifest, scope: Scope, watcher: Watcher) -> Draft:
    """What a build of this state will do, after reading every file that has to be read."""
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
        carried = carried_records(repo, state, old.manifest, old.records)
        if others := check_some(repo, state.snapshot.revision, state.snapshot.files, carried):
            carried, notice = {}, _why_all_is_read(others)
    watcher.expect("reading", len(state.snapshot.files) - len(carried))
    rows = read_rows(repo, state, carried, watcher.advance)
    dated = date_rows(repo, state, rows.rows, old, since=old.manifest.hub_revision if old and carried else None)
    records = tuple(row.record for row in dated.rows)
    plan = plan_rows(records, old.records if old else (), reuse=reuses)
    texts = {row.text.text_hash: row.text for row in dated.rows if row.text is not None}
    report = _with_outside(_report(state, wanted, rows, plan, notice), repo, state, records)
    return Draft(
        manifest=replace(wanted, hub_revision=dated.hub_revision),
        old=old,
        reuses=reuses,
        records=records,
        texts=tuple(texts[text_hash] for text_hash in plan.embed),
        plan=plan,
        report=report,
    )


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
        f"the previous index has {counted(len(others), 'row')} that its hub's files do not bear out "
        f"({listed(others, _SHOWN_IDS)}): every file is read again; --force makes the vectors anew as well"
    )


def _report(state: HubState, wanted: Manifest, rows: Rows, plan: Plan, notice: str) -> BuildReport:
    return BuildReport(
        revision=state.snapshot.revision,
        model_id=wanted.model_id,
        skills=len(rows.rows),
        embedded=len(plan.embed),
        reused=len(plan.sources) - plan.sources.count(None),
        added=plan.added,
        edited=plan.edited,
        removed=plan.removed,
        problems=rows.problems,
        files_read=rows.files_read,
        notices=(notice,) if notice else (),
    )


def _with_outside(report: BuildReport, repo: Repository, state: HubState, records: Sequence[Record]) -> BuildReport:
    """The report with the skills that are missing from it because of where they lie."""
    texts = (IndexedText(record.path, record.text_hash, record.lang) for record in records)
    outside = read_outside(repo, state.snapshot, texts)
    return replace(report, outside=outside, problems=(*report.problems, *outside.problems()))
