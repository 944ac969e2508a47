"""A search where the system gives no more files or threads: the right answer, or none, and nothing wrong is kept."""

import errno
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.base.safe_open import read_below
from hub_index.cli.verbs import doctor
from hub_index.search.lexical import preparing
from hub_index.search.lexical.cache import documents
from hub_index.search.lexical.cache import edited_files as loose

_WORD = "zymurgy"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SearchWorld:
    """A hub whose index is committed; files count as old as soon as they are written."""
    monkeypatch.setattr(loose, "_STEP_NS", -(10**12))
    world = make_world(tmp_path, {"brewer": ("Makes beer.", f"All about {_WORD}.\n"), "baker": ("Bakes.", "Bread.\n")})
    world.story.hub.commit("index")
    return world


@pytest.mark.parametrize("reason", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_file_that_could_not_be_opened_for_lack_of_handles_is_not_kept_without_its_body(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    """The first search finds the word after all, and so does the next one from the same cache."""
    left = [reason]

    def read_later(hub: str, path: str, max_bytes: int) -> bytes:
        if left and "brewer" in path:
            raise OSError(left.pop(), "not now", path)
        return read_below(hub, path, max_bytes)

    monkeypatch.setattr(preparing, "read_below", read_later)
    answers = [ids(world.open_hub().search(_WORD, mode="keyword").hits) for _ in range(2)]
    assert (answers, left) == ([["brewer"], ["brewer"]], [])


def test_without_handles_there_is_no_answer_rather_than_a_wrong_one(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is told, and the cache stays clean."""

    def refuse(_hub: str, path: str, _max_bytes: int) -> bytes:
        raise OSError(errno.EMFILE, "too many open files", path)

    with monkeypatch.context() as short:
        short.setattr(preparing, "read_below", refuse)
        with pytest.raises(OSError, match="too many open files"):
            world.open_hub().search(_WORD, mode="keyword")
    assert ids(world.open_hub().search(_WORD, mode="keyword").hits) == ["brewer"]


def test_words_are_indexed_where_no_thread_can_be_started(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this thread then; a limit of processes counts threads as well."""
    monkeypatch.setattr(documents, "MANY_TASKS", 1)

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert ids(world.open_hub().search(_WORD, mode="keyword").hits) == ["brewer"]


def test_the_list_of_gits_files_takes_no_more_memory_than_it_has_bytes(world: SearchWorld) -> None:
    """The cap of its size is not reserved beforehand: a process that may not have so much reads it all the same."""
    code = (
        "import resource, sys; from hub_index.search.checkout.git_index import read_git_index; "
        "resource.setrlimit(resource.RLIMIT_AS, (400 * 2**20,) * 2); print(len(read_git_index(sys.argv[1])))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(world.hub)], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 2


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            MemoryError(),
            "there is too little memory for it; close other programs, or raise `ulimit -v`, then run again",
        ),
        (OSError(errno.EMFILE, "Too many open files"), "close other programs, or raise `ulimit -n`, then run again"),
        (OSError(errno.ENOSPC, "No space left on device"), "check the disk and the folder, then run again"),
    ],
)
def test_what_the_system_refuses_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, told: str
) -> None:
    """Exit 7 and one line: none of these is a fault to report."""

    def refuse(arguments: object) -> int:
        raise error

    monkeypatch.setattr(doctor, "run", refuse)
    done = hub_index_here("doctor")
    assert done.code == 7
    assert done.err.strip().endswith(told)
