"""Runs an ASGI application on uvicorn, behind the guarded protocol, until `stop`."""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hub_index.limits import MAX_SERVED_CONNECTIONS, MAX_SERVED_HEADER_BYTES, MAX_SERVED_QUESTION_BYTES
from hub_index.serve.http.application import AsgiApplication
from hub_index.serve.http.protocol import GuardedProtocol
from hub_index.serve.http.serve_options import ServeOptions

_GRACE_S = 3  # for requests that are being answered when the server is stopped
_OWN_FILES = 16  # open beside the connections: after searches of one hub eight, and each search opens some more
_TOO_MANY_OPEN = (errno.EMFILE, errno.ENFILE)


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
