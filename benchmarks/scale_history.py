"""The lexical cache over a hub's history: what it grew into answers as one that is made from nothing.

A bundle of real commits (HUB_INDEX_BENCH_HISTORY, else `axon-hub-history.bundle` beside the eval sets) is checked out
commit by commit, forwards, backwards and then in a random order across branches, each time asked the same questions by
words with one cache that is kept; the answers are compared with those of a new cache for each commit. `python -m
benchmarks.scale_history 4` takes every fourth commit.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.hubs import git, real_archive
from hub_index.errors import HubIndexError
from hub_index.search import open_index

_VARIABLE = "HUB_INDEX_BENCH_HISTORY"
_QUERIES = (
    "create a skill", "review code", "git commit", "write tests", "deploy a server", "search the web", "pdf", "skill",
    "database query", "how do I debug an error?", "make slides", "制作ppt", "summarise a document", "python", "agent",
)  # fmt: skip
Answers = list[list[tuple[str, float]]]


def main() -> None:
    """Prints how many answers are the same."""
    bundle = Path(os.environ.get(_VARIABLE, real_archive().parents[2] / "hubs/axon-hub-history.bundle"))
    if not bundle.is_file():
        print(f"no bundle of a hub's history: name one in {_VARIABLE}")
        return
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        hub = Path(folder) / "hub"
        subprocess.run(["git", "clone", "-q", str(bundle), str(hub)], check=True)
        every = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdecimal() else 1
        commits = git(hub, "rev-list", "--reverse", "--all").split()[::every]
        across = random.Random(1).sample(commits, len(commits))
        fresh: dict[str, Answers] = {}
        for name, order in (("forwards", commits), ("backwards", commits[::-1]), ("across branches", across)):
            _compare(name, hub, order, fresh, Path(folder))


def _compare(name: str, hub: Path, order: list[str], fresh: dict[str, Answers], folder: Path) -> None:
    asked = same = near = 0
    for commit in order:
        git(hub, "checkout", "-q", "-f", "--detach", commit)
        kept = _ask(hub, folder / f"kept {name}")
        if commit not in fresh:
            for kind in ("lexical", "chosen", "lines", "checkouts", "manifests"):  # the dictionary may stay
                shutil.rmtree(folder / "fresh" / kind, ignore_errors=True)
            fresh[commit] = _ask(hub, folder / "fresh")
        for ours, theirs in zip(kept, fresh[commit], strict=True):
            asked += 1
            same += ours == theirs
            near += _is_near(ours, theirs)
    print(
        f"{name}: {len(order)} states, {asked} answers: {same} identical, {near} with the same first ten and scores "
        f"within 1 % (≥ 99 % of all) {'ok' if near >= 0.99 * asked else 'MISSED'}",
        flush=True,
    )


def _ask(hub: Path, cache: Path) -> Answers:
    try:
        with open_index(hub=str(hub), cache_dir=str(cache)) as index:
            return [
                [(hit.id, hit.score) for hit in index.search(query, k=10, mode="keyword").hits] for query in _QUERIES
            ]
    except HubIndexError as error:  # a commit without a skill: both caches have to say the same
        return [[(str(error).replace(str(cache), ""), 0.0)]]


def _is_near(ours: list[tuple[str, float]], theirs: list[tuple[str, float]]) -> bool:
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) and all(
        mine[0] == other[0] and abs(mine[1] - other[1]) <= 0.01 * max(1e-9, abs(other[1])) for mine, other in pairs
    )


if __name__ == "__main__":
    main()
