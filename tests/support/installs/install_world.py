"""A hub with a skill of several files, a user's home and a project; and the commands on them."""

from dataclasses import dataclass
from pathlib import Path

from hub_index.installs.agent_folders import InstallRoot, project_root
from hub_index.installs.install_transaction import InstallChange, change_installs
from hub_index.installs.lock_file import LockedSkill, lock_path
from hub_index.installs.skill_copy import CopiedFile, lock_files
from support.builds.broken_disk import CountingDisk
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import CommandOutcome, hub_index_here

HEADER = b"---\nname: db-advisor\ndescription: Finds slow queries.\n---\n\n"
OLD_FILES = (
    CopiedFile("SKILL.md", False, HEADER + b"# One\n"),
    CopiedFile("notes/gone.md", False, b"gone\n"),
    CopiedFile("scripts/run.sh", True, b"#!/bin/sh\necho one\n"),
)
NEW_FILES = (
    CopiedFile("SKILL.md", False, HEADER + b"# Two\n"),
    CopiedFile("notes/deep/new.md", False, b"new\n"),
    CopiedFile("scripts/run.sh", True, b"#!/bin/sh\necho two\n"),
)


@dataclass
class InstallWorld:
    """A hub, a home and a project below one folder."""

    root: Path
    hub: HubMaker

    @property
    def home(self) -> Path:
        """The user's home."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """A project of Claude's."""
        return self.root / "project"

    @property
    def skill(self) -> Path:
        """Where the skill is installed in the project."""
        return self.project / ".claude/skills/db-advisor"

    @property
    def lock(self) -> Path:
        """The project's lock."""
        return self.project / "hub-index.lock"

    def run(self, *arguments: str | Path, cwd: Path | None = None, hub: bool = True) -> CommandOutcome:
        """A command in the project, with the hub named."""
        named = ("--hub", self.hub.root) if hub else ()
        own = {
            "HOME": str(self.home),
            "AXON_HOME": str(self.home / ".axon"),
            "HUB_INDEX_CACHE": str(self.root / "cache"),
        }
        return hub_index_here(*arguments, *named, cwd=cwd or self.project, env=own)

    def add(self) -> None:
        """Installs the skill in the project."""
        outcome = self.run("add", "db-advisor", "--yes")
        assert outcome.code == 0, outcome.err

    def change_hub(self, number: int = 0) -> str:
        """Commits another state of the skill; each number has its own."""
        write_files(self.hub.root / "skills/db-advisor", NEW_FILES)
        (self.hub.root / "skills/db-advisor/notes/gone.md").unlink(missing_ok=True)
        if number:
            (self.hub.root / "skills/db-advisor/scripts/run.sh").write_text(f"echo {number}\n")
        return self.hub.commit("changed")


def make_install_world(root: Path, *, git: bool = True) -> InstallWorld:
    """The world with nothing installed; without git the hub is a plain folder."""
    hub = HubMaker(root / "hub")
    write_files(hub.root / "skills/db-advisor", OLD_FILES)
    hub.skill("other", "Does something else.")
    hub.commit("skills")
    if not git:
        (hub.root / ".git").rename(root / "no-git")
    world = InstallWorld(root, hub)
    world.home.mkdir()
    (world.project / ".claude").mkdir(parents=True)
    return world


def write_files(folder: Path, files: tuple[CopiedFile, ...]) -> None:
    """Writes a skill's files as its author would."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.executable else 0o644)


def read_folder(folder: Path) -> dict[str, tuple[bool, bytes]]:
    """Every file below a folder: whether it can be run, and its bytes."""
    return {
        str(path.relative_to(folder)): (bool(path.stat().st_mode & 0o100), path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def as_read(files: tuple[CopiedFile, ...]) -> dict[str, tuple[bool, bytes]]:
    """The files as `read_folder` finds them."""
    return {file.path: (file.executable, file.content) for file in files}


def locked(files: tuple[CopiedFile, ...], commit: str, folder: str = ".claude/skills/db-advisor") -> LockedSkill:
    """The lock's entry for these files."""
    return LockedSkill(folder, "/hub", commit * 40, "skills/db-advisor", lock_files(files))


OLD, NEW = locked(OLD_FILES, "1"), locked(NEW_FILES, "2")


def make_project(folder: Path, *, installed: bool) -> InstallRoot:
    """A project's root, with the old state of the skill or without it."""
    (folder / ".claude").mkdir(parents=True)
    root = project_root(str(folder))
    if installed:
        with change_installs(root, CountingDisk(lambda _: None)) as change:
            change.put(OLD, OLD_FILES)
    return root


def put_new(root: InstallRoot, disk: CountingDisk | None = None) -> None:
    """Puts the new state in the place of whatever is installed."""
    with change_installs(root, disk) as change:
        change.put(NEW, NEW_FILES)


def drop(root: InstallRoot, disk: CountingDisk | None = None) -> None:
    """Removes what is installed."""
    with change_installs(root, disk) as change:
        _drop_all(change)


def _drop_all(change: InstallChange) -> None:
    for skill in change.lock.skills:
        change.drop(skill)


def left_behind(root: InstallRoot) -> list[str]:
    """Temporary names below a root."""
    return sorted(str(path) for path in lock_path(root).parent.rglob(".*hub-index-*"))
