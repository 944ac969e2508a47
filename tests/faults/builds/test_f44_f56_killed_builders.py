"""F44 and F56: a builder killed at any step, and the one that heals killed too."""

import os
import re
import shutil
import time
from functools import partial
from pathlib import Path

import pytest
from support.builds.broken_disk import CountingDisk, die_at, run_in_child
from support.builds.index_maker import make_files

from hub_index.errors import IndexMissing
from hub_index.index.folder.reading import read_files
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.models import IndexFiles

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait for a set that may still come; here nobody else is at work."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


OLD = make_files(("a", "b"), revision="1" * 40)
NEW = make_files(("a", "b", "c"), revision="2" * 40)


def _publish(folder: Path, files: IndexFiles, disk: CountingDisk | None = None) -> None:
    with lock_folder(folder, disk):
        write_files(folder, files, disk)


def _old_folder(parent: Path) -> Path:
    """An index with three things beside it that are not ours: a file, a link and a folder."""
    folder = parent / "search"
    parent.mkdir()
    _publish(folder, OLD, CountingDisk(lambda _: None))
    (folder / "README.md").write_text("kept")
    (folder / "link").symlink_to("README.md")
    (folder / "more").mkdir()
    (folder / "more" / "notes.txt").write_text("kept too")
    return folder


def _read_or_missing(folder: Path) -> IndexFiles | None:
    try:
        return read_files(folder)
    except IndexMissing:
        return None


def _check_healed(folder: Path) -> None:
    """The next build publishes the new set, everything foreign is there, and nothing is left beside it."""
    _publish(folder, NEW)
    assert read_files(folder) == NEW
    assert os.listdir(folder.parent) == ["search"]
    assert (folder / "README.md").read_text() == "kept"
    assert os.readlink(folder / "link") == "README.md"
    assert (folder / "more" / "notes.txt").read_text() == "kept too"


@pytest.mark.parametrize("can_exchange", [True, False])
def test_f44_kill_at_every_step_leaves_the_old_set_or_the_new(tmp_path: Path, can_exchange: bool) -> None:
    """Whatever step a builder dies at, readers find a whole set, and the next build heals the rest."""
    found = []
    for n in range(1, 100):
        folder = _old_folder(tmp_path / str(n))
        is_done = run_in_child(partial(_publish, folder, NEW, CountingDisk(die_at(n), can_exchange=can_exchange)))
        files = _read_or_missing(folder)
        assert files in ((OLD, NEW) if can_exchange else (OLD, NEW, None))
        if files is not None:
            assert (folder / "README.md").read_text() == "kept"
        found.append(files)
        _check_healed(folder)
        if is_done:
            break
    assert n > 15
    assert OLD in found
    assert NEW in found[:-1]  # killed while tidying up: the new set is already there


def test_f44_kill_of_the_first_build_leaves_nothing_or_the_new_set(tmp_path: Path) -> None:
    """Where there was no index before, a killed build leaves none, or the whole new one."""
    for n in range(1, 100):
        parent = tmp_path / str(n)
        folder = parent / "search"
        parent.mkdir()
        is_done = run_in_child(partial(_publish, folder, NEW, CountingDisk(die_at(n))))
        assert _read_or_missing(folder) in (None, NEW)
        _publish(folder, NEW)
        assert os.listdir(parent) == ["search"]
        if is_done:
            break
    assert n > 10


@pytest.mark.parametrize("can_exchange", [True, False])
def test_f56_kill_while_recovering_from_a_kill(tmp_path: Path, can_exchange: bool) -> None:
    """A second builder, killed at every step of healing what the first left, makes nothing worse."""
    seen = set()
    for n in range(1, 100):
        left = _old_folder(tmp_path / str(n))
        first = CountingDisk(die_at(n), can_exchange=can_exchange)
        is_first_done = run_in_child(partial(_publish, left, NEW, first))
        state = _state(left.parent)
        if state in seen and not is_first_done:
            continue  # a step that changes nothing, such as a sync: what was left is what the step before left
        seen.add(state)
        for m in range(1, 100):
            folder = _same_leftovers(left, tmp_path / f"{n}-{m}")
            second = CountingDisk(die_at(m), can_exchange=can_exchange)
            is_second_done = run_in_child(partial(_recover, folder, second))
            assert _read_or_missing(folder) in ((OLD, NEW) if can_exchange else (OLD, NEW, None))
            _check_healed(folder)
            if is_second_done:
                break
        if is_first_done:
            break
    assert n > 15
    assert len(seen) > 8


def _state(parent: Path) -> frozenset[tuple[str, bytes, int]]:
    """All that whoever heals could tell apart: names (without the part that chance gave), bytes, second names."""
    return frozenset(
        (
            re.sub(r"-[0-9a-f]{12}", "", str(path.relative_to(parent))),
            path.read_bytes() if path.is_file() else b"",
            0 if path.is_dir() else path.lstat().st_nlink,
        )
        for path in parent.rglob("*")
    )


def _same_leftovers(left: Path, parent: Path) -> Path:
    """What a killed builder left, at another place, second names included: cheaper than to kill another one."""
    copies: dict[int, str] = {}

    def copy(source: str, target: str) -> None:
        first = copies.setdefault(os.stat(source).st_ino, target)
        if first == target:
            shutil.copy2(source, target)
        else:
            os.link(first, target)

    shutil.copytree(left.parent, parent, symlinks=True, copy_function=copy)
    return parent / left.name


def _recover(folder: Path, disk: CountingDisk) -> None:
    with lock_folder(folder, disk):
        pass
