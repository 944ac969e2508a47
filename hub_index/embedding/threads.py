"""Runs batches on a few threads of this process: the default way; the Prefect flow brings its own.

Each finished batch is kept by the thread that got it, so an interrupt in the main thread cannot fall between
"paid for" and "stored". After an error or Ctrl-C no new batch starts, and those in flight get a moment to end.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hub_index.models import SkillText

if TYPE_CHECKING:
    from hub_index.embedding.answers import Answer

Batch = Sequence[SkillText]
EmbedBatch = Callable[[Batch], "Answer"]
KeepAnswer = Callable[[Batch, "Answer"], None]

GRACE_S = 15.0  # for requests in flight at an error or Ctrl-C: they are paid for; a hanging one is given up


def run_in_threads(embed: EmbedBatch, batches: Sequence[Batch], concurrency: int, keep: KeepAnswer) -> None:
    """Embeds and keeps every batch, at most `concurrency` at once; raises the first error after the rest has ended."""
    waiting = deque(batches)
    stop = threading.Event()
    errors: list[BaseException] = []

    def work() -> None:
        while not stop.is_set():
            try:
                batch = waiting.popleft()
            except IndexError:
                return
            try:
                keep(batch, embed(batch))
            except BaseException as error:  # carried to the caller's thread, never swallowed
                errors.append(error)
                stop.set()
                return

    # daemons: a second Ctrl-C must end the process even while a server keeps a socket open
    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(concurrency, len(batches)))]
    for worker in workers:
        worker.start()
    try:
        _wait_for_end(workers, stop)
    except KeyboardInterrupt:
        stop.set()
        _wait_for(workers, GRACE_S)
        raise
    if errors:
        raise errors[0]


def _wait_for_end(workers: Sequence[threading.Thread], stop: threading.Event) -> None:
    while any(worker.is_alive() for worker in workers):
        if stop.is_set():
            _wait_for(workers, GRACE_S)
            return
        for worker in workers:
            worker.join(0.05)  # short: an error in one thread must not wait for another's long request
            if stop.is_set():
                break


def _wait_for(workers: Sequence[threading.Thread], seconds: float) -> None:
    end = time.monotonic() + seconds
    for worker in workers:
        worker.join(max(0.0, end - time.monotonic()))
