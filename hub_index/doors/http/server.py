"""Runs an ASGI application on uvicorn, behind the guarded protocol, until it is told to stop."""

import logging
import socket

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hub_index.doors.http.application import AsgiApplication
from hub_index.doors.http.options import ServeOptions
from hub_index.doors.http.protocol import GuardedProtocol
from hub_index.limits import MAX_SERVED_HEADER_BYTES, MAX_SERVED_QUESTION_BYTES

_GRACE_S = 3  # for requests that are being answered when the server is stopped


class HttpServer:
    """A server on one listening socket."""

    def __init__(self, application: AsgiApplication, options: ServeOptions, listener: socket.socket) -> None:
        self._listener = listener
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
        """How many are open now."""
        return len(self._server.server_state.connections)

    @property
    def is_started(self) -> bool:
        """Whether clients are served."""
        return bool(self._server.started)

    def run(self) -> None:
        """Serves until SIGINT or SIGTERM, or until `stop`; uvicorn raises the signal again at the end."""
        self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """Ends `run`, from any thread."""
        self._server.should_exit = True


def _protocol_of(options: ServeOptions) -> type[GuardedProtocol]:
    limits = {"request_s": options.request_s, "max_connections": options.max_connections}
    return type("OptionsProtocol", (GuardedProtocol,), limits)
