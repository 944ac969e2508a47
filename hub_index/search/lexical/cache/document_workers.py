"""Tasks → documents on all cores but one, in worker processes that read and tokenise while this one feeds tantivy.

New interpreters, not forks: a caller may have threads. The death of a worker costs time only: its tasks are done here.
It ends with its parent, whose end of the pipe closes then.
"""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from queue import SimpleQueue
from threading import Lock

from hub_index.search.lexical.preparing import run_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO, Any

    from hub_index.search.lexical.preparing import Outcome, Task

_BATCH_TASKS = 100  # 30 ms of work, 0.5 MB to send
_AHEAD = 4  # batches a worker that wait to be fed, or are in it: some 10 MB
_MAX_WORKERS = 16  # tantivy's one thread is busy all the time with five
_AT_ONCE = 2  # batches that a worker has: while one is fetched from it, it does the next
_LENGTH_BYTES = 4
_BOOT = (
    "import sys; import json; sys.path[:] = json.loads(sys.argv[1]); "
    "from hub_index.search.lexical.cache.document_workers import work; work()"
)


def run_on_all_cores(tasks: Iterable[Task]) -> Iterator[Outcome | None]:
    """The outcome of every task, in their order."""
    workers = [_Worker() for _ in range(_count_workers())]
    idle: SimpleQueue[_Worker] = SimpleQueue()
    for worker in workers * _AT_ONCE:
        idle.put(worker)
    waiting: deque[Future[list[Outcome | None]]] = deque()
    remaining = iter(tasks)
    threads = ThreadPoolExecutor(_AT_ONCE * len(workers), thread_name_prefix="hub-index-tokens")
    try:
        while True:
            while len(waiting) < _AHEAD * len(workers) and (batch := list(islice(remaining, _BATCH_TASKS))):
                waiting.append(_submit(threads, batch, idle))
            if not waiting:
                return
            yield from waiting.popleft().result()
    finally:
        for worker in workers:
            worker.kill()
        threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()


def _count_workers() -> int:
    """One a core, but for the core that feeds tantivy: a worker more costs a memo of all words, and gains no time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MAX_WORKERS, max(1, cores - 1))


def _submit(threads: ThreadPoolExecutor, batch: list[Task], idle: SimpleQueue[_Worker]) -> Future[list[Outcome | None]]:
    """The outcomes of a batch, to wait for; worked out at once if no thread can be started."""
    try:
        return threads.submit(_run_batch, batch, idle)
    except RuntimeError:  # no memory, or as many as the system allows
        done: Future[list[Outcome | None]] = Future()
        done.set_result(list(map(run_task, batch)))
        return done


def _run_batch(batch: list[Task], idle: SimpleQueue[_Worker]) -> list[Outcome | None]:
    worker = idle.get()
    try:
        return worker.ask(batch)
    except (OSError, EOFError, ValueError, TypeError):  # it died; another one is not started
        worker.kill()
        return list(map(run_task, batch))
    finally:
        idle.put(worker)


class _Worker:
    """One process and the pipes to it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._sending, self._receiving = Lock(), Lock()
        with suppress(OSError):  # no memory, no more processes: the work is done here
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is the parent's to handle
            )

    def ask(self, batch: list[Task]) -> list[Outcome | None]:
        """The outcomes of a batch. Raises OSError, EOFError, ValueError, TypeError if the process has died."""
        if self._process is None:
            raise EOFError
        pipes: Any = self._process
        with self._sending:
            _send(pipes.stdin, batch)
            self._receiving.acquire()  # before another batch is sent: answers come in the order of the batches
        try:
            outcomes: list[Outcome | None] = _receive(pipes.stdout)
        finally:
            self._receiving.release()
        return outcomes

    def kill(self) -> None:
        """Ends the process, if it has not ended; readers of its answers see the end."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Closes its pipes; only after their last use."""
        if self._process is not None:
            self._process.communicate()


def work() -> None:
    """A worker's main loop: answers batches until its parent closes the pipe."""
    with suppress(EOFError, OSError):
        while True:
            _send(sys.stdout.buffer, list(map(run_task, _receive(sys.stdin.buffer))))


def _send(pipe: IO[bytes], value: list[Any]) -> None:
    data = marshal.dumps(value)
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little"))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    size = pipe.read(_LENGTH_BYTES)
    data = pipe.read(int.from_bytes(size, "little")) if len(size) == _LENGTH_BYTES else b""
    if not data:
        raise EOFError
    return marshal.loads(data)  # noqa: S302 - from our own process, over a pipe of ours
