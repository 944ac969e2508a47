"""Runs batches on a few threads of this process; the Prefect flow runs them as tasks.

Each answer is kept by the thread that received it, so an interrupt in the main thread cannot come between paying for
a batch and storing it. After an error or Ctrl-C no new batch starts, and those under way get some time to end.
"""

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hub_index.models import SkillText

if TYPE_CHECKING:
    from hub_index.embedding.vector_checks import ModelAnswer


Batch = Sequence[SkillText]
EmbedBatch = Callable[[Batch], "ModelAnswer"]
KeepAnswer = Callable[[Batch, "ModelAnswer"], None]

GRACE_S = 15.0  # for requests under way at an error or Ctrl-C, because they are paid for; a hanging one is given up


def run_in_threads(embed: EmbedBatch, batches: Sequence[Batch], concurrency: int, keep: KeepAnswer) -> None:
    """Embeds and keeps every batch, at most `concurrency` at once; raises the first error when all have ended."""
    waiting = deque(batches)
    stop = threading.Event()
    # How each worker ended. Thread.join is no proof: after an interrupt Python 3.11 takes the thread for ended.
    ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            while waiting and not stop.is_set():
                try:
                    batch = waiting.popleft()
                except IndexError:
                    break
                keep(batch, embed(batch))
        except BaseException as error:  # raised again in the caller's thread
            stop.set()
            ended.put(error)
        else:
            ended.put(None)

    count = min(concurrency, len(batches))
    for _ in range(count):
        # daemons: a second Ctrl-C must end the process even while a server keeps a socket open
        worker = threading.Thread(target=work, daemon=True)
        worker.stopping = stop  # type: ignore[attr-defined]  # ends a wait between two tries, see retries.SystemClock
        worker.start()
    error: BaseException | None = None
    try:
        while count and error is None:
            error = ended.get()
            count -= 1
    except KeyboardInterrupt as interrupt:
        error = interrupt
    if error is not None:
        stop.set()
        _wait_for(ended, count)
        raise error


def _wait_for(ended: "queue.SimpleQueue[BaseException | None]", count: int) -> None:
    """Gives `count` workers some time to end: their errors no longer matter, but the vectors they still store do."""
    end = time.monotonic() + GRACE_S
    try:
        for _ in range(count):
            ended.get(timeout=max(0.0, end - time.monotonic()))
    except queue.Empty:
        return


def usable_cores() -> int:
    """Cores that this process may use: in a container or under taskset fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
