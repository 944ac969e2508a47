"""The order of work: operations run one after another on one thread, and only a limited number of requests may wait.

A search holds the interpreter most of the time, so more threads would only make all of them slower; first come, first
served keeps the slowest near the median.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from hub_index.limits import MAX_SERVED_WAITING
from hub_index.serve.refusal import too_busy

_Result = TypeVar("_Result")


class WorkQueue:
    """One thread, and a bounded number of requests that use it or wait for it."""

    def __init__(self, name: str, max_waiting: int = MAX_SERVED_WAITING) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"hub-index-{name}")
        self._max_waiting = max_waiting
        self.waiting = 0
        self.refused = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The time in which one request works or waits for it. Raises RequestRefused (503) where too many do."""
        if self.waiting >= self._max_waiting:
            self.refused += 1
            raise too_busy("too many requests wait")
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def run(self, job: Callable[[], _Result]) -> _Result:
        """The result of the job, within a turn."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, _as_exception, job)

    async def answer(self, job: Callable[[], _Result]) -> _Result:
        """The result of a request's only job. Raises RequestRefused (503)."""
        with self.turn():
            return await self.run(job)

    def close(self) -> None:
        """Lets the thread end; jobs that have not begun are dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)


def _as_exception(job: Callable[[], _Result]) -> _Result:
    """The result of the job; every error becomes an Exception, or the request would get no answer."""
    try:
        return job()
    except Exception:
        raise
    except BaseException as error:  # a panic of a library in Rust, say
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
