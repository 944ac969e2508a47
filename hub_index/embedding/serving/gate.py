"""Who may ask `hub-index serve`, how often, and how many at once.

A web page that a victim's browser shows can reach loopback: by a name that it points to 127.0.0.1 (DNS rebinding, so
the Host is checked) or by a form sent across origins (so the Origin is). Neither comes past here.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hub_index.embedding.serving.requests import RequestRefused
from hub_index.limits import MAX_SERVED_WAITING

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Queue:
    """One at a time, first come first served: Python's own lock may go to the same thread again and again."""

    def __init__(self) -> None:
        self._tickets: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Waits until everybody who came before has left."""
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


class Gate:
    """A bucket that holds a second's worth of requests, and a count of those at work."""

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
        """One request's time at the model. Raises RequestRefused (429)."""
        with self._changed:
            self._take()
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
        """Whether everybody inside has left within the limit."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting == 0, limit_s)

    def _take(self) -> None:
        now_s = self._clock()
        self._left = min(self._burst, self._left + (now_s - self._filled_s) * self._per_s)
        self._filled_s = now_s
        if self._left < 1:
            raise _too_many("too many requests", math.ceil((1 - self._left) / self._per_s))
        self._left -= 1


def check_host(hosts: list[str], allowed: frozenset[str]) -> None:
    """Raises RequestRefused where a request was meant for another machine's name."""
    if len(hosts) > 1:
        raise RequestRefused(400, "there is more than one Host header")
    for host in hosts:  # none at all: no browser does that
        if _name_of(host) not in allowed | _LOOPBACK_NAMES:
            raise RequestRefused(403, "the Host header names another machine; ask 127.0.0.1 or localhost")


def check_origin(origin: str | None, allowed: frozenset[str]) -> None:
    """Raises RequestRefused where a web page of another site asks."""
    if origin is not None and _name_of(origin.partition("://")[2]) not in allowed | _LOOPBACK_NAMES:
        raise RequestRefused(403, "web pages of other sites may not ask here")


def _name_of(host: str) -> str:
    """The name without port, brackets and closing dot."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def _too_many(what: str, retry_s: int) -> RequestRefused:
    return RequestRefused(429, f"{what}; try again in {retry_s} s", code="rate_limit_exceeded", retry_s=retry_s)
