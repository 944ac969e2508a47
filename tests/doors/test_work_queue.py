"""The queue of the doors' work: whatever a job ends with, whoever asked hears of it."""

import asyncio

import pytest

from hub_index.serve.work_queue import WorkQueue


class PanicError(BaseException):
    """What a library in Rust raises where it panics: no Exception."""


def test_a_job_that_panics_is_an_answer_with_an_error() -> None:
    """An error that no door catches would leave its client waiting for ever; the next job is done as ever."""
    queue = WorkQueue("test")

    def panic() -> int:
        raise PanicError("index out of bounds")

    async def ask() -> int:
        with pytest.raises(RuntimeError, match="PanicError: index out of bounds"):
            await queue.answer(panic)
        return await queue.answer(lambda: 7)

    try:
        assert asyncio.run(ask()) == 7
    finally:
        queue.close()
