"""Hubs that have published several indexes, and what a rollback has to leave behind."""

import atexit
import json
import shutil
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from hub_index.index.folder.hold import HOLD_FILE, Hold, parse_hold
from hub_index.models import IndexFiles
from support.builds.publish_world import PublishWorld, copy_world, git, make_world, read_index

LATER = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
LATER_TEXT = "2031-05-06T07:08:09Z"


def make_history(tmp_path: Path, indexes: int = 3, **options: Any) -> tuple[PublishWorld, list[IndexFiles]]:
    """A hub that published so many indexes, each with one skill more, and those indexes, oldest first."""
    if options:
        return _publish_several(tmp_path, indexes, options)
    made, published = _plain_history(indexes)
    return copy_world(made, tmp_path), list(published)


@cache
def _plain_history(indexes: int) -> tuple[Path, tuple[IndexFiles, ...]]:
    """Half a second of work that many tests begin with: done once by each process, copied by each test."""
    folder = Path(tempfile.mkdtemp(prefix="hub-index-history-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _, published = _publish_several(folder, indexes, {})
    return folder, tuple(published)


def _publish_several(tmp_path: Path, indexes: int, options: dict[str, Any]) -> tuple[PublishWorld, list[IndexFiles]]:
    world, published = make_world(tmp_path, skills=2), []
    for number in range(indexes):
        if number:
            world.push_skill(f"late-{number}", f"Does thing number {number} well.")
        world.publish(**options)
        published.append(read_index(world.remote, options.get("branch", "main")))
    return world, published


def hold_of(world: PublishWorld, branch: str = "main") -> Hold:
    """The hold that the remote's branch has."""
    return parse_hold(git(world.remote, "cat-file", "blob", f"{branch}:search/{HOLD_FILE}").encode())


def is_held(world: PublishWorld, branch: str = "main") -> bool:
    """Whether the remote's branch has a hold."""
    return HOLD_FILE in git(world.remote, "ls-tree", "-r", "--name-only", branch)


def check_put_back(now: IndexFiles, then: IndexFiles, created_at: str = LATER_TEXT) -> None:
    """Rows and vectors are those of then, and the manifest differs in its time alone."""
    assert (now.skills, now.vectors) == (then.skills, then.vectors)
    assert json.loads(now.manifest) == json.loads(then.manifest) | {"created_at": created_at}
