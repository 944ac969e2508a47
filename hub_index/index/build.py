"""The steps of a build: revision → snapshot → previous index → plan → checks → price → vectors → files → folder.

The command line calls `build_index`, the Prefect flow runs the same steps as tasks, and `publish` puts `make_index`
between a branch's head and a commit. Each step is a separate file; the previous index enters once.
"""

import os
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index import GENERATOR
from hub_index.embedding.axon_lift import lifted_space, published_part
from hub_index.embedding.cache.vector_cache import open_cache
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.providers import choose_model, make_encoder
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.hub.text import TEXT_VERSION
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.index.build_tools import BuildOptions, BuildTools, Job
from hub_index.index.folder.hold import read_hold
from hub_index.index.folder.writing import lock_folder, put_attributes, write_files
from hub_index.index.preconditions import check_alias, check_constant_part, check_output
from hub_index.index.previous import read_previous
from hub_index.index.reporting.report import (
    BuildReport,
    NewIndex,
    held_report,
    unchanged_report,
)
from hub_index.models import Manifest
from hub_index.settings import EMBEDDED_MODEL, read_settings

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """A report and the folder it speaks of."""

    report: BuildReport
    index_dir: Path


def build_index(
    hub: "str | os.PathLike[str]", options: BuildOptions | None = None, tools: BuildTools | None = None
) -> BuildOutcome:
    """Brings the index folder of a hub up to date, or says what that would take (dry_run).

    Without tools the model is the hub's, else the one that the user's settings name, else the embedded one, and
    vectors are kept in the user's cache. Raises HubIndexError.
    """
    options, tools = options or BuildOptions(), tools or _users_tools()
    repo = open_repository(Path(hub))
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


def _users_tools() -> BuildTools:
    """The tools of a program that names none: the user's settings and cache."""
    settings = read_settings()

    def encoder_for(hub_model: str | None) -> Encoder:
        return make_encoder(choose_model(None, hub_model, settings), settings)

    return BuildTools(encoder_for=encoder_for, cache=open_cache(None, settings, write_only=False))


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
        return NewIndex(job.report(unchanged, job.first_notices(unchanged)), None)
    # late, since numpy and YAML come along: a build with nothing to do needs neither
    from hub_index.index.new_index import assemble, check_draft, embed, merge_cache

    checked = check_draft(job, encoder, wanted, is_remade=is_remade)
    if options.dry_run or not is_remade:
        would_change = not is_current and job.hold is None
        report = job.report(checked.draft.report, checked.notices, **checked.price, would_change=would_change)
        return NewIndex(report, None)
    with closing(encoder):
        vectors = embed(job, encoder, checked)
    # The encoder is closed by now: its workers take 150 MB each, and the next steps need memory too.
    checked = replace(checked, draft=replace(checked.draft, texts=()))  # which take as much as the records
    merge_cache(job.tools, encoder.space)
    return assemble(job, encoder, checked, vectors)


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
