"""F44 and F45 of an index in parts: killed at any step, or every write failing once, a whole set is in place."""

import os
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from support.builds.broken_disk import EIO, CountingDisk, die_at, fail_at, run_in_child
from support.builds.index_maker import PART_IDS, make_files, make_parts

from hub_index.errors import IndexMissing, PublishError
from hub_index.index.folder.reading import map_index
from hub_index.index.folder.verification import verify_folder
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.models import IndexFiles

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

OLD = make_parts(PART_IDS, width=1)
NEW = {
    "one skill less": make_parts(PART_IDS[1:], width=1),
    "more parts": make_parts(PART_IDS, width=2),
    "format 1": make_files(PART_IDS[1:]),
}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait for a set that may still come; here nobody else is at work."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


def _write(folder: Path, files: IndexFiles, disk: CountingDisk | None = None) -> None:
    with lock_folder(folder, disk):
        write_files(folder, files, disk)


def _old_folder(parent: Path) -> Path:
    parent.mkdir()
    _write(parent / "search", OLD, CountingDisk(lambda _: None))
    (parent / "search" / "README.md").write_text("kept")
    return parent / "search"


def _check_whole(folder: Path, new: IndexFiles) -> None:
    """The old set or the new one, then the new one, without a file of the other and nothing beside."""
    try:
        manifest = (folder / "index_manifest.json").read_bytes()
        verify_folder(folder)
        assert manifest in (OLD.manifest, new.manifest)
    except (IndexMissing, FileNotFoundError):
        assert not folder.exists()  # between two renames, on a system without exchange
    _write(folder, new, CountingDisk(lambda _: None))
    assert map_index(folder).manifest.count == verify_folder(folder).rows
    names = sorted(os.listdir(folder))
    assert "README.md" in names
    assert ("skills.jsonl" in names) == (not new.parts)
    assert sum(name.startswith("vectors-") for name in names) == len(new.parts)
    assert os.listdir(folder.parent) == ["search"]
    assert all(os.stat(folder / name).st_nlink == 1 for name in names)


@pytest.mark.parametrize(
    ("change", "can_exchange"),
    [("one skill less", True), ("one skill less", False), ("more parts", True), ("format 1", True)],
)
def test_f44_a_builder_of_parts_killed_at_every_step(tmp_path: Path, change: str, can_exchange: bool) -> None:
    """Whatever step it dies at, readers find a whole set, and the next build heals the rest."""
    for n in range(1, 100):
        folder = _old_folder(tmp_path / str(n))
        disk = CountingDisk(die_at(n), can_exchange=can_exchange)
        is_done = run_in_child(partial(_write, folder, NEW[change], disk))
        _check_whole(folder, NEW[change])
        if is_done:
            break
    assert n > 5


@pytest.mark.parametrize("change", list(NEW))
def test_f45_the_nth_operation_of_a_builder_of_parts_fails(tmp_path: Path, change: str) -> None:
    """A whole set stays, whatever fails; a link that fails is a file that is written."""
    for n in range(1, 100):
        folder = _old_folder(tmp_path / str(n))
        disk = CountingDisk(fail_at(n, EIO, for_ever=False, removing_too=False))
        with suppress(PublishError):
            _write(folder, NEW[change], disk)
        _check_whole(folder, NEW[change])
        if n > disk.count:
            break
    assert n > 5
