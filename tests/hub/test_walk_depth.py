"""A walk costs one opening for each folder, however deep it lies, and ends where no record's path can go."""

import os
from pathlib import Path

import pytest

from hub_index.base.safe_open import walk_below
from hub_index.hub.config import HubConfig
from hub_index.hub.tree.listing import select_files
from hub_index.limits import MAX_PATH_BYTES, MAX_PATH_STEPS
from hub_index.models import TreeEntry


def make_chain(root: Path, steps: list[str], leaf: str = "") -> None:
    """Folders each in the one before, made from handle to handle: the path may be longer than a system takes."""
    handle = os.open(root, os.O_RDONLY)
    for step in steps:
        if not os.path.exists(f"/dev/fd/{handle}/{step}"):
            os.mkdir(step, dir_fd=handle)
        below = os.open(step, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    if leaf:
        os.close(os.open(leaf, os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)


def test_each_folder_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders deep below others are not reached from the root again, and no handle stays open."""
    for number in range(20):
        make_chain(tmp_path, [*["d"] * 40, str(number), "y"], "f")
    opened: list[object] = []
    system_open = os.open

    def counted(*args: object, **more: object) -> int:
        opened.append(args[0])
        return system_open(*args, **more)  # type: ignore[arg-type]

    before = os.listdir("/dev/fd")
    monkeypatch.setattr(os, "open", counted)
    walked = list(walk_below(tmp_path, ""))
    monkeypatch.undo()
    assert sum(len(files) for _, _, files, _ in walked) == 20
    assert len(opened) == len(walked) == 1 + 40 + 2 * 20
    assert os.listdir("/dev/fd") == before


def test_a_walk_that_is_given_up_leaves_no_handle_open(tmp_path: Path) -> None:
    """Whoever asked may be gone in the middle of it."""
    make_chain(tmp_path, ["d"] * 30)
    before = os.listdir("/dev/fd")
    walk = walk_below(tmp_path, "d/d")
    assert [next(walk)[0] for _ in range(3)] == ["d/d", "d/d/d", "d/d/d/d"]
    walk.close()  # type: ignore[attr-defined]
    assert os.listdir("/dev/fd") == before


def test_what_lies_too_deep_is_listed_and_not_entered(tmp_path: Path) -> None:
    """Neither below too many folders nor at too long a path; its neighbours are, and few handles are open at a time."""
    make_chain(tmp_path, ["d"] * 300, "f")
    make_chain(tmp_path, ["x" * 255] * 5, "f")
    make_chain(tmp_path, ["near"], "f")
    before = len(os.listdir("/dev/fd"))
    walked, most = [], 0
    for path, *_ in walk_below(tmp_path, ""):
        walked.append(path)
        most = max(most, len(os.listdir("/dev/fd")) - before)
    assert max(path.count("/") + 1 for path in walked) == MAX_PATH_STEPS
    assert max(map(len, walked)) == 4 * 255 + 3 <= MAX_PATH_BYTES
    assert "near" in walked
    assert len(walked) == 1 + MAX_PATH_STEPS + 4 + 1
    assert most == MAX_PATH_STEPS + 1


def test_a_build_indexes_what_a_walk_reaches() -> None:
    """A skill as deep as a walk goes has a record; one folder deeper it is refused, with the reason."""
    deepest = "skills/" + "/".join(["d"] * (MAX_PATH_STEPS - 1))
    folders = [deepest, f"{deepest}/e"]
    listing = select_files([TreeEntry("100644", "a" * 40, 1, f"{path}/SKILL.md") for path in folders], HubConfig())
    assert [file.path for file in listing.files] == [deepest]
    assert [problem.code for problem in listing.problems] == ["name-refused"]
    assert f"more than {MAX_PATH_STEPS} folders" in listing.problems[0].reason
