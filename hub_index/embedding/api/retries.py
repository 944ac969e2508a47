"""Repeats a request if a repetition can help; the SDKs' own retries are switched off.

Transient faults (429, 408, 5xx, timeouts, resets) are tried again after a growing, jittered wait, or after the wait of
Retry-After, capped; all tries together have a time limit. Every other error is raised at once.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from hub_index.errors import ProviderUnavailable

T = TypeVar("T")


class TransientError(Exception):
    """One try failed for a reason that may go away; `retry_after` is the header's value, not parsed."""

    def __init__(self, reason: str, retry_after: str | None = None, retry_after_ms: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.retry_after_ms = retry_after_ms


class Clock(Protocol):
    """The clock that retries use; tests bring their own."""

    def monotonic(self) -> float:
        """Seconds from any start, never set back."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def sleep(self, seconds: float) -> None:
        """Returns after `seconds`."""


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Waits; raises ProviderUnavailable as soon as the run that this thread works for is being stopped."""
        stopping: threading.Event | None = getattr(threading.current_thread(), "stopping", None)
        if stopping is None:
            time.sleep(seconds)
        elif stopping.wait(seconds):
            raise ProviderUnavailable("stopped while waiting for another try")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The time limit of a request, the number of tries, and the advice after the last failure."""

    tries: int = 6
    first_wait_s: float = 1.0
    max_wait_s: float = 60.0  # also the most that a Retry-After can ask for
    budget_s: float = 300.0  # all tries and waits of one request
    timeout_s: float = 60.0  # one try
    advice: str = "vectors received so far are in the cache, run the same command again later"


DOCUMENTS = RetryPolicy()
# a user waits
QUERY = RetryPolicy(tries=2, first_wait_s=0.3, max_wait_s=2.0, budget_s=10.0, timeout_s=10.0, advice="try again later")


def call_with_retries(call: Callable[[float], T], policy: RetryPolicy, clock: Clock, who: str) -> T:
    """The result of `call(timeout_s)`. Raises ProviderUnavailable when tries or time are used up."""
    end = clock.monotonic() + policy.budget_s
    tried = 0
    while True:
        try:
            return call(max(0.001, min(policy.timeout_s, end - clock.monotonic())))
        except TransientError as fault:
            tried += 1
            wait = wait_before(fault, tried, policy, clock.now())
            if tried >= policy.tries or clock.monotonic() + wait >= end:
                tries = "1 try" if tried == 1 else f"{tried} tries"
                reason = f"{who} did not answer: {fault.reason} ({tries}); {policy.advice}"
                raise ProviderUnavailable(reason) from None  # an SDK's error may quote the key, see http_guard
            clock.sleep(wait)


def wait_before(fault: TransientError, tried: int, policy: RetryPolicy, now: float) -> float:
    """Seconds before the next try: the server's wish, else exponential with jitter; capped."""
    asked = parse_retry_after(fault.retry_after, fault.retry_after_ms, now)
    if asked is not None:
        # jitter: clients that were refused together would all come back together
        return min(policy.max_wait_s, asked + random.uniform(0, 0.25) * max(asked, policy.first_wait_s))  # noqa: S311
    grown = policy.first_wait_s * float(2 ** (tried - 1))
    return min(policy.max_wait_s, grown) * random.uniform(0.5, 1.0)  # noqa: S311


def parse_retry_after(header: str | None, header_ms: str | None, now: float) -> float | None:
    """Seconds from now, from any form of the header; None if it says nothing usable."""
    if header_ms is not None and (milliseconds := _parse_number(header_ms)) is not None:
        return milliseconds / 1000
    if header is None:
        return None
    seconds = _parse_number(header)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(header.strip()).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _parse_number(text: str) -> float | None:
    try:
        number = float(text.strip())
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None  # NaN compares false, so it is None as well


def call_within(seconds: float, call: Callable[[], T], who: str) -> T:
    """The call's result if it comes in time: resolving a name can hang longer than any timeout of an SDK.

    The one time limit of a query and of a reranker; the embedded model needs none.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # carried to the waiting thread
            errors.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise ProviderUnavailable(f"{who} did not answer within {seconds:g} s; try again later")
    return results[0]
