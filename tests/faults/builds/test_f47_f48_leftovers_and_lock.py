"""F47 and F48: what a crash left behind, and two builders at one folder."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.builds.index_maker import make_files

from hub_index.errors import IndexBusy
from hub_index.index.folder.reading import read_files
from hub_index.index.folder.writing import lock_folder, write_files

FILES = make_files()

_HOLDER = """
import os, sys, time
from pathlib import Path
from hub_index.index.folder.writing import lock_folder
with lock_folder(Path(sys.argv[1])):
    if os.fork() == 0:
        print("locked", flush=True)  # a worker that outlives its builder
        time.sleep(60)
        os._exit(0)
    time.sleep(60)
"""


def test_f47_a_short_file_left_by_a_crash_is_never_reused(tmp_path: Path) -> None:
    """Half-written files in the folder, and in a dead builder's folder beside it, are replaced or removed."""
    folder = tmp_path / "search"
    dead = tmp_path / ".search.hub-index-new-0123456789ab"
    for place in (folder, dead):
        place.mkdir()
        (place / "vectors.f32").write_bytes(FILES.vectors[:10])
        (place / "skills.jsonl").write_bytes(FILES.skills[:10])
    with lock_folder(folder):
        assert write_files(folder, FILES)
    assert read_files(folder) == FILES
    assert os.listdir(tmp_path) == ["search"]


def test_f47_only_our_own_leftovers_are_removed(tmp_path: Path) -> None:
    """Names that merely look similar, and those of another output folder, are not touched."""
    others = {".search.hub-index-new-mine", ".other.hub-index-new-0123456789ab", "search.tmp"}
    for name in others:
        (tmp_path / name).mkdir()
    with lock_folder(tmp_path / "search"):
        write_files(tmp_path / "search", FILES)
    assert set(os.listdir(tmp_path)) == others | {"search"}


def test_f47_a_link_with_the_name_of_a_leftover_is_removed_not_followed(tmp_path: Path) -> None:
    """A link under a temporary name does not lead to any other file being lost."""
    canary = tmp_path / "canary"
    canary.mkdir()
    (canary / "skills.jsonl").write_text("precious")
    hub = tmp_path / "hub"
    hub.mkdir()
    (hub / ".search.hub-index-new-0123456789ab").symlink_to(canary)
    with lock_folder(hub / "search"):
        write_files(hub / "search", FILES)
    assert (canary / "skills.jsonl").read_text() == "precious"
    assert os.listdir(hub) == ["search"]


def test_f48_a_second_builder_is_told_and_a_dead_one_frees_the_folder(tmp_path: Path) -> None:
    """The lock is the kernel's: refused at once while held, free as soon as its holder is killed, no file left."""
    folder = tmp_path / "search"
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(folder)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "locked\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "sleep", lambda _: pytest.fail("waited"))
            with pytest.raises(IndexBusy, match="another build is writing"), lock_folder(folder):
                pass
        holder.kill()
        holder.wait()
        with lock_folder(folder):  # although the worker that it forked is still alive
            assert write_files(folder, FILES)
        assert os.listdir(tmp_path) == ["search"]
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
        holder.stdout.close()


def test_f48_the_lock_is_freed_when_a_build_ends_or_fails(tmp_path: Path) -> None:
    """A builder that raised leaves the folder free."""
    folder = tmp_path / "search"
    with pytest.raises(RuntimeError, match="provider"), lock_folder(folder):
        raise RuntimeError("provider")
    with lock_folder(folder), pytest.raises(IndexBusy), lock_folder(folder):
        pass
