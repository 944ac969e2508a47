"""The HTTP server: OpenAI's embeddings endpoint on loopback, by the standard library alone.

`POST /v1/embeddings` and `GET /v1/models`. Sizes, time, connections and rate are capped; nothing that a client sent
is logged or quoted; every error is a JSON answer, never a traceback.
"""

import io
import json
import socketserver
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from hub_index.embedding.constant_part import AXON_NAME, AXON_PART, lift
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.serving.access import FairLock, RequestLimiter, check_host, check_origin
from hub_index.embedding.serving.openai_format import RequestRefused, encode_answer, encode_model, parse_request
from hub_index.embedding.serving.options import ServeOptions, check_model_name, find_binding
from hub_index.embedding.serving.request_body import DeadlineReader, body_length, close_gently, read_body
from hub_index.errors import ConfigError, HubIndexError
from hub_index.limits import MAX_SERVED_CONNECTIONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EMBEDDINGS, _MODELS = "/v1/embeddings", "/v1/models"
_METHODS = {_EMBEDDINGS: "POST", _MODELS: "GET"}
_TEXTS_AT_ONCE = 4  # 12 to 60 ms


class EmbeddingsServer(ThreadingHTTPServer):
    """One thread per connection, up to a cap; `log` receives one line per request, without its texts."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, options: ServeOptions, encoder: Encoder, log: Callable[[str], None]) -> None:
        check_model_name(options.model_name)
        binding = find_binding(options)
        self.address_family = binding.family
        self.is_private = binding.is_loopback
        self.options = options
        self.encoder = encoder
        self.dims = {options.model_name: encoder.dim or 0, AXON_NAME: (encoder.dim or 0) + 1}
        self.log = log
        self.limiter = RequestLimiter(options.requests_per_s)
        self._model_lock = FairLock()
        self.host_names = frozenset({options.host.lower()})
        self._free = threading.BoundedSemaphore(MAX_SERVED_CONNECTIONS)
        try:
            super().__init__((options.host, options.port), _Handler)
        except OSError as error:
            raise ConfigError(
                f"{options.host}:{options.port} cannot be listened on ({error.strerror}); choose another --port"
            ) from error

    def server_bind(self) -> None:
        """As http.server's, but without asking the name service for our name, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.options.host, self.server_address[1]

    @property
    def url(self) -> str:
        """The base URL for clients."""
        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        return f"http://{host}:{self.server_port}/v1"

    def embed(self, texts: Sequence[str], model: str) -> "NDArray[np.float32]":
        """That model's row for each text. Raises ProviderError.

        A few texts at a time, so that other requests get their turn.
        """
        import numpy as np

        rows = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            with self._model_lock.hold():
                rows.append(self.encoder.embed_documents(texts[start : start + _TEXTS_AT_ONCE]))
        embedded = np.concatenate(rows)
        return lift(embedded, AXON_PART) if model == AXON_NAME else embedded

    def process_request(self, request: Any, client_address: Any) -> None:
        """Starts the connection's thread, or refuses it where too many are open."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        refused = RequestRefused(503, "too many connections; close some", retry_s=1).encode_body()
        with suppress(OSError):
            request.settimeout(0.1)
            request.sendall(
                b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
                b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(refused), refused)
            )
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serves one connection, from its first request to its last."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Logs a line instead of http.server's traceback."""
        del request, client_address
        self.log("a connection broke")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "hub-index"
    sys_version = ""
    wbufsize = -1  # head and body in one packet: apart, they cost 40 ms of waiting for the client's acknowledgement
    disable_nagle_algorithm = True
    server: EmbeddingsServer

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self._reader = DeadlineReader(self.connection)
        self.rfile = io.BufferedReader(self._reader)

    def handle_one_request(self) -> None:
        self._reader.allow(self.server.options.request_s)
        super().handle_one_request()

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET  # noqa: N815 - http.server's names

    def handle_expect_100(self) -> bool:
        """Asks for the body only if it would be accepted."""
        try:
            body_length(self.headers)
        except RequestRefused as refused:
            self._refuse(refused)
            return False
        return super().handle_expect_100()

    def _serve(self) -> None:
        try:
            answer = self._answer()
        except RequestRefused as refused:
            self._refuse(refused)
        except TimeoutError:
            self._refuse(RequestRefused(408, "the request did not arrive in time"))
        except HubIndexError as error:
            self._refuse(RequestRefused(500, f"the embedded model failed: {error}"))
        else:
            self._send(200, answer)

    def _answer(self) -> bytes:
        served = {f"{_MODELS}/{name}": encode_model(name) for name in self.server.dims}
        if self.server.is_private:
            check_host(self.headers.get_all("Host") or [], self.server.host_names)
            check_origin(self.headers.get("Origin"), self.server.host_names)
        route = self._route()
        expected = _METHODS.get(route)
        if expected is None and route not in served:
            raise RequestRefused(404, f"this path is not served; {_EMBEDDINGS} and {_MODELS} are", code="not_found")
        if self.command != (expected or "GET"):
            raise RequestRefused(405, f"use {expected or 'GET'} here", code="method_not_allowed")
        if route == _EMBEDDINGS:
            return self._embed()
        self.close_connection |= "Content-Length" in self.headers or "Transfer-Encoding" in self.headers  # not read
        listed = {"object": "list", "data": list(served.values())}
        return json.dumps(served.get(route, listed)).encode()

    def _embed(self) -> bytes:
        body = read_body(self.headers, self.rfile)
        with self.server.limiter.turn():
            request = parse_request(body, self.server.dims)
            rows = self.server.embed(request.texts, request.model)
            tokens = self.server.encoder.count_tokens(request.texts).tokens
            return encode_answer(request, rows, tokens)

    def _refuse(self, refused: RequestRefused) -> None:
        self.close_connection = True  # the body may still be on its way, and must not be read as the next request
        self._send(refused.status, refused.encode_body(), retry_s=refused.retry_s)
        close_gently(self.connection)

    def _send(self, status: int, body: bytes, retry_s: int | None = None) -> None:
        self.connection.settimeout(self.server.options.request_s)  # for all of it: a client must take its answer
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        if retry_s is not None:
            self.send_header("Retry-After", str(retry_s))
        if status == 405:
            self.send_header("Allow", _METHODS.get(self._route(), "GET"))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Sends what http.server itself refuses as JSON, too; its own text would quote the request."""
        del message, explain
        self._refuse(RequestRefused(code, "this is not an HTTP request that can be answered"))

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        del size
        route = self._route()
        shown = route if route in _METHODS else "(another path)"
        self.server.log(f"{self.command or '?'} {shown} {int(code)}")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        """Logs nothing: http.server's own lines quote what clients sent."""

    def _route(self) -> str:
        return getattr(self, "path", "").partition("?")[0]
