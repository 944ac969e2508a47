"""Who may send requests to `hub-index serve`, how often, and how many at once.

A web page in the user's browser can reach loopback: by a name that it points to 127.0.0.1 (DNS rebinding, so the Host
header is checked) or by a form sent across origins (so the Origin header is). Both are refused here.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hub_index.embedding.serving.openai_format import RequestRefused
from hub_index.limits import MAX_SERVED_WAITING

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class FairLock:
    """One thread at a time, first come first served: Python's own lock may go to the same thread again and again."""

    def __init__(self) -> None:
        self._tickets: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Waits until every thread that came before has left."""
        ticket = object()
        with self._changed:
            self._tickets.append(ticket)
            self._changed.wait_for(lambda: self._tickets[0] is ticket)
        try:
            yield
        finally:
            with self._changed:
                self._tickets.popleft()
                self._changed.notify_all()


class RequestLimiter:
    """How many requests a second (at most one second's worth is saved up), and how many embed or wait at once."""

    def __init__(
        self,
        requests_per_s: float,
        max_waiting: int = MAX_SERVED_WAITING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_s = requests_per_s
        self._left = self._burst = max(1.0, requests_per_s)
        self._clock = clock
        self._filled_s = clock()
        self._max_waiting = max_waiting
        self._waiting = 0
        self._changed = threading.Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The time in which one request embeds or waits for it. Raises RequestRefused (429)."""
        with self._changed:
            self._take_from_rate()
            if self._waiting >= self._max_waiting:
                raise _too_many("too many requests wait for the model", 1)
            self._waiting += 1
        try:
            yield
        finally:
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def wait_until_idle(self, limit_s: float) -> bool:
        """Whether all requests have been answered within the limit."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting == 0, limit_s)

    def _take_from_rate(self) -> None:
        now_s = self._clock()
        self._left = min(self._burst, self._left + (now_s - self._filled_s) * self._per_s)
        self._filled_s = now_s
        if self._left < 1:
            raise _too_many("too many requests", math.ceil((1 - self._left) / self._per_s))
        self._left -= 1


def check_host(hosts: list[str], allowed: frozenset[str]) -> None:
    """Raises RequestRefused where the request names another machine as its host."""
    if len(hosts) > 1:
        raise RequestRefused(400, "there is more than one Host header")
    for host in hosts:  # no Host at all is let in: every browser sends one
        if _name_of(host) not in allowed | _LOOPBACK_NAMES:
            raise RequestRefused(403, "the Host header names another machine; ask 127.0.0.1 or localhost")


def check_origin(origin: str | None, allowed: frozenset[str]) -> None:
    """Raises RequestRefused where the request comes from a web page of another site."""
    if origin is not None and _name_of(origin.partition("://")[2]) not in allowed | _LOOPBACK_NAMES:
        raise RequestRefused(403, "requests from web pages of other sites are refused")


def _name_of(host: str) -> str:
    """The host name without port, brackets and final dot."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def _too_many(what: str, retry_s: int) -> RequestRefused:
    return RequestRefused(429, f"{what}; try again in {retry_s} s", code="rate_limit_exceeded", retry_s=retry_s)
