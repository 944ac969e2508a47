"""Runs an ASGI application on uvicorn, behind the guarded protocol, until `stop`.

uvicorn's HTTP/1.1 protocol has additions here: deadlines for slow clients, a cap on connections, JSON refusals.
uvicorn's own time limit starts again with every byte, so a client could stay for ever by sending one now and then, or
by never taking its answer.
"""

import asyncio
import errno
import json
import logging
import os
import socket
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hub_index.limits import (
    MAX_SERVED_CONNECTIONS,
    MAX_SERVED_HEADER_BYTES,
    MAX_SERVED_QUESTION_BYTES,
    SERVED_REQUEST_S,
)
from hub_index.serve.http.answer import PROBLEM_TYPE, encode_problem
from hub_index.serve.http.application import AsgiApplication
from hub_index.serve.http.serve_options import ServeOptions
from hub_index.serve.refusal import RETRY_S, RequestRefused

_LINGER_S = 2.0  # in which a client that was refused may read why
_NOT_HTTP = "this is not an HTTP request that can be answered"
_GRACE_S = 3  # for requests that are being answered when the server is stopped
_OWN_FILES = 16  # open beside the connections: after searches of one hub eight, and each search opens some more
_TOO_MANY_OPEN = (errno.EMFILE, errno.ENFILE)


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


class HttpServer:
    """A server on one listening socket; `warn` receives errors outside of any request."""

    def __init__(
        self,
        application: AsgiApplication,
        options: ServeOptions,
        listener: socket.socket,
        warn: Callable[[str], None],
    ) -> None:
        self._listener = listener
        self._warn = warn
        self.options = options
        for name in ("uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # its lines quote what clients sent
        config = uvicorn.Config(
            application,
            loop="asyncio",
            http=_protocol_of(options),
            ws=WebSocketsSansIOProtocol,
            ws_max_size=MAX_SERVED_QUESTION_BYTES,
            ws_per_message_deflate=False,  # a small message may be an enormous one
            lifespan="on",
            log_config=None,
            access_log=False,
            backlog=MAX_SERVED_CONNECTIONS,  # so often asyncio tries to accept at once, though no file can be opened
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=options.request_s,  # type: ignore[arg-type]
            timeout_graceful_shutdown=_GRACE_S,
            h11_max_incomplete_event_size=MAX_SERVED_HEADER_BYTES,
            ssl_certfile=options.tls_cert or None,
            ssl_keyfile=options.tls_key or None,
        )
        self._server = uvicorn.Server(config)

    @property
    def port(self) -> int:
        """The port, also where a free one was asked for."""
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        """The base URL for clients."""
        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        return f"{'https' if self.options.tls_cert else 'http'}://{host}:{self.port}"

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._server.server_state.connections)

    @property
    def is_started(self) -> bool:
        """Whether clients are served."""
        return bool(self._server.started)

    def run(self) -> None:
        """Serves until SIGINT or SIGTERM, or until `stop`; uvicorn raises the signal again at the end."""
        asyncio.run(self._serve())

    def stop(self) -> None:
        """Ends `run`, from any thread."""
        self._server.should_exit = True

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: self._warn(_describe(context)))
        await self._server.serve(sockets=[self._listener])


def _describe(context: dict[str, Any]) -> str:
    """One line in place of asyncio's traceback."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in _TOO_MANY_OPEN:
        return "too many open files: new connections wait a second; raise `ulimit -n`"
    return f"unexpected {type(error).__name__ if error else 'trouble'} outside of a request"


def _protocol_of(options: ServeOptions) -> type[GuardedProtocol]:
    limits = {"request_s": options.request_s, "max_connections": _count_fitting(options.max_connections)}
    return type("OptionsProtocol", (GuardedProtocol,), limits)


def _count_fitting(connections: int) -> int:
    """So many connections, or as many as the process may have open beside its own files."""
    max_files = os.sysconf("SC_OPEN_MAX")  # `ulimit -n`; -1 without a limit
    return connections if max_files < 0 else max(1, min(connections, max_files - _OWN_FILES))
