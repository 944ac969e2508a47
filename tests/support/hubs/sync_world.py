"""A hub on a bare remote, somebody who pushes to it, and the user's synced clone: what the sync stories act with."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hub_index.hub.sync.sync import SyncOptions, SyncOutcome, sync_hub
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder


@dataclass
class SyncWorld:
    """`author` pushes to `remote`; `clone` is the user's checkout."""

    author: HubMaker
    remote: Path
    clone: Path

    def push(self, message: str = "change") -> str:
        """Commits the author's work tree and pushes it."""
        commit = self.author.commit(message)
        self.author.git("push", "-q", "--force", "origin", "HEAD:main")
        return commit

    def sync(self, url: Path | str | None = None) -> SyncOutcome:
        """A sync of the user's clone, in this process."""
        return sync_hub(self.clone, None if url is None else str(url), SyncOptions())

    def git(self, *arguments: str) -> str:
        """What git prints in the user's clone."""
        done = subprocess.run(["git", "-C", str(self.clone), *arguments], capture_output=True, check=True, text=True)
        return done.stdout.strip()

    def build(self) -> None:
        """Builds the author's index, to be pushed."""
        build_index(self.author.root, BuildOptions(), BuildTools(encoder_for=lambda _: FakeEncoder()))

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def write(self, path: str, content: str) -> None:
        """Puts a file into the user's clone."""
        target = self.clone / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")

    def commit_own(self, message: str = "mine") -> str:
        """Commits what the user has changed."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.head()

    def files(self) -> dict[str, bytes]:
        """The clone's files and links, without its repository."""
        found: dict[str, bytes] = {}
        for parent, folders, names in os.walk(self.clone):
            if ".git" in folders:
                folders.remove(".git")
            for name in names:
                path = Path(parent, name)
                content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
                found[str(path.relative_to(self.clone))] = content
        return found


def copy_world(template: SyncWorld, root: Path) -> SyncWorld:
    """The same world at another place: a copy is fifty git processes cheaper than a new one."""
    old = template.remote.parent
    shutil.copytree(old, root, symlinks=True, dirs_exist_ok=True)
    world = SyncWorld(HubMaker(root / "author"), root / "remote.git", root / template.clone.relative_to(old))
    for config in (world.author.root / ".git" / "config", world.clone / ".git" / "config"):
        if config.exists():
            config.write_text(config.read_text().replace(str(template.remote), str(world.remote)))
    return world


def make_world(root: Path, *, synced: bool = True) -> SyncWorld:
    """A pushed hub of three skills; the user has synced it unless told otherwise."""
    remote = root / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    author = HubMaker(root / "author")
    author.git("remote", "add", "origin", str(remote))
    for name in ("one", "two", "three"):
        author.skill(name)
    world = SyncWorld(author, remote, root / "axon" / "repo")
    world.push("skills")
    if synced:
        world.sync(remote)
    return world
