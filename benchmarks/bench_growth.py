"""How much git grows: 50 single-skill updates of a 1,000-skill hub, each published to a bare remote, then packed."""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hubs import git

SKILLS, UPDATES = 1_000, 50
DIM = 512


def main() -> None:
    """Prints one table."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        root = Path(folder)
        clone, remote = make_world(root)
        publish(clone, root / "cache")
        before = _stored(remote, "repack", "-a", "-d", "-f", "-q")
        for number in range(UPDATES):
            edit(clone, number)
            publish(clone, root / "cache")
            if number == 0:
                _print_first(remote, root / "first.git", before)
        commits = int(git(remote, "rev-list", "--count", "main"))
        print(f"{SKILLS} skills, {UPDATES} updates of one skill, {commits} commits; dim × 4 = {DIM * 4} bytes")
        # git packs with a thread per core, and each thread starts from a full copy: that happens once, not per update
        one_thread = ("-c", "pack.threads=1", "repack", "-a", "-d", "-f", "-q")
        for what, command in (("gc", ("gc", "-q", "--prune=now")), ("repack by one thread", one_thread)):
            after = _stored(remote, *command)
            print(f"  after git {what}: the remote grew by {_share(after.all - before.all)}")
            print(f"    vectors.f32 by {_share(after.vectors - before.vectors)}, limit 3 ×")
            print(f"    skills.jsonl by {_share(after.rows - before.rows)}")


def _print_first(remote: Path, copy: Path, before: "StoredBytes") -> None:
    """One changed skill after `git gc`, on a copy, so that the remote itself is not packed yet."""
    shutil.copytree(remote, copy)
    grown = _stored(copy, "gc", "-q", "--prune=now").vectors - before.vectors
    share = grown / DIM / 4
    print(f"one skill changed, after git gc: vectors.f32 grew by {grown:,} bytes ({share:.2f} × dim × 4, limit 3)")


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """Bytes in the packs: all of them, and those of two files in all their versions, deltas as deltas."""

    all: int
    vectors: int
    rows: int


def _stored(remote: Path, *command: str) -> StoredBytes:
    git(remote, *command)
    packs = sum(file.stat().st_size for file in (remote / "objects" / "pack").glob("*.pack"))
    return StoredBytes(packs, stored_bytes(remote, "search/vectors.f32"), stored_bytes(remote, "search/skills.jsonl"))


def _share(grown: int) -> str:
    return f"{grown / UPDATES:,.0f} bytes an update ({grown / UPDATES / DIM / 4:.2f} × dim × 4)"


def make_world(root: Path, settings: str = "") -> tuple[Path, Path]:
    """A clone and its bare remote: a hub of 1,000 skills with these settings."""
    seed = root / "seed"
    seed.mkdir()
    (seed / "hub-index.toml").write_text(settings)
    for number in range(SKILLS):
        file = seed / "skills" / f"skill-{number:04}" / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(_text(number, "first"))
    git(root, "init", "-q", "-b", "main", str(seed))
    git(seed, "add", "-A")
    git(seed, "-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-q", "-m", "skills")
    remote, clone = root / "remote.git", root / "clone"
    git(root, "clone", "-q", "--bare", str(seed), str(remote))
    git(root, "clone", "-q", str(remote), str(clone))
    return clone, remote


def _text(number: int, version: str) -> str:
    description = f"The {version} version of task {number}, for teams of {number % 7}."
    return f"---\nname: skill-{number:04}\ndescription: {description}\n---\n"


def edit(clone: Path, number: int) -> None:
    """Pushes another description of one skill."""
    git(clone, "pull", "-q", "--rebase")
    skill = (number * 37) % SKILLS
    (clone / "skills" / f"skill-{skill:04}" / "SKILL.md").write_text(_text(skill, f"{number + 2}nd"))
    git(clone, "-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-q", "-a", "-m", f"edit {number}")
    git(clone, "push", "-q")


def publish(clone: Path, cache: Path) -> None:
    """Builds on the remote's head and pushes the index."""
    command = [sys.executable, "-m", "hub_index", "publish", str(clone), "--push", "--cache", str(cache), "--json"]
    subprocess.run(command, check=True, capture_output=True)


def stored_bytes(remote: Path, path: str) -> int:
    """What all versions of a file take in the pack, deltas as deltas."""
    blobs = {
        line.split()[0] for line in git(remote, "rev-list", "--objects", "main").split("\n") if line.endswith(path)
    }
    asked = subprocess.run(
        ["git", "-C", str(remote), "cat-file", "--batch-check=%(objectsize:disk)"],
        input="\n".join(sorted(blobs)).encode(),
        capture_output=True,
        check=True,
    )
    return sum(map(int, asked.stdout.split()))
