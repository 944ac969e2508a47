"""add, update, remove, restore: the decisions. `install_transaction` writes, the command line asks and prints."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, IndexCorrupt, SkillError, SourceError
from hub_index.hub.record_file import ROOT_PATH, is_document_record
from hub_index.index.folder.disk import Disk
from hub_index.installs.agent_folders import InstallRoot
from hub_index.installs.difference import FileChange, compare_files
from hub_index.installs.install_transaction import (
    change_installs,
    check_replaceable,
    put_in_order,
    skill_folder,
)
from hub_index.installs.installed_state import FolderState, read_state
from hub_index.installs.lock_file import LockedSkill, choose_skills, read_lock, why_folder_refused
from hub_index.installs.skill_copy import CopiedFile, find_difference, lock_files, read_plain
from hub_index.installs.source_hubs import SourceHub, SourceHubs, open_source
from hub_index.service.folders.folder_hub import FolderHub

if TYPE_CHECKING:
    from hub_index.search.results import Hit
    from hub_index.service.hubs.open_hubs import OpenHub

Upstream = Literal["same", "newer", "older", "gone", "unknown"]


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """A skill's files and the place where they are to go; `is_done`: they are there."""

    root: InstallRoot
    skill: LockedSkill
    files: tuple[CopiedFile, ...]
    is_done: bool = False

    @property
    def folder(self) -> Path:
        """Where the skill goes."""
        return skill_folder(self.root, self.skill.folder)


@dataclass(frozen=True, slots=True)
class InstalledSkill:
    """One entry of a lock, what became of its folder, and what its hub has now."""

    root: InstallRoot
    skill: LockedSkill
    state: FolderState
    upstream: Upstream = "unknown"
    newest: LockedSkill | None = None  # what an update would record, if there is a newer state
    files: tuple[CopiedFile, ...] = ()  # of that state

    @property
    def folder(self) -> Path:
        """Where the skill is."""
        return skill_folder(self.root, self.skill.folder)

    def compare(self) -> tuple[FileChange, ...]:
        """What an update would change. Raises SkillError, SourceError if the installed files cannot be read."""
        return compare_files(_present_files(self.folder, self.skill), self.files)


def plan_install(hub: "OpenHub", hit: "Hit", root: InstallRoot, agent: str, name: str = "") -> InstallPlan:
    """What `add` would do; nothing is written. `name` is another one for its folder.

    Raises ConfigError, SourceError, and SkillError if the skill is hostile, or its place is taken.
    """
    if is_document_record(hit.id, hit.path):
        raise ConfigError(f"{quote_line(hit.id)} is a single document and not a skill; agents' folders hold skills")
    if not hub.folder:
        raise ConfigError(f"the hub {hub.name} has an index but no checkout, so there are no files to copy")
    put_in_order(root)
    source = open_source(hub.folder, is_plain=isinstance(hub, FolderHub))
    folder = f"{root.folder_of(agent)}/{_folder_name(hit, name)}"
    commit, path = source.newest(), source.path_of(hit.path)
    files = _read_all(source, commit, path)
    skill = LockedSkill(folder, source.source, commit, path, lock_files(files))
    old = read_lock(root).find(folder)
    if old is not None:
        return InstallPlan(root, skill, files, is_done=_is_installed(root, old, skill))
    check_replaceable(skill_folder(root, folder), None)
    return InstallPlan(root, skill, files)


def _folder_name(hit: "Hit", name: str) -> str:
    chosen = name or (hit.name if hit.path == ROOT_PATH else hit.path.rpartition("/")[2])
    if reason := why_folder_refused(chosen):
        raise ConfigError(f"a skill's folder cannot be called {quote_line(chosen, 80)}: {reason}; choose --as NAME")
    return chosen


def _read_all(source: SourceHub, commit: str, path: str) -> tuple[CopiedFile, ...]:
    files = source.read(commit, path)
    if not files:
        raise SourceError(f"{quote_line(path, 80)} is not in {source.source} at {commit[:12]}: commit it there first")
    return files


def _is_installed(root: InstallRoot, old: LockedSkill, skill: LockedSkill) -> bool:
    """Whether a folder holds this skill already. Raises SkillError if it holds another one, or another state of it."""
    state = read_state(skill_folder(root, old.folder), old)
    if (old.source, old.path) != (skill.source, skill.path):
        raise SkillError(
            f"{old.name} is installed there from {old.source} ({old.path}); remove that one first, or give the new one "
            "another name with --as NAME"
        )
    if old.files != skill.files:
        raise SkillError(
            f"{old.name} is installed there in an earlier state; `hub-index update {old.name}` replaces it"
        )
    check_replaceable(skill_folder(root, old.folder), old)
    return not state.is_missing


def install(plan: InstallPlan, disk: Disk | None = None) -> None:
    """Carries out a plan. Raises SkillError if the place was taken meanwhile, PublishError, IndexBusy."""
    with change_installs(plan.root, disk) as change:
        old = change.lock.find(plan.skill.folder)
        if old is not None and (old.source, old.path) != (plan.skill.source, plan.skill.path):
            _is_installed(plan.root, old, plan.skill)
        change.put(plan.skill, plan.files)


def find_installed(
    roots: Sequence[InstallRoot], name: str = "", agent: str = ""
) -> tuple[tuple[InstallRoot, LockedSkill], ...]:
    """The installed skills of a name, or all. Raises ConfigError for a damaged lock and an unknown name.

    What a killed command left is put in order first. Raises PublishError if that cannot be done.
    """
    found: list[tuple[InstallRoot, LockedSkill]] = []
    for root in roots:
        put_in_order(root)
        folders = [folder for owner, folder in root.folders if agent in ("", owner)]
        found += [(root, skill) for skill in choose_skills(read_lock(root), name, folders)]
    if name and not found:
        raise ConfigError(f"no skill {quote_line(name, 80)} was installed by hub-index here; see `hub-index installed`")
    return tuple(found)


def inspect(root: InstallRoot, skill: LockedSkill, sources: SourceHubs, *, fetches: bool) -> InstalledSkill:
    """An installed skill beside its hub. Raises SourceError, SkillError if the newest state must not be installed."""
    state = read_state(skill_folder(root, skill.folder), skill)
    source = sources.find(skill, fetches=fetches)
    if source is None:
        return InstalledSkill(root, skill, state)
    commit = source.newest()
    files = source.read(commit, skill.path)
    present = lock_files(files)
    if present == skill.files:
        return InstalledSkill(root, skill, state, "same")
    if source.is_behind(skill.commit):
        return InstalledSkill(root, skill, state, "older")
    if not files:
        return InstalledSkill(root, skill, state, "gone")
    newest = LockedSkill(skill.folder, skill.source, commit, skill.path, present)
    return InstalledSkill(root, skill, state, "newer", newest, files)


def update(installed: InstalledSkill, disk: Disk | None = None) -> None:
    """Puts the newest state in the place of the installed one.

    Raises SkillError if that was edited or changed meanwhile, PublishError, IndexBusy.
    """
    if installed.newest is None:
        return
    with change_installs(installed.root, disk) as change:
        if change.lock.find(installed.skill.folder) != installed.skill:
            raise SkillError(f"{installed.skill.name} was changed by another command meanwhile; run again")
        change.put(installed.newest, installed.files)


def remove(root: InstallRoot, skill: LockedSkill, disk: Disk | None = None) -> None:
    """Removes an unedited skill. Raises SkillError if it was edited, PublishError, IndexBusy."""
    with change_installs(root, disk) as change:
        present = change.lock.find(skill.folder)
        if present is not None:
            change.drop(present)


def restore(root: InstallRoot, skill: LockedSkill, sources: SourceHubs, disk: Disk | None = None) -> bool:
    """Whether a skill had to be put back as the lock has it.

    Raises SkillError if its folder was edited, SourceError if its hub cannot be had, IndexCorrupt if its hub has other
    files there than the lock.
    """
    target = skill_folder(root, skill.folder)
    check_replaceable(target, skill)
    if os.path.lexists(target):
        return False
    source = sources.find(skill, fetches=True)
    if source is None:
        raise SourceError(f"{skill.source} is not on this machine; name a checkout of that hub with --hub")
    files = source.read(skill.commit, skill.path)
    if reason := find_difference(files, skill.files):
        raise IndexCorrupt(
            f"{skill.name} from {skill.source}: {reason}; nothing was written, look at both before you go on"
        )
    with change_installs(root, disk) as change:
        if change.lock.find(skill.folder) == skill:
            change.put(skill, files)
    return True


def _present_files(folder: Path, skill: LockedSkill) -> tuple[CopiedFile, ...]:
    wanted = {file.path for file in skill.files}
    return tuple(file for file in read_plain(folder.parent, folder.name) if file.path in wanted)
