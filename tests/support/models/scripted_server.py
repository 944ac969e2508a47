"""A real HTTP server on loopback that speaks OpenAI's, Azure's or Voyage's wire format and misbehaves to order.

Each request takes the next reply of the script; an empty script answers well. Vectors depend on the text alone.
"""

import base64
import contextlib
import hashlib
import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

WireFormat = Literal["openai", "azure-openai", "voyage"]
PATHS = {
    "openai": "/v1/embeddings",
    "azure-openai": "/openai/deployments/{model}/embeddings",
    "voyage": "/v1/embeddings",
}


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def texts(self) -> list[str]:
        """The inputs, also where one came alone."""
        texts = self.body["input"]
        return [texts] if isinstance(texts, str) else texts


Reply = Callable[["Handler", Request], None]
Edit = Callable[[dict[str, Any]], Any]


def vector_of(text: str, dim: int) -> list[float]:
    """A vector that depends on the text alone; not of norm 1."""
    seed = hashlib.shake_256(text.encode()).digest(2 * dim)
    return [number / 32768 for number in struct.unpack(f"<{dim}h", seed)]


class ScriptedServer:
    """Use as a context manager; `url` is what AXON_EMBEDDINGS_BASE_URL should be."""

    def __init__(self, wire: WireFormat = "openai", dim: int = 8, model: str | None = None) -> None:
        self.wire = wire
        self.dim = dim
        self.model = model  # what answers name; None: what was asked for
        self.script: list[Reply] = []
        self.default: Reply = ok
        self.requests: list[Request] = []
        self.released = threading.Event()  # ends every reply that hangs
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._server.scripted = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """The base URL."""
        return self.origin if self.wire == "azure-openai" else f"{self.origin}/v1"

    @property
    def times_requested(self) -> Counter[str]:
        """How often each text was asked for."""
        return Counter(text for request in list(self.requests) for text in request.texts)

    def next_reply(self, request: Request) -> Reply:
        """Notes the request and takes the next line of the script."""
        with self._lock:
            self.requests.append(request)
            return self.script.pop(0) if self.script else self.default

    def payload(self, request: Request) -> dict[str, Any]:
        """The right answer to a request, in the format that it asks for."""
        dim = request.body.get("dimensions") or request.body.get("output_dimension") or self.dim
        data = [
            {"object": "embedding", "index": index, "embedding": self.embedding(vector_of(text, dim), request)}
            for index, text in enumerate(request.texts)
        ]
        tokens = sum(len(text.split()) for text in request.texts)
        usage = {"total_tokens": tokens} if self.wire == "voyage" else {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": data, "model": self.model or request.body["model"], "usage": usage}

    @staticmethod
    def embedding(numbers: list[float], request: Request) -> Any:
        """A vector as the request wants it written."""
        if request.body.get("encoding_format") != "base64":
            return numbers
        return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()

    def __enter__(self) -> "ScriptedServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Handler(BaseHTTPRequestHandler):
    """Reads a request whole, then lets the script answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def scripted(self) -> ScriptedServer:
        """The server's script and notes."""
        found: ScriptedServer = self.server.scripted  # type: ignore[attr-defined]
        return found

    def do_POST(self) -> None:
        """Answers a request for embeddings, and nothing else."""
        length = int(self.headers["Content-Length"])
        content = self.rfile.read(length)
        if len(content) < length:  # the client was killed while it asked
            self.close_connection = True
            return
        body = json.loads(content)
        request = Request(self.path, dict(self.headers), body, time.monotonic())
        if self.path.partition("?")[0] != PATHS[self.scripted.wire].format(model=body.get("model")):
            status(404, {"error": {"message": "no such path"}, "detail": "no such path"})(self, request)
            return
        try:
            self.scripted.next_reply(request)(self, request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has had enough, as it should

    def send(self, code: int, content: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """Sends head and body in one write; `length` may lie."""
        lines = {"Content-Type": "application/json", "Content-Length": str(len(content) if length is None else length)}
        head = "".join(f"{name}: {text}\r\n" for name, text in {**lines, **(headers or {})}.items())
        self.wfile.write(f"HTTP/1.1 {code} Scripted\r\n{head}\r\n".encode() + content)

    def handle(self) -> None:
        """Serves a connection; a client may reset it."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class says so
        """Says nothing."""


def ok(handler: Handler, request: Request) -> None:
    """The right answer."""
    handler.send(200, json.dumps(handler.scripted.payload(request)).encode())


def status(code: int, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
    """An error of that status."""
    content = (
        body if isinstance(body, bytes) else json.dumps(body or {"error": {"message": "no"}, "detail": "no"}).encode()
    )
    return lambda handler, _: handler.send(code, content, headers)


def edited(edit: Edit) -> Reply:
    """The right answer after a change; NaN and Infinity are written as Python writes them."""
    return lambda handler, request: handler.send(200, json.dumps(edit(handler.scripted.payload(request))).encode())


def with_vector(place: int, numbers: list[float], *, as_list: bool = False) -> Reply:
    """The right answer but for one vector."""

    def reply(handler: Handler, request: Request) -> None:
        payload = handler.scripted.payload(request)
        written = numbers if as_list else handler.scripted.embedding(numbers, request)
        payload["data"][place]["embedding"] = written
        handler.send(200, json.dumps(payload).encode())

    return reply


def raw(content: bytes, code: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """Any bytes."""
    return lambda handler, _: handler.send(code, content, headers)


def hang(handler: Handler, request: Request) -> None:
    """Never answers."""
    handler.scripted.released.wait(30)
    handler.close_connection = True


def slow(seconds: float) -> Reply:
    """The right answer, later."""

    def reply(handler: Handler, request: Request) -> None:
        time.sleep(seconds)
        ok(handler, request)

    return reply


def reset(handler: Handler, request: Request) -> None:
    """Ends the connection with a reset."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def half_body(handler: Handler, request: Request) -> None:
    """Promises a whole answer and sends half of it."""
    content = json.dumps(handler.scripted.payload(request)).encode()
    handler.send(200, content[: len(content) // 2], length=len(content))
    handler.close_connection = True


def endless(code: int = 200, chunk: bytes = b" " * 65_536) -> Reply:
    """Sends without end, or until the client leaves."""

    def reply(handler: Handler, request: Request) -> None:
        handler.wfile.write(f"HTTP/1.1 {code} Scripted\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        while not handler.scripted.released.is_set():
            handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")

    return reply


def dripping(seconds: float) -> Reply:
    """Sends a byte now and then: no single read times out, the answer never ends."""

    def reply(handler: Handler, request: Request) -> None:
        handler.wfile.write(b"HTTP/1.1 200 Scripted\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not handler.scripted.released.wait(seconds):
            handler.wfile.write(b"1\r\n \r\n")

    return reply


def redirect(code: int, location: str) -> Reply:
    """Sends the client elsewhere."""
    return status(code, {"detail": "elsewhere"}, {"Location": location})
