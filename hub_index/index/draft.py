"""A build between reading and writing: the rows to be, where each vector comes from, what is still to embed."""

from dataclasses import dataclass, replace

from hub_index.embedding.batches import Usage, embed_texts
from hub_index.embedding.cost import price_of, spent
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.threads import run_in_threads
from hub_index.errors import IndexUnusable
from hub_index.hub.git.repository import Repository
from hub_index.hub.snapshot import HubState
from hub_index.index.assemble import agree_on_dim, encode_index, join_vectors
from hub_index.index.format.verify import VerifiedIndex
from hub_index.index.plan import Plan, PreviousRows, WantedRow, plan_rows
from hub_index.index.previous import PreviousIndex
from hub_index.index.report import BuildReport, NewIndex
from hub_index.index.rows import DatedRows, Rows, carried_records, date_rows, read_rows
from hub_index.index.seams import BuildTools
from hub_index.models import Manifest, Record, SkillText


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
    """What there was last time, and how much of it a build may take over."""

    previous: PreviousIndex | None
    read_all: bool = False  # --strict wants every file's problems
    force: bool = False  # --force wants every vector anew


def draft_index(repo: Repository, state: HubState, wanted: Manifest, scope: Scope, tools: BuildTools) -> Draft:
    """What a build of this state will do, after reading every file that has to be read."""
    old, notices = _decode(scope.previous)
    is_same_space = old is not None and old.manifest.space == wanted.space
    carried: dict[str, Record] = {}
    if (
        old is not None
        and is_same_space
        and not scope.read_all
        and not scope.force
        and _is_same_recipe(old.manifest, wanted)
    ):
        carried = carried_records(repo, state, old.manifest, old.records)
    tools.watcher.expect("reading", len(state.snapshot.files) - len(carried))
    rows = read_rows(repo, state, carried, tools.watcher.advance)
    dated = date_rows(repo, state, rows.rows, old, since=old.manifest.hub_revision if old and carried else None)
    reuses = is_same_space and not scope.force
    wanted_rows = [WantedRow(row.record.id, row.record.text_hash) for row in dated.rows]
    plan = plan_rows(wanted_rows, _previous_rows(old), reuse=reuses)
    return Draft(
        manifest=replace(wanted, hub_revision=dated.hub_revision),
        old=old,
        reuses=reuses,
        records=tuple(row.record for row in dated.rows),
        texts=_texts_to_embed(dated, plan),
        plan=plan,
        report=_report(state, wanted, rows, plan, notices + _why(old, scope, is_same_space=is_same_space)),
    )


def finish_draft(draft: Draft, encoder: Encoder, tools: BuildTools) -> NewIndex:
    """The new files: what is missing is embedded, everything is put together and verified. Raises ProviderError."""
    usage = Usage()
    tools.watcher.expect("embedding", len(draft.texts))
    fresh = tools.step(
        "embed",
        lambda: embed_texts(
            encoder,
            draft.texts,
            cache=tools.cache,
            run=tools.run_batches or run_in_threads,
            progress=tools.watcher.advance,
            usage=usage,
        ),
    )
    encoder.close()  # its workers take 150 MB each, and what follows takes memory of its own
    if tools.cache is not None and usage.embedded:
        tools.cache.merge(encoder.space)
    reused = draft.old if draft.reuses else None
    dim = agree_on_dim(encoder.dim, reused, fresh)
    manifest = replace(draft.manifest, dim=dim, created_at=tools.now().strftime("%Y-%m-%dT%H:%M:%SZ"))
    files = tools.step(
        "assemble",
        lambda: encode_index(
            manifest,
            draft.records,
            join_vectors(draft.records, draft.plan.sources, reused, fresh, dim),
            draft.old,
        ),
    )
    trouble = tools.cache.problem if tools.cache is not None else None
    report = replace(
        draft.report,
        from_cache=usage.cached,
        tokens=usage.tokens,
        cost_usd=_cost(encoder, usage),
        notices=(*draft.report.notices, trouble) if trouble else draft.report.notices,
    )
    return NewIndex(report, files)


def _cost(encoder: Encoder, usage: Usage) -> float | None:
    """What was spent; unknown where a provider that has a price did not say what it charged."""
    is_told = usage.tokens > 0 or usage.embedded == 0 or price_of(encoder) == 0
    return spent(encoder, usage.tokens) if is_told else None


def _decode(previous: PreviousIndex | None) -> tuple[VerifiedIndex | None, tuple[str, ...]]:
    if previous is None:
        return None, ()
    try:
        return previous.decode(), ()
    except IndexUnusable as error:
        return None, (f"the previous index cannot be used, and everything is built anew: {error}",)


def _is_same_recipe(old: Manifest, wanted: Manifest) -> bool:
    return old.generator == wanted.generator and old.text_version == wanted.text_version


def _previous_rows(old: VerifiedIndex | None) -> PreviousRows | None:
    if old is None:
        return None
    return PreviousRows(tuple(record.id for record in old.records), tuple(record.text_hash for record in old.records))


def _texts_to_embed(dated: DatedRows, plan: Plan) -> tuple[SkillText, ...]:
    texts = {row.text.text_hash: row.text for row in dated.rows if row.text is not None}
    return tuple(texts[text_hash] for text_hash in plan.embed)


def _why(old: VerifiedIndex | None, scope: Scope, *, is_same_space: bool) -> tuple[str, ...]:
    if old is None:
        return ()  # the first build, or one whose previous index could not be used and has said so
    if scope.force:
        return ("--force: no earlier vector is used",)
    if not is_same_space:
        return (f"the previous index was made by another model ({old.manifest.model_id}): none of its vectors is used",)
    return ()


def _report(state: HubState, wanted: Manifest, rows: Rows, plan: Plan, notices: tuple[str, ...]) -> BuildReport:
    return BuildReport(
        revision=state.snapshot.revision,
        model_id=wanted.model_id,
        skills=len(rows.rows),
        embedded=len(plan.embed),
        reused=sum(source is not None for source in plan.sources),
        added=plan.added,
        edited=plan.changed,
        removed=plan.removed,
        problems=rows.problems,
        files_read=rows.files_read,
        notices=notices,
    )
