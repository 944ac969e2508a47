"""What lies in a hub is opened folder by folder from its root: nothing leads out, nothing is waited for."""

import errno
import itertools
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hub_index.base.safe_open import is_link, open_below, read_below, rooted, walk_below

CANARY = b"canary"
OWN = b"own"


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A hub with a file two folders deep, reached by a link of the user's; the same names with a canary beside it."""
    for root, content in (("real", OWN), ("outside", CANARY)):
        (tmp_path / root / "skills/a").mkdir(parents=True)
        (tmp_path / root / "skills/a/SKILL.md").write_bytes(content)
    (tmp_path / "hub").symlink_to("real")
    return tmp_path / "hub"


def _put_link(place: Path, target: Path) -> None:
    place.rename(place.with_name("moved"))
    place.symlink_to(target)


def test_the_way_to_the_root_may_hold_links(hub: Path) -> None:
    """It is the user's own."""
    assert read_below(hub, "skills/a/SKILL.md", 100) == OWN
    with open_below(hub, "skills/a/SKILL.md") as file:
        assert file.read() == OWN
    assert list(walk_below(hub, "skills/a")) == [("skills/a", [], {"SKILL.md": 3}, [])]
    assert [(path, *names) for path, names, _, _ in walk_below(hub, "")] == [
        ("", "skills"),
        ("skills", "a"),
        ("skills/a",),
    ]


@pytest.mark.parametrize("step", ["skills", "skills/a", "skills/a/SKILL.md"])
@pytest.mark.parametrize("start", ["outside", "real"])
def test_a_link_at_any_step_below_it_is_refused_by_name(hub: Path, step: str, start: str) -> None:
    """Whether it leads out of the hub or to another place of it."""
    target = hub.parent / start / step
    _put_link(hub / step, target if start == "outside" else target.with_name("moved"))
    with pytest.raises(OSError, match="links are not followed") as caught:
        read_below(hub, "skills/a/SKILL.md", 100)
    assert (is_link(caught.value), caught.value.filename) == (True, step)
    if step != "skills/a/SKILL.md":
        assert list(walk_below(hub, "skills/a")) == []
        assert "skills/a" not in [path for path, *_ in walk_below(hub, "")]


@pytest.mark.parametrize(
    "path",
    ["../outside/skills/a/SKILL.md", "skills/../../outside/x", "/etc/passwd", "skills//a", "skills/./a", "", "."],
)
def test_a_path_that_does_not_go_down_is_no_file(hub: Path, path: str) -> None:
    """Neither up, nor from the machine's root, nor in a spelling of its own."""
    with pytest.raises(FileNotFoundError):
        read_below(hub, path, 100)


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder"])
def test_what_is_no_regular_file_is_not_waited_for(hub: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither as a file nor in a folder's place, and no handle stays open."""
    place = hub / "skills/odd"
    monkeypatch.chdir(hub / "skills")  # a socket's name is short
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("odd")
    else:
        place.mkdir()
    before = os.listdir("/dev/fd")
    for path in ("skills/odd", "skills/odd/SKILL.md"):
        with pytest.raises(OSError, match=r"pipe or a device|No such|Not a directory"):
            read_below(hub, path, 100)
    assert os.listdir("/dev/fd") == before


def test_more_than_the_limit_is_refused(hub: Path) -> None:
    """A size that an outsider chooses has a cap."""
    with pytest.raises(OSError, match="larger than 2 bytes") as caught:
        read_below(hub, "skills/a/SKILL.md", 2)
    assert caught.value.errno == errno.EFBIG


@contextmanager
def _swapping(place: Path, target: Path) -> Iterator[None]:
    """Exchanges a folder for a link and back, all the time."""
    is_over = threading.Event()
    link, folder = place.with_name(".link"), place.with_name(".folder")
    link.symlink_to(target)

    def swap() -> None:
        while not is_over.is_set():
            place.rename(folder)
            link.rename(place)
            place.rename(link)
            folder.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _many(count: int, is_seen: Callable[[], bool]) -> Iterator[int]:
    """So many tries, and more on a busy machine until what is waited for was seen; a minute at most."""
    started_s = time.monotonic()
    tries = itertools.count()
    return itertools.takewhile(
        lambda done: done < count or (not is_seen() and time.monotonic() - started_s < 60), tries
    )


@pytest.mark.parametrize("step", ["skills", "skills/a"])
def test_a_walk_enters_no_link_that_is_put_in_a_folders_place_meanwhile(hub: Path, step: str) -> None:
    """What it lists is the hub's own, or nothing."""
    (hub.parent / "outside/skills/a/secret.txt").write_bytes(CANARY)
    found: set[str] = set()
    with _swapping(hub / step, hub.parent / "outside" / step):
        for _ in _many(1_000, lambda: bool(found)):
            for _, _, files, _ in walk_below(hub, ""):
                found.update(files)
    assert found == {"SKILL.md"}


@pytest.mark.parametrize("step", ["skills", "skills/a"])
def test_a_folder_that_is_exchanged_for_a_link_meanwhile_leads_nowhere(hub: Path, step: str) -> None:
    """There is no moment between a look and the opening: every read is of the hub's own file, or refused."""
    said = set()
    with _swapping(hub / step, hub.parent / "outside" / step):
        for _ in _many(3_000, lambda: OWN in said):
            try:
                said.add(read_below(hub, "skills/a/SKILL.md", 100))
            except OSError:
                said.add(b"refused")
    assert CANARY not in said
    assert OWN in said


def test_a_folder_that_the_user_names_is_not_a_link_itself(hub: Path) -> None:
    """As ever for an index folder; `.` and a last slash are spellings of a folder."""
    assert os.listdir(rooted(hub / "skills")) == ["a"]
    assert [str(rooted(name)) for name in ("search", "search/", "a/..", ".")] == ["search", "search", "a/..", "."]
    with pytest.raises(OSError, match="links are not followed"):
        rooted(hub).open()
