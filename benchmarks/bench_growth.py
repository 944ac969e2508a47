"""What git grows by: 50 single-skill updates of a 1,000-skill hub, each published to a bare remote, then packed."""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.hubs import git

SKILLS, UPDATES = 1_000, 50
DIM = 512


def main() -> None:
    """Prints one table."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        root = Path(folder)
        clone, remote = _make_world(root)
        _publish(clone, root / "cache")
        before = _packed_bytes(remote)
        vectors_before = _stored_bytes(remote, "search/vectors.f32")
        for number in range(UPDATES):
            _edit(clone, number)
            _publish(clone, root / "cache")
        commits = int(git(remote, "rev-list", "--count", "main"))
        grown = _packed_bytes(remote) - before
        vectors = _stored_bytes(remote, "search/vectors.f32") - vectors_before
        rows = _stored_bytes(remote, "search/skills.jsonl")
        print(f"{SKILLS} skills, {UPDATES} updates of one skill, {commits} commits; dim × 4 = {DIM * 4} bytes")
        print(f"  the remote, packed, grew by {_share(grown)} in all, commits, trees and the edited skill included")
        print(f"  vectors.f32 by {_share(vectors)}, limit 3 ×")
        print(f"  skills.jsonl in all its {UPDATES + 1} versions: {rows:,} bytes")


def _share(grown: int) -> str:
    return f"{grown / UPDATES:,.0f} bytes an update ({grown / UPDATES / DIM / 4:.2f} × dim × 4)"


def _make_world(root: Path) -> tuple[Path, Path]:
    seed = root / "seed"
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


def _edit(clone: Path, number: int) -> None:
    git(clone, "pull", "-q", "--rebase")
    skill = (number * 37) % SKILLS
    (clone / "skills" / f"skill-{skill:04}" / "SKILL.md").write_text(_text(skill, f"{number + 2}nd"))
    git(clone, "-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-q", "-a", "-m", f"edit {number}")
    git(clone, "push", "-q")


def _publish(clone: Path, cache: Path) -> None:
    command = [sys.executable, "-m", "hub_index", "publish", str(clone), "--push", "--cache", str(cache), "--json"]
    subprocess.run(command, check=True, capture_output=True)


def _packed_bytes(remote: Path) -> int:
    git(remote, "gc", "-q", "--prune=now")
    return sum(file.stat().st_size for file in (remote / "objects" / "pack").glob("*.pack"))


def _stored_bytes(remote: Path, path: str) -> int:
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
