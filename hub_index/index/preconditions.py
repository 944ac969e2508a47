"""Checks before a build pays or writes; each raises and changes nothing."""

import os
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import is_link, open_folder_below
from hub_index.embedding.axon_lift import AXON_MODEL
from hub_index.errors import ConfigError, SkillError
from hub_index.hub.config_values import why_no_alias
from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.problems import counted, place_of
from hub_index.hub.snapshot import HubState
from hub_index.index.folder.foreign_files import check_no_strangers, check_place, is_gits_own, tracked_index
from hub_index.index.reporting.report import BuildReport
from hub_index.settings import EMBEDDED_MODEL


def check_output(folder: Path, repo: Repository, state: HubState, *, is_hubs_choice: bool) -> None:
    """Raises ConfigError for a folder that holds the hub, its skills or strangers' files: it would be swapped whole.

    A folder that the hub's own file names never leads out of the hub either, and none in it begins with a dot.
    """
    try:
        hub, target = repo.hub.resolve(), folder.resolve()
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{folder} cannot be followed to its end ({error}); name a folder that is there") from error
    where = target.relative_to(hub).as_posix() if target.is_relative_to(hub) else ""
    # nothing in the folder that the hub's own settings name is ever indexed: no file need be looked at
    is_elsewhere = where and where != state.config.output
    holds_skills = is_elsewhere and any(file.file.startswith(f"{where}/") for file in state.snapshot.files)
    if hub.is_relative_to(target) or holds_skills:
        raise ConfigError(f"the index cannot be written to {folder}: it holds the hub's own files; name another folder")
    if is_gits_own(target) or (is_hubs_choice and repo.bare):
        raise ConfigError(
            f"the index cannot be written to {folder}: it is git's own; use --out, or `hub-index publish`"
        )
    if is_hubs_choice and not where:
        raise ConfigError(f"{folder} leads out of the hub through a link; remove the link, or use --out")
    if is_hubs_choice and _leads_through_link(hub, os.path.dirname(state.config.output)):
        raise ConfigError(
            f"{folder} leads through a link of the hub, and no reader follows it; remove it, or use --out"
        )
    if any(part.startswith(".") for part in where.split("/")):
        raise ConfigError(
            f"the index cannot be written to {folder}: a folder of the hub that begins with a dot belongs to other "
            "programs; name another folder"
        )
    check_no_strangers(folder, lambda: tracked_index(repo, state.snapshot.revision, where) if where else frozenset())
    if not where:
        check_place(folder)


def _leads_through_link(hub: Path, folder: str) -> bool:
    """True if a link stands on the way to a folder of the hub; missing folders are fine."""
    try:
        os.close(open_folder_below(hub, folder))
    except OSError as error:
        return is_link(error)
    return False


def check_alias(alias: str | None) -> None:
    """Raises ConfigError for an alias that no client could match, or that names a different model."""
    if alias is not None and (reason := why_no_alias(alias)):
        raise ConfigError(f"--model-alias {quote_line(alias)} {reason}; write provider:name, such as {AXON_MODEL}")


def check_constant_part(part: float | None, made_by: str) -> None:
    """Raises ConfigError for vectors of another model than the embedded one: the constant part is measured for it."""
    if part is not None and made_by != EMBEDDED_MODEL:
        raise ConfigError(
            f"{AXON_MODEL} is for vectors of the embedded model only, and {quote_line(made_by)} would make them; build "
            f"with --model {EMBEDDED_MODEL} --model-alias {AXON_MODEL}"
        )


def check_strict(report: BuildReport) -> None:
    """Raises SkillError if a file that was read has an error or a warning."""
    serious = report.serious_problems()
    if serious:
        counts = report.problem_counts()
        raise SkillError(
            f"--strict: {counted(counts['error'], 'error')} and {counted(counts['warning'], 'warning')}, nothing was "
            f"written; the first: {place_of(serious[0])}: {serious[0].reason}; `hub-index lint` lists them all"
        )
