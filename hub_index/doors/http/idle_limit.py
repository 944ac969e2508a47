"""A cap on idle WebSockets by owner: more of one owner would lock all others out."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from hub_index.doors.http.gate import ANYBODY
from hub_index.doors.http.request import HttpRequest
from hub_index.doors.refusal import RETRY_S, too_many
from hub_index.limits import MAX_SERVED_IDLE_WEBSOCKETS


class IdleLimit:
    """The idle WebSockets of one server; an owner is a token's name, or an address without tokens."""

    def __init__(self) -> None:
        self._idle: Counter[str] = Counter()

    @contextmanager
    def wait(self, request: HttpRequest) -> Iterator[None]:
        """The time in which a WebSocket is idle. Raises RequestRefused (429) where its owner has too many."""
        owner = request.address if request.caller == ANYBODY else request.caller
        if self._idle[owner] >= MAX_SERVED_IDLE_WEBSOCKETS:
            raise too_many(f"{MAX_SERVED_IDLE_WEBSOCKETS} of your WebSockets are idle", RETRY_S)
        self._idle[owner] += 1
        try:
            yield
        finally:
            self._idle[owner] -= 1
            if not self._idle[owner]:
                del self._idle[owner]
