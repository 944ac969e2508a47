"""A real HTTP server on loopback that runs as long as its `with`; what it answers is its handlers' business."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class QuietHandler(BaseHTTPRequestHandler):
    """Keeps connections open and prints nothing."""

    protocol_version = "HTTP/1.1"

    @property
    def owner(self) -> Any:
        """The LoopbackServer that this request came to."""
        return self.server.owner  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class says so
        """Says nothing."""


class LoopbackServer:
    """A port of its own, and a thread for each request."""

    def __init__(self, handler: type[QuietHandler]) -> None:
        self.released = threading.Event()  # ends every reply that hangs
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
