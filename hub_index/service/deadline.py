"""The time limit of an operation, and its end by another thread: checked between the steps of the work."""

import time

from hub_index.errors import AnswerStopped


class Deadline:
    """A moment by which an answer must be there; without seconds only `cancel` ends the work."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._end_s: float | None = None
        self._is_cancelled = False
        if seconds is not None:
            self._end_s = time.monotonic() + seconds

    def cancel(self) -> None:
        """Ends the work at its next step; may be called from any thread."""
        self._is_cancelled = True

    def check(self) -> None:
        """Raises AnswerStopped if the answer was cancelled or is late."""
        if self._is_cancelled:
            raise AnswerStopped("the answer was cancelled: the client is gone")
        if self._end_s is None:
            return
        if time.monotonic() >= self._end_s:
            raise AnswerStopped(f"no answer within {self._seconds:g} s; ask again, for less, or by keyword alone")
