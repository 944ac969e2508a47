"""The number of requests a second that each caller may send; at most one second's worth is saved up."""

import math
import time
from collections.abc import Callable

from hub_index.doors.refusal import too_many


class RateLimiter:
    """A rate for each caller by name; callers are those of the token file, so they are few."""

    def __init__(self, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = max(1.0, per_s)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def check_rate(self, caller: str) -> None:
        """Takes one request off the caller's account. Raises RequestRefused (429)."""
        now_s = self._clock()
        left, then_s = self._left.get(caller, (self._burst, now_s))
        left = min(self._burst, left + (now_s - then_s) * self._per_s)
        if left < 1:
            self._left[caller] = (left, now_s)
            raise too_many("too many requests", math.ceil((1 - left) / self._per_s))
        self._left[caller] = (left - 1, now_s)
