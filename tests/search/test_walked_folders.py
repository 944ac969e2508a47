"""Folders that are walked because nothing else says what they hold: how far, and what is said meanwhile."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from hub_index.errors import IndexMissing
from hub_index.search import open_index
from hub_index.search.checkout import files
from hub_index.search.index import Index

_BAR = """
import time
from hub_index.cli.wiring.search_wiring import first_use_bar
tell = first_use_bar()
tell(1_000, 0)
time.sleep(1.1)
tell(2_000, 0)
tell(0, 0)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder without git and without an index: four entries, of which one is a skill."""
    (tmp_path / "hub/skills/knit").mkdir(parents=True)
    (tmp_path / "hub/skills/knit/SKILL.md").write_text("---\nname: knit\ndescription: Knit a scarf.\n---\n")
    (tmp_path / "hub/README.md").write_text("read me")
    return tmp_path / "hub"


def open_folder(folder: Path) -> Index:
    """The folder as a search opens it."""
    return open_index(hub=folder, home=folder.parent, cache_dir=folder.parent / "cache", must_exist=False)


def test_a_folder_within_the_cap_is_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many files and folders as are allowed are walked."""
    monkeypatch.setattr(files, "MAX_WALKED_FILES", 4)
    found = open_folder(folder).search("scarf", mode="keyword")
    assert [hit.id for hit in found] == ["knit"]


@pytest.mark.parametrize("mode", ["auto", "keyword", "semantic"])
def test_a_folder_beyond_the_cap_is_told_with_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """A whole disk or a home folder by mistake ends in one sentence, whatever is asked."""
    monkeypatch.setattr(files, "MAX_WALKED_FILES", 3)
    with pytest.raises(IndexMissing, match=r"more than 3 files and folders.*--hub.*hub-index build"):
        open_folder(folder).search("scarf", mode=mode)


@pytest.mark.parametrize("limit", [4, 3], ids=["to the end", "to the cap"])
def test_a_walk_says_how_far_it_is_and_when_it_ends(folder: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """How many there are is not known beforehand: the total is 0, and so is the last word."""
    monkeypatch.setattr(files, "MAX_WALKED_FILES", limit)
    monkeypatch.setattr(files, "_TOLD_EVERY", 1)
    told: list[tuple[int, int]] = []
    try:
        files.list_checkout(str(folder), lambda done, total: told.append((done, total)))
    except IndexMissing:
        assert limit == 3
    assert told == [(1, 0), (2, 0), (3, 0), *[(4, 0)] * (limit == 4), (0, 0)]


def test_one_search_walks_a_folder_once_for_its_listing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether there are skills, what they are called and what they were then is one walk, and one more confirms it."""
    walks: list[str] = []
    walk = files._walk

    def counted(hub: str, progress: object) -> object:
        walks.append(hub)
        return walk(hub, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "_walk", counted)
    assert len(open_folder(folder).search("scarf")) == 1
    assert len(walks) == 2
    assert len(open_folder(folder).search("scarf")) == 1
    assert len(walks) == 3


def test_a_walk_is_shown_on_a_terminal() -> None:
    """After a second a line says how many files have been looked at; it is gone at the end."""
    reader, terminal = pty.openpty()
    done = subprocess.run([sys.executable, "-c", _BAR], stderr=terminal, check=True, capture_output=False)
    os.close(terminal)
    shown = os.read(reader, 4_096).decode()
    os.close(reader)
    assert done.returncode == 0
    assert "files and folders searched for skills: 2,000" in shown
    assert shown.endswith("\r\x1b[K")
