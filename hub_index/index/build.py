"""The steps of a build: revision → snapshot → previous index → plan → checks → price → vectors → files → folder.

The command line calls `build_index`, the Prefect flow runs the same steps as tasks, and `publish` puts `make_index`
between a branch's head and a commit. Each step is a separate file; the previous index enters once.
"""

from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index import GENERATOR
from hub_index.embedding.constant_part import lifted_space, published_part
from hub_index.embedding.encoder import Encoder
from hub_index.errors import ConfigError
from hub_index.freed_memory import give_back_freed
from hub_index.hub.config import chosen_labels
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.snapshot import HubState, read_hub
from hub_index.hub.text import TEXT_VERSION
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.index.checks import check_alias, check_constant_part, check_output, check_strict
from hub_index.index.folder.attributes import put_attributes
from hub_index.index.folder.hold import Hold, read_hold
from hub_index.index.folder.store import lock_folder, write_files
from hub_index.index.previous import PreviousLookup, read_previous
from hub_index.index.report import (
    BuildReport,
    GateQueries,
    NewIndex,
    add_hold,
    add_notice,
    add_uncommitted,
    cache_notices,
    held_report,
    hub_notices,
    model_notices,
    unchanged_report,
)
from hub_index.index.seams import BuildTools
from hub_index.limits import DEFAULT_MAX_DROP
from hub_index.models import Manifest
from hub_index.settings import EMBEDDED_MODEL

if TYPE_CHECKING:
    from hub_index.embedding.batches import Usage
    from hub_index.index.gates.quality import QualityGate

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


def build_index(hub: Path, options: BuildOptions, tools: BuildTools) -> BuildOutcome:
    """Brings the index folder of a hub up to date, or says what that would take (dry_run)."""
    repo = open_repository(hub)
    commit, tree = repo.resolve_tree(options.rev)
    with uncommitted_files(repo, options.rev, tools.known_trees, tree=tree) as uncommitted:
        state = tools.step("snapshot", lambda: read_hub(repo, commit, tools.known_trees, tree=tree))
        folder = options.out if options.out is not None else repo.hub / state.config.output
        check_output(folder, repo, state, is_hubs_choice=options.out is None)
        with nullcontext() if options.dry_run else lock_folder(folder):
            job = Job(repo, state, read_previous(folder), options, tools, uncommitted.find_skills(state.config))
            new = make_unless_held(job, read_hold(folder))
            files = new.files
            changed = files is not None and tools.step("store", lambda: write_files(folder, files))
            is_left = files is not None or options.dry_run or new.report.held is not None
            report = new.report if is_left else add_notice(new.report, put_attributes(folder))
    return BuildOutcome(replace(report, changed=changed), folder)


def make_unless_held(job: Job, hold: Hold | None) -> NewIndex:
    """As `make_index`; of a held index nothing is made, and a dry run says that a build would write nothing."""
    if hold is None:
        return make_index(job)
    if job.options.dry_run:
        return NewIndex(add_hold(make_index(job).report, hold), None)
    manifest = job.previous.index.manifest if job.previous.index else None
    return NewIndex(held_report(job.state.snapshot.revision, manifest, hold), None)


def make_index(job: Job) -> NewIndex:
    """The new files of a hub's state, or none if the previous index is current or nothing is to be written.

    Raises ConfigError, SkillError (strict), ShrinkRefused, ProviderError, QualityRefused.
    """
    options, tools = job.options, job.tools
    tools.ledger.revision = job.state.snapshot.revision
    check_alias(options.model_alias)
    with closing(tools.encoder_for(job.state.config.model)) as encoder:
        wanted = _wanted_manifest(job, encoder)
        is_current = job.previous.is_current(wanted, job.state.config.format)
        if is_current and not options.force and not options.strict:
            report = add_notice(unchanged_report(job.state, job.previous, wanted), _labels_notice(job))
            return NewIndex(add_uncommitted(report, job.uncommitted), None)

        # Imported late, since numpy and YAML come along: a build with nothing to do needs neither.
        from hub_index.embedding.batches import Usage, embed_texts
        from hub_index.embedding.threads import run_in_threads
        from hub_index.index.assemble import assemble_index
        from hub_index.index.draft import Scope, draft_index
        from hub_index.index.format.manifest import decode_manifest
        from hub_index.index.gates.shrink import check_shrink
        from hub_index.index.gates.vectors import check_shared_vectors, choose_probes, unasked_notice
        from hub_index.index.rows import read_texts
        from hub_index.index.spending import add_estimate, add_spending, note_spending

        scope = Scope(job.previous.index, read_all=options.strict, force=options.force, accepted=tools.accepted)
        draft = tools.step("plan", lambda: draft_index(job.repo, job.state, wanted, scope, tools.watcher))
        notices = hub_notices(job.state, job.previous) + draft.report.notices + model_notices(encoder)
        notices += cache_notices(tools.cache)
        report = add_notice(replace(draft.report, notices=notices), _labels_notice(job))
        report = add_uncommitted(report, job.uncommitted)
        if options.strict:
            check_strict(report)
        if not options.allow_shrink:
            check_shrink(report, draft, job.previous, job.state)
        gate = _quality_gate(job)
        texts_of = partial(read_texts, job.repo, job.state)
        accepts_vectors = "vectors" in options.accept
        probes = choose_probes(draft, encoder, texts_of)
        if accepts_vectors:
            report = add_notice(report, unasked_notice(probes, encoder.model_id))
            probes = ()
        if options.dry_run or options.max_cost_usd is not None:
            asked = gate.queries(wanted.space) if options.force or not is_current else GateQueries()
            report = add_estimate(
                report, encoder, draft.texts, probes, asked, cache=tools.cache, max_usd=options.max_cost_usd
            )
        if options.dry_run or (is_current and not options.force):
            return NewIndex(replace(report, would_change=not is_current), None)

        _give_back_much(len(draft.texts))
        usage = Usage()
        note_spending(tools.ledger, encoder, usage)
        tools.watcher.expect("embedding", len(draft.texts))
        vectors = tools.step(
            "embed",
            lambda: embed_texts(
                encoder,
                draft.texts,
                cache=tools.cache,
                run=tools.run_batches or run_in_threads,
                progress=tools.watcher.advance,
                usage=usage,
                probes=probes,
            ),
        )
    # The encoder is closed by now: its workers take 150 MB each, and the next steps need memory too.
    draft = replace(draft, texts=())  # which take as much as the records
    _settle_cache(tools, encoder.space, usage)
    files = tools.step("assemble", lambda: assemble_index(draft, vectors, tools.now(), job.state.config.format))
    tools.accepted.add(decode_manifest(files.manifest))  # our reader has just checked each line that is new
    shared = check_shared_vectors(draft, files, encoder, texts_of, tools.cache, is_accepted=accepts_vectors)
    report = add_notice(report, shared)
    return gate.check(NewIndex(add_spending(report, encoder, tools.ledger, tools.cache), files))


def _settle_cache(tools: BuildTools, space: str, usage: "Usage") -> None:
    """Merges what was embedded into the vector cache."""
    if tools.cache is not None and usage.embedded:
        tools.cache.merge(space)
    _give_back_much(usage.embedded + usage.cached)


def _give_back_much(texts: int) -> None:
    """Returns freed memory to the system between two steps of a build with many texts."""
    if texts >= _MANY_TEXTS:
        give_back_freed()


def _quality_gate(job: Job) -> "QualityGate":
    """The hub's own queries, read before anything is paid for. Raises ConfigError if they cannot be."""
    from hub_index.hub.label_files import HubLabels, read_labels
    from hub_index.index.gates.quality import QualityGate

    options, tools = job.options, job.tools
    if not 0 <= options.max_drop <= 100:  # a flow's parameter may be anything
        raise ConfigError("max_drop is how many points of nDCG@10 may be lost: a number from 0 to 100")
    since = job.previous.index.manifest.hub_revision if job.previous.index else ""
    labels = read_labels(job.repo, job.state, since) if tools.evaluate is not None else HubLabels()
    is_accepted = "quality" in options.accept
    return QualityGate(labels, job.previous.index, tools, job.state.config.model, options.max_drop, is_accepted)


def _labels_notice(job: Job) -> str:
    """A notice about labelled queries that the hub's settings name and that are missing; else empty."""
    if not chosen_labels(job.state.config):
        return ""
    from hub_index.hub.label_files import (
        missing_notice,
    )  # late: most hubs choose none, and an unchanged build is measured

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
