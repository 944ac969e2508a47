"""F45: every write, sync and rename fails once, and for ever."""

import os
import time
from pathlib import Path

import pytest
from support.builds.broken_disk import EIO, ENOSPC, CountingDisk, fail_at
from support.builds.index_maker import make_files

from hub_index.errors import IndexMissing, PublishError
from hub_index.index.folder.reading import read_files
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.models import IndexFiles

OLD = make_files(("a", "b"), revision="1" * 40)
NEW = make_files(("a", "b", "c"), revision="2" * 40)


def _old_folder(parent: Path) -> Path:
    folder = parent / "search"
    parent.mkdir()
    with lock_folder(folder):
        write_files(folder, OLD, CountingDisk(lambda _: None))
    (folder / "README.md").write_text("kept")
    return folder


def _read_or_missing(folder: Path) -> IndexFiles | None:
    try:
        return read_files(folder)
    except IndexMissing:
        return None


def _write(folder: Path, disk: CountingDisk) -> str:
    """What the user is told; empty where all went well."""
    with lock_folder(folder):
        try:
            assert write_files(folder, NEW, disk)
        except PublishError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("number", [ENOSPC, EIO])
@pytest.mark.parametrize("for_ever", [False, True])
def test_f45_the_nth_operation_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool, number: int, for_ever: bool
) -> None:
    """The error is clear, the old set is as it was, nothing is left beside it; afterwards a build succeeds."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    for n in range(1, 100):
        folder = _old_folder(tmp_path / str(n))
        disk = CountingDisk(fail_at(n, number, for_ever=for_ever, removing_too=False), can_exchange=can_exchange)
        said = _write(folder, disk)
        found = _read_or_missing(folder)
        if not said:
            assert found == NEW
        else:
            assert str(folder) in said
            assert os.strerror(number) in said
            # Only a disk that refuses the last sync, and then the way back too, leaves another set than the old one.
            assert found == OLD or (for_ever and found in ((NEW,) if can_exchange else (NEW, None)))
        if found is not None:
            assert (folder / "README.md").read_text() == "kept"
            assert os.listdir(folder.parent) == ["search"]
        with lock_folder(folder):
            write_files(folder, NEW)
        assert read_files(folder) == NEW
        assert os.listdir(folder.parent) == ["search"]
        if n > disk.count:
            break
    assert n > 10


@pytest.mark.parametrize("for_ever", [False, True])
def test_f45_failures_while_tidying_up_lose_nothing_foreign(tmp_path: Path, for_ever: bool) -> None:
    """Where even removing fails, a set is in place, and the next build puts back what is not ours."""
    for n in range(1, 100):
        folder = _old_folder(tmp_path / str(n))
        (folder / "more").mkdir()
        (folder / "more" / "notes.txt").write_text("kept too")
        disk = CountingDisk(fail_at(n, EIO, for_ever=for_ever, removing_too=True))
        said = _write(folder, disk)
        assert read_files(folder) in ((OLD, NEW) if said else (NEW,))
        assert (folder / "README.md").read_text() == "kept"
        with lock_folder(folder):
            write_files(folder, NEW)
        assert (folder / "more" / "notes.txt").read_text() == "kept too"
        assert os.listdir(folder.parent) == ["search"]
        if n > disk.count:
            break
    assert n > 15
