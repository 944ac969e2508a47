"""The steps of a build: revision → snapshot → previous index → plan → checks → price → vectors → files → folder.

The command line calls `build_index`, the Prefect flow runs the same steps as tasks, and `publish` puts `make_index`
between a branch's head and a commit. Each step is a separate file; the previous index enters once.
"""

from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub_index import GENERATOR
from hub_index.base.freed_memory import give_back_freed
from hub_index.embedding.axon_lift import lifted_space, published_part
from hub_index.embedding.encoder import Encoder
from hub_index.errors import ConfigError
from hub_index.hub.config import chosen_labels
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.skill.skill import TEXT_VERSION
from hub_index.hub.snapshot import HubState, read_hub
from hub_index.hub.uncommitted import uncommitted_files, uncommitted_notice
from hub_index.index.build_tools import BuildTools
from hub_index.index.folder.hold import Hold, read_hold
from hub_index.index.folder.writing import lock_folder, put_attributes, write_files
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.preconditions import check_alias, check_constant_part, check_output, check_strict
from hub_index.index.previous import PreviousLookup, read_previous
from hub_index.index.reporting.report import (
    BuildReport,
    GateQueries,
    NewIndex,
    cache_notice,
    held_report,
    hub_notices,
    model_notice,
    unchanged_report,
)
from hub_index.limits import DEFAULT_MAX_DROP
from hub_index.models import Manifest
from hub_index.settings import EMBEDDED_MODEL

if TYPE_CHECKING:
    from hub_index.embedding.probes import Probe
    from hub_index.index.assemble import Vectors
    from hub_index.index.draft import Draft
    from hub_index.index.gates.quality_gate import QualityGate

_MANY_TEXTS = 10_000  # of a big build


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The user's options of a build."""

    rev: str = "HEAD"
    out: Path | None = None  # None: the hub's own output folder
    force: bool = False
    strict: bool = False
    allow_shrink: bool = False
    accept: frozenset[str] = frozenset()  # gates that this build may pass: vectors, quality
    max_drop: float = DEFAULT_MAX_DROP  # how much worse labelled queries may be answered, in points of nDCG@10
    dry_run: bool = False
    model_alias: str | None = None
    takes_hub_alias: bool = True  # a user's own index goes under its model's own name
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """A report and the folder it speaks of."""

    report: BuildReport
    index_dir: Path


@dataclass(frozen=True, slots=True)
class Job:
    """One build: what is read, what was there before, what was asked for, and with which tools."""

    repo: Repository
    state: HubState
    previous: PreviousLookup
    options: BuildOptions
    tools: BuildTools
    uncommitted: tuple[str, ...] = ()  # files of skills of the work tree that the state does not have
    hold: Hold | None = None  # a held index stays as it is, and a dry run says so


@dataclass(frozen=True, slots=True)
class _CheckedDraft:
    """A draft that may be embedded, and what the steps after it need."""

    draft: "Draft"
    gate: "QualityGate"
    probes: "tuple[Probe, ...]"
    price: dict[str, Any]  # of the report's values; empty if the price is not asked for
    notices: list[str]  # the later steps extend them


def build_index(hub: Path, options: BuildOptions, tools: BuildTools) -> BuildOutcome:
    """Brings the index folder of a hub up to date, or says what that would take (dry_run)."""
    repo = open_repository(hub)
    commit, tree = repo.resolve_tree(options.rev)
    with uncommitted_files(repo, options.rev, tools.known_trees, tree=tree) as uncommitted:
        state = tools.step("snapshot", lambda: read_hub(repo, commit, tools.known_trees, tree=tree))
        folder = options.out if options.out is not None else repo.hub / state.config.output
        check_output(folder, repo, state, is_hubs_choice=options.out is None)
        with nullcontext() if options.dry_run else lock_folder(folder):
            previous = read_previous(folder)
            skills = uncommitted.find_skills(state.config)
            new = make_index(Job(repo, state, previous, options, tools, skills, read_hold(folder)))
            files = new.files
            changed = files is not None and tools.step("store", lambda: write_files(folder, files))
            is_left = files is not None or options.dry_run or new.report.held is not None
            mended = "" if is_left else put_attributes(folder)
    notices = (*new.report.notices, *filter(None, [mended]))
    return BuildOutcome(replace(new.report, changed=changed, notices=notices), folder)


def make_index(job: Job) -> NewIndex:
    """The new files of a hub's state; none if the previous index is current or held, and of a dry run.

    Raises ConfigError, SkillError (strict), ShrinkRefused, ProviderError, QualityRefused.
    """
    options = job.options
    if job.hold is not None and not options.dry_run:
        return NewIndex(held_report(job.state.snapshot.revision, job.previous.manifest, job.hold), None)
    job.tools.ledger.revision = job.state.snapshot.revision
    check_alias(options.model_alias)
    encoder = job.tools.encoder_for(job.state.config.model)
    wanted = _wanted_manifest(job, encoder)
    is_current = job.previous.is_current(wanted, job.state.config.format)
    is_remade = options.force or not is_current
    if not is_remade and not options.strict:
        unchanged = unchanged_report(job.state, job.previous.manifest or wanted)
        return NewIndex(_report(job, unchanged, _first_notices(job, unchanged)), None)
    checked = _check_draft(job, encoder, wanted, is_remade=is_remade)
    if options.dry_run or not is_remade:
        would_change = not is_current and job.hold is None
        report = _report(job, checked.draft.report, checked.notices, **checked.price, would_change=would_change)
        return NewIndex(report, None)
    with closing(encoder):
        vectors = _embed(job, encoder, checked)
    # The encoder is closed by now: its workers take 150 MB each, and the next steps need memory too.
    checked = replace(checked, draft=replace(checked.draft, texts=()))  # which take as much as the records
    _merge_cache(job.tools, encoder.space)
    return _assemble(job, encoder, checked, vectors)


# The next three import late, since numpy and YAML come along: a build with nothing to do needs neither.


def _check_draft(job: Job, encoder: Encoder, wanted: Manifest, *, is_remade: bool) -> _CheckedDraft:
    """The draft of a build that has passed every check before embedding."""
    from hub_index.index.draft import Scope, draft_index
    from hub_index.index.gates.shrink_gate import check_shrink
    from hub_index.index.gates.vector_gate import choose_probes, unasked_notice
    from hub_index.index.reporting.spending import expected_values
    from hub_index.index.rows import read_texts

    options, tools = job.options, job.tools
    scope = Scope(job.previous.index, read_all=options.strict, force=options.force, accepted=tools.accepted)
    draft = tools.step("plan", lambda: draft_index(job.repo, job.state, wanted, scope, tools.watcher))
    notices = _first_notices(job, draft.report, model_notice(encoder), cache_notice(tools.cache))
    if options.strict:
        check_strict(draft.report)
    if not options.allow_shrink:
        check_shrink(draft, job.previous, job.state, job.uncommitted)
    gate = _quality_gate(job)
    probes = choose_probes(draft, encoder, partial(read_texts, job.repo, job.state))
    if "vectors" in options.accept:
        notices.append(unasked_notice(probes, encoder.model_id))
        probes = ()
    price: dict[str, Any] = {}
    if options.dry_run or options.max_cost_usd is not None:
        queries = gate.queries(wanted.space) if is_remade else GateQueries()
        price = expected_values(encoder, draft.texts, probes, queries, cache=tools.cache, max_usd=options.max_cost_usd)
    return _CheckedDraft(draft, gate, probes, price, notices)


def _embed(job: Job, encoder: Encoder, checked: _CheckedDraft) -> "Vectors":
    """The vectors of the draft's texts; the ledger follows what they use."""
    from hub_index.embedding.batches import Usage, embed_texts
    from hub_index.embedding.threads import run_in_threads
    from hub_index.index.reporting.spending import note_spending

    tools, texts, usage = job.tools, checked.draft.texts, Usage()
    _give_back_much(len(texts))
    note_spending(tools.ledger, encoder, usage)
    tools.watcher.expect("embedding", len(texts))
    return tools.step(
        "embed",
        lambda: embed_texts(
            encoder,
            texts,
            cache=tools.cache,
            run=tools.run_batches or run_in_threads,
            progress=tools.watcher.advance,
            usage=usage,
            probes=checked.probes,
        ),
    )


def _assemble(job: Job, encoder: Encoder, checked: _CheckedDraft, vectors: "Vectors") -> NewIndex:
    """The files of the index, accepted by our own reader and by the gates, and the report of the build."""
    from hub_index.index.assemble import assemble_index
    from hub_index.index.gates.vector_gate import check_shared_vectors
    from hub_index.index.reporting.spending import charged_values, spending_problems
    from hub_index.index.rows import read_texts

    tools, draft, notices = job.tools, checked.draft, checked.notices
    files = tools.step("assemble", lambda: assemble_index(draft, vectors, tools.now(), job.state.config.format))
    tools.accepted.add(decode_manifest(files.manifest))  # our reader has just checked each line that is new
    texts_of, is_accepted = partial(read_texts, job.repo, job.state), "vectors" in job.options.accept
    notices.append(check_shared_vectors(draft, files, encoder, texts_of, tools.cache, is_accepted=is_accepted))
    notices += spending_problems(encoder, tools.ledger, tools.cache)
    values = checked.price | charged_values(tools.ledger)
    quality = checked.gate.check(files, notices)
    return NewIndex(_report(job, draft.report, notices, **values, quality=quality), files)


def _first_notices(job: Job, report: BuildReport, *more: str) -> list[str]:
    """The notices before any check, some of them empty: the one list of a build, which its later steps extend."""
    notices = [*hub_notices(job.state, job.previous), *report.notices, *more]
    return [*notices, _labels_notice(job), uncommitted_notice(job.uncommitted)]


def _report(job: Job, plan: BuildReport, notices: Iterable[str], **values: Any) -> BuildReport:
    """The report of a finished run: the values of its plan, its notices but for empty ones, and `values`."""
    held = job.hold.sentence() if job.hold is not None else ""
    all_notices = tuple(filter(None, (*notices, held)))
    return replace(plan, uncommitted=job.uncommitted, held=job.hold, notices=all_notices, **values)


def _merge_cache(tools: BuildTools, space: str) -> None:
    """Merges what was embedded into the vector cache."""
    usage = tools.ledger.usages[-1]
    if tools.cache is not None and usage.embedded:
        tools.cache.merge(space)
    _give_back_much(usage.embedded + usage.cached)


def _give_back_much(texts: int) -> None:
    """Returns freed memory to the system between two steps of a build with many texts."""
    if texts >= _MANY_TEXTS:
        give_back_freed()


def _quality_gate(job: Job) -> "QualityGate":
    """The hub's own queries, read before anything is paid for. Raises ConfigError if they cannot be."""
    from hub_index.hub.labels.label_files import HubLabels, read_labels
    from hub_index.index.gates.quality_gate import QualityGate

    options, tools = job.options, job.tools
    if not 0 <= options.max_drop <= 100:  # a flow's parameter may be anything
        raise ConfigError("max_drop is how many points of nDCG@10 may be lost: a number from 0 to 100")
    since = job.previous.manifest.hub_revision if job.previous.manifest else ""
    labels = read_labels(job.repo, job.state, since) if tools.evaluate is not None else HubLabels()
    is_accepted = "quality" in options.accept
    return QualityGate(labels, job.previous.index, tools, job.state.config.model, options.max_drop, is_accepted)


def _labels_notice(job: Job) -> str:
    """A notice about labelled queries that the hub's settings name and that are missing; else empty."""
    if not chosen_labels(job.state.config):
        return ""
    # late: most hubs choose none, and an unchanged build is measured
    from hub_index.hub.labels.label_files import missing_notice

    return missing_notice(job.repo, job.state)


def _hub_alias(job: Job, encoder: Encoder) -> str | None:
    """The hub's alias for the vectors of its own model; None for any other model."""
    config = job.state.config
    is_hubs_model = encoder.model_id == (config.model or EMBEDDED_MODEL)
    return config.model_alias if job.options.takes_hub_alias and is_hubs_model else None


def _wanted_manifest(job: Job, encoder: Encoder) -> Manifest:
    """The new manifest as far as it is known before anything is read or embedded."""
    model_id = job.options.model_alias or _hub_alias(job, encoder) or encoder.model_id
    part = published_part(model_id)
    check_constant_part(part, encoder.model_id)
    dim = encoder.dim or 0
    return Manifest(
        index_version=1,
        created_at="",
        hub_revision="",
        model_id=model_id,
        dim=dim if part is None else dim + 1,
        normalize=True,
        vector_file=None,
        skills_file=None,
        source_digest=job.state.snapshot.source_digest,
        text_version=TEXT_VERSION,
        space=lifted_space(encoder.space, part),
        generator=GENERATOR,
        shallow=job.state.snapshot.shallow or None,
        constant_part=part,
    )
