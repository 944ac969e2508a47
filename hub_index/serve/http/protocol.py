"""uvicorn's HTTP/1.1 protocol with additions: deadlines for slow clients, a cap on connections, JSON refusals.

uvicorn's own time limit starts again with every byte, so a client could stay for ever by sending one now and then, or
by never taking its answer.
"""

import asyncio
import json
import sys
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from hub_index.limits import MAX_SERVED_CONNECTIONS, SERVED_REQUEST_S
from hub_index.serve.http.answer import PROBLEM_TYPE, encode_problem
from hub_index.serve.refusal import RETRY_S, RequestRefused

_LINGER_S = 2.0  # in which a client that was refused may read why
_NOT_HTTP = "this is not an HTTP request that can be answered"


class GuardedProtocol(H11Protocol):
    """One connection. `request_s` is for a whole head to arrive, and for an answer to be taken."""

    request_s: float = SERVED_REQUEST_S
    max_connections: int = MAX_SERVED_CONNECTIONS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._arrival: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuses a connection where too many are open; else waits for its first request."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._write_problem(503, "too many connections; close some", retry_s=RETRY_S)
            self._close()  # at once: each one that lingers is a file that is open beyond the cap
        else:
            self._note_progress()

    def data_received(self, data: bytes) -> None:
        """Reads on, unless this client was refused and only has to read why."""
        if self._is_refused:
            return
        super().data_received(data)
        self._note_progress()

    def on_response_complete(self) -> None:
        """Waits for the next request, or, where the connection ends, for the client to take the answer."""
        super().on_response_complete()
        self._note_progress()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hands the connection over; its new owner sets other deadlines."""
        self._stop_timers()
        self._is_refused = True  # nothing here concerns us any more
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Sends a problem instead of uvicorn's text, with the status that h11 suggests."""
        del msg
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431 and b"\n" not in self.conn.trailing_data[0]:
            status = 414
        self._refuse(status, _NOT_HTTP)

    def pause_writing(self) -> None:
        """Gives the client a while to take what it asked for."""
        super().pause_writing()
        self._watch_taking()

    def resume_writing(self) -> None:
        """The client takes its answer."""
        super().resume_writing()
        if self._taking is not None and not self.transport.is_closing():
            self._taking.cancel()
            self._taking = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._stop_timers()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Ends at once where the client was refused anyway."""
        if self._is_refused:
            self.transport.abort()
        else:
            super().shutdown()

    def _note_progress(self) -> None:
        """Starts or stops the clock for the next request's head."""
        if self._is_refused:
            return
        if self.transport.is_closing():
            self._watch_taking()
        elif self.cycle is not None and not self.cycle.response_complete:
            if self._arrival is not None:
                self._arrival.cancel()
                self._arrival = None
        elif self._arrival is None:
            self._arrival = self.loop.call_later(self.request_s, self._end_waiting)

    def _end_waiting(self) -> None:
        self._arrival = None
        if self.conn.trailing_data[0] and self.conn.our_state is h11.IDLE:
            self._refuse(408, "the request did not arrive in time")
        else:
            self._is_refused = True
            self._close()

    def _watch_taking(self) -> None:
        if self._taking is None:
            self._taking = self.loop.call_later(self.request_s, self.transport.abort)

    def _refuse(self, status: int, message: str) -> None:
        """Sends a problem, and lets a client read it that is still sending."""
        self._write_problem(status, message)
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self._taking = self.loop.call_later(_LINGER_S, self.transport.abort)
        else:
            self._close()

    def _write_problem(self, status: int, message: str, retry_s: int | None = None) -> None:
        """Sends a problem past h11, whose state may be anything."""
        self._is_refused = True
        self._stop_timers()
        body = json.dumps(encode_problem(RequestRefused(status, message))).encode()
        retry = f"Retry-After: {retry_s}\r\n" if retry_s else ""
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: {PROBLEM_TYPE}\r\n{retry}"
            f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.transport.write(head.encode() + body)

    def _close(self) -> None:
        self.transport.close()
        self._watch_taking()

    def _stop_timers(self) -> None:
        for timer in (self._arrival, self._taking):
            if timer is not None:
                timer.cancel()
        self._arrival = self._taking = None
