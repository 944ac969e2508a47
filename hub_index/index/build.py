"""The order of a build, once: the command line calls it directly, the Prefect flow runs the same steps as tasks.

snapshot → rows → plan → vectors → files (verified) → folder. The previous index enters once, as an argument.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hub_index import GENERATOR
from hub_index.embedding.encoder import Encoder
from hub_index.errors import ConfigError, ShrinkRefused, SkillError
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.snapshot import HubState, read_hub
from hub_index.hub.text import TEXT_VERSION
from hub_index.index.folder.store import lock_folder, write_files
from hub_index.index.previous import PreviousLookup, read_previous
from hub_index.index.report import BuildReport, NewIndex
from hub_index.index.seams import BuildTools
from hub_index.limits import MAX_ALIAS_CHARS
from hub_index.models import Manifest, SkillText


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What the user asked for."""

    rev: str = "HEAD"
    out: Path | None = None  # None: the hub's own output folder
    force: bool = False
    strict: bool = False
    allow_shrink: bool = False
    dry_run: bool = False
    model_alias: str | None = None
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
    found: PreviousLookup
    options: BuildOptions
    tools: BuildTools


def build_index(hub: Path, options: BuildOptions, tools: BuildTools) -> BuildOutcome:
    """Brings the index folder of a hub up to date, or says what that would take (dry_run)."""
    repo = open_repository(hub)
    state = tools.step("snapshot", lambda: read_hub(repo, options.rev))
    folder = output_folder(repo, state, options.out)
    if options.dry_run:
        return BuildOutcome(make_index(Job(repo, state, read_previous(folder), options, tools)).report, folder)
    with lock_folder(folder):
        made = make_index(Job(repo, state, read_previous(folder), options, tools))
        files = made.files
        changed = files is not None and tools.step("store", lambda: write_files(folder, files))
    return BuildOutcome(replace(made.report, changed=changed), folder)


def output_folder(repo: Repository, state: HubState, out: Path | None) -> Path:
    """Where the index goes: `out`, or what the hub's own file says, which never leads out of the hub.

    Raises ConfigError: a folder that holds the hub or its skills would be swapped with all that is in it.
    """
    folder = out if out is not None else repo.hub / state.config.output
    try:
        hub, target = repo.hub.resolve(), folder.resolve()
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{folder} cannot be followed to its end ({error}); name a folder that is there") from error
    where = target.relative_to(hub).as_posix() if target.is_relative_to(hub) else ""
    holds_skills = where and any(file.file.startswith(f"{where}/") for file in state.snapshot.files)
    if hub.is_relative_to(target) or holds_skills:
        raise ConfigError(f"the index cannot be written to {folder}: it holds the hub's own files; name another folder")
    if ".git" in target.parts or (out is None and repo.bare):
        raise ConfigError(
            f"the index cannot be written to {folder}: it is git's own; use --out, or `hub-index publish`"
        )
    if out is None and not where:
        raise ConfigError(f"{folder} leads out of the hub through a link; remove the link, or use --out")
    return folder


def make_index(job: Job) -> NewIndex:
    """The new files of a hub's state, or none where the previous index is current or nothing shall be written.

    Raises SkillError (strict), ShrinkRefused, ProviderError.
    """
    _check_alias(job.options.model_alias)
    encoder = job.tools.encoder_for(job.state.config.model)
    try:
        wanted = _wanted_manifest(job, encoder)
        is_current = job.found.previous is not None and _is_current(job.found.previous.manifest, wanted)
        if is_current and not job.options.force and not job.options.strict:
            return NewIndex(_unchanged(job, wanted), None)
        return _make_anew(job, encoder, wanted, is_current=is_current)
    finally:
        encoder.close()


def _make_anew(job: Job, encoder: Encoder, wanted: Manifest, *, is_current: bool) -> NewIndex:
    from hub_index.index.draft import Scope, draft_index, finish_draft  # numpy, YAML: an unchanged build needs neither

    options, tools = job.options, job.tools
    scope = Scope(job.found.previous, read_all=options.strict, force=options.force)
    draft = tools.step("plan", lambda: draft_index(job.repo, job.state, wanted, scope, tools))
    report = replace(draft.report, notices=_notices(job) + draft.report.notices + _model_notices(encoder))
    if options.strict:
        _check_strict(report)
    if not options.allow_shrink:
        _check_shrink(report.skills, job)
    if options.dry_run or options.max_cost_usd is not None:
        report = _price(report, encoder, draft.texts, job)
    if options.dry_run:
        return NewIndex(replace(report, would_change=not is_current), None)
    if is_current and not options.force:
        return NewIndex(report, None)
    return finish_draft(replace(draft, report=report), encoder, tools)


def _price(report: BuildReport, encoder: Encoder, texts: Sequence[SkillText], job: Job) -> BuildReport:
    """The report with tokens and price of what is not yet paid for. Raises ConfigError beyond --max-cost."""
    from hub_index.embedding.batches import uncached_texts
    from hub_index.embedding.cost import check_max_cost, estimate

    unpaid = uncached_texts(encoder, texts, job.tools.cache)
    expected = estimate(encoder, unpaid)
    if job.options.max_cost_usd is not None:
        check_max_cost(expected, job.options.max_cost_usd)
    return replace(
        report,
        from_cache=len(texts) - len(unpaid),
        tokens=expected.tokens,
        tokens_exact=expected.tokens_exact,
        cost_usd=expected.usd,
        price_source=expected.price_source,
    )


def _check_alias(alias: str | None) -> None:
    """Raises ConfigError for a model_id that no client could match, or that would name a model that is not it."""
    if alias is None:
        return
    provider, colon, name = alias.partition(":")
    is_word = provider.isascii() and provider.replace("-", "").isalnum() and provider.islower()
    if not (colon and is_word and name and name.isprintable() and " " not in name and len(alias) <= MAX_ALIAS_CHARS):
        raise ConfigError(f"--model-alias {alias!a} is no model id; write provider:name, such as openai:usem3")
    if provider == "local":
        raise ConfigError("--model-alias cannot begin with local: which names the embedded models themselves")


def _wanted_manifest(job: Job, encoder: Encoder) -> Manifest:
    """The new manifest as far as it is known before anything is read or embedded."""
    return Manifest(
        index_version=1,
        created_at="",
        hub_revision="",
        model_id=job.options.model_alias or encoder.model_id,
        dim=encoder.dim or 0,
        normalize=True,
        vector_file="vectors.f32",
        skills_file="skills.jsonl",
        source_digest=job.state.snapshot.source_digest,
        text_version=TEXT_VERSION,
        space=encoder.space,
        generator=GENERATOR,
    )


def _is_current(old: Manifest, wanted: Manifest) -> bool:
    """Whether a build would write the same again; the clock has no say."""
    return (old.source_digest, old.space, old.model_id, old.text_version, old.generator) == (
        wanted.source_digest,
        wanted.space,
        wanted.model_id,
        wanted.text_version,
        wanted.generator,
    )


def _unchanged(job: Job, wanted: Manifest) -> BuildReport:
    manifest = job.found.previous.manifest if job.found.previous else wanted
    count = manifest.count or 0
    notices = _notices(job)
    missing = len(job.state.snapshot.files) - count
    if missing:
        notices += (f"files that cannot be indexed: {missing}; `hub-index lint` says why",)
    return BuildReport(
        revision=job.state.snapshot.revision,
        model_id=manifest.model_id,
        skills=count,
        reused=count,
        tokens=0,
        tokens_exact=True,
        cost_usd=0.0,
        problems=job.state.snapshot.problems,
        notices=notices,
    )


def _notices(job: Job) -> tuple[str, ...]:
    notices: tuple[str, ...] = (job.found.notice,) if job.found.notice else ()
    if job.state.snapshot.shallow:
        notices += (
            "the clone is shallow: hub_revision and the times of new rows are those of the commit that was read",
        )
    return notices


def _model_notices(encoder: Encoder) -> tuple[str, ...]:
    from hub_index.embedding.known_models import find_model, language_warning

    warning = language_warning(find_model(*encoder.model_id.split(":", 1)))
    return (warning,) if warning else ()


def _check_strict(report: BuildReport) -> None:
    counts = report.problem_counts()
    if counts["error"] or counts["warning"]:
        first = next(problem for problem in report.problems if problem.level != "advice")
        raise SkillError(
            f"--strict: {counts['error']} errors and {counts['warning']} warnings, nothing was written; the first: "
            f"{first.path}:{first.line}: {first.reason}; `hub-index lint` lists them all"
        )


def _check_shrink(skills: int, job: Job) -> None:
    """Refuses to publish an empty index, or one of less than half of last time's skills, unless that is meant (F17)."""
    before = job.found.previous.manifest.count or 0 if job.found.previous else 0
    if skills == 0:
        raise ShrinkRefused("the hub has no skill that can be indexed; --allow-shrink writes an empty index")
    if skills * 2 < before:
        raise ShrinkRefused(
            f"only {skills} of last time's {before} skills are left; if that is meant, build with --allow-shrink"
        )
