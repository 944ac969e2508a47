"""A bare remote, the job's clone and the maintainer's clone: what the publishing stories act with."""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools, Evaluator, run_here, utc_now
from hub_index.index.folder.reading import read_files
from hub_index.index.format.validate import check_index
from hub_index.index.publish.publish import PublishOptions, PublishOutcome, publish_index
from hub_index.index.publish.rollback import roll_back
from hub_index.models import IndexFiles
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

_CLONES = ("job", "maintainer")


def git(folder: Path, *arguments: str) -> str:
    """What git printed in a folder; raises where it failed."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def read_index(repository: Path, rev: str, folder: str = "search") -> IndexFiles:
    """The three files of a commit, as bytes."""

    def blob(name: str) -> bytes:
        command = ["git", "-C", str(repository), "cat-file", "blob", f"{rev}:{folder}/{name}"]
        return subprocess.run(command, capture_output=True, check=True).stdout

    return IndexFiles(blob("index_manifest.json"), blob("skills.jsonl"), blob("vectors.f32"))


@dataclass
class PublishWorld:
    """Everybody who takes part; `texts` are those that the job's last run asked for."""

    remote: Path
    job: Path
    maintainer: HubMaker
    encoder: FakeEncoder = field(default_factory=FakeEncoder)
    evaluate: Evaluator | None = None

    def publish(
        self,
        build: BuildOptions | None = None,
        run_step: Callable[[str, Callable[[], Any]], Any] = run_here,
        **options: Any,
    ) -> PublishOutcome:
        """What the scheduled job does in its clone."""
        self.encoder.texts.clear()
        tools = BuildTools(encoder_for=lambda _: self.encoder, run_step=run_step, evaluate=self.evaluate)
        return publish_index(self.job, build or BuildOptions(), PublishOptions(**{"push": True, **options}), tools)

    def roll_back(
        self,
        rev: str | None = None,
        run_step: Callable[[str, Callable[[], Any]], Any] = run_here,
        now: Callable[[], datetime] = utc_now,
        **options: Any,
    ) -> PublishOutcome:
        """What the owner does in the job's clone when a bad index is out; nothing may be embedded."""
        tools = BuildTools(encoder_for=_no_encoder, run_step=run_step, now=now)
        return roll_back(self.job, rev, PublishOptions(**{"push": True, **options}), tools)

    def maintainer_index(self) -> IndexFiles:
        """What a build of the maintainer's checkout writes."""
        out = self.maintainer.root.parent / "trial"
        build_index(self.maintainer.root, BuildOptions(out=out), BuildTools(encoder_for=lambda _: FakeEncoder()))
        return read_files(out)

    def head(self, branch: str = "main") -> str:
        return git(self.remote, "rev-parse", branch)

    def commits(self, branch: str = "main") -> int:
        return int(git(self.remote, "rev-list", "--count", branch))

    def ids(self, branch: str = "main") -> list[str]:
        """The ids of the published index, which has to pass our own reader in full."""
        files = read_index(self.remote, branch)
        check_index(files)
        return [json.loads(line)["id"] for line in files.skills.split(b"\n")[:-1]]

    def push_skill(self, skill_id: str, description: str) -> None:
        """The maintainer's part: a skill is written, committed and pushed after a pull."""
        self.maintainer.git("pull", "-q", "--rebase", "--autostash")
        self.commit_skill(skill_id, description)
        self.maintainer.git("push", "-q")

    def commit_skill(self, skill_id: str, description: str) -> None:
        """The first half of it: written and committed, not pushed."""
        self.maintainer.skill(skill_id, description)
        self.maintainer.git("add", f"skills/{skill_id}")
        self.maintainer.git("commit", "-q", "-m", f"edit {skill_id}", "--", f"skills/{skill_id}")


def _no_encoder(_: str | None) -> FakeEncoder:
    raise AssertionError("a rollback embeds nothing")


def make_world(root: Path, skills: int = 4) -> PublishWorld:
    """A remote with a hub of so many skills, and two clones of it."""
    seed = HubMaker(root / "seed")
    seed.skills(skills)
    seed.write("README.md", "A hub.\n")
    seed.commit("skills")
    remote = root / "remote.git"
    git(root, "clone", "-q", "--bare", str(seed.root), str(remote))
    for name in _CLONES:
        git(root, "clone", "-q", str(remote), str(root / name))
    return _world_at(root)


def copy_world(made: Path, root: Path) -> PublishWorld:
    """A world as it stood in another folder, whose clones know the copied remote."""
    shutil.copytree(made, root, symlinks=True, dirs_exist_ok=True)
    for name in _CLONES:
        git(root / name, "remote", "set-url", "origin", str(root / "remote.git"))
    return _world_at(root)


def _world_at(root: Path) -> PublishWorld:
    return PublishWorld(root / "remote.git", root / "job", HubMaker(root / "maintainer"))
