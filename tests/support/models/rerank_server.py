"""A real /rerank server on loopback in the form of TEI, Cohere or Voyage, which misbehaves to order."""

import json
import time
from collections.abc import Callable
from typing import Any

from support.servers.loopback_server import LoopbackServer, QuietHandler

PATHS = {"tei": "/rerank", "cohere": "/rerank", "jina": "/rerank", "voyage": "/rerank"}
Scores = list[float]
Reply = Callable[["_Handler", dict[str, Any], Scores], None]


class RerankServer(LoopbackServer):
    """Scores a text by how often it says `favourite`; each request takes the next reply of the script.

    `url` is what AXON_RERANK_BASE_URL should be.
    """

    def __init__(self, wire: str, favourite: str = "zebra") -> None:
        super().__init__(_Handler)
        self.wire = wire
        self.favourite = favourite
        self.script: list[Reply] = []
        self.requests: list[tuple[dict[str, str], dict[str, Any]]] = []

    def payload(self, pairs: list[tuple[int, float]]) -> Any:
        """The answer in this server's form."""
        name = "score" if self.wire == "tei" else "relevance_score"
        items = [{"index": index, name: score} for index, score in pairs]
        if self.wire == "tei":
            return items
        if self.wire == "voyage":
            return {"object": "list", "data": items, "model": "m", "usage": {"total_tokens": 1000}}
        return {"results": items, "usage": {"total_tokens": 1000}}


class _Handler(QuietHandler):
    @property
    def served(self) -> RerankServer:
        found: RerankServer = self.owner
        return found

    def do_POST(self) -> None:  # noqa: N802 - as http.server calls it
        """Answers one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.served.requests.append((dict(self.headers), body))
        texts = body.get("texts", body.get("documents"))
        scores = [0.1 + 0.5 * text.count(self.served.favourite) for text in texts]
        reply = self.served.script.pop(0) if self.served.script else good
        try:
            reply(self, body, scores)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, code: int, value: Any, headers: dict[str, str] | None = None) -> None:
        """One JSON answer; NaN is written as Python writes it."""
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        for name, text in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content)


def good(handler: _Handler, body: dict[str, Any], scores: Scores) -> None:
    """Best first, as real servers answer."""
    pairs = sorted(enumerate(scores), key=lambda pair: -pair[1])
    handler.send(200, handler.served.payload(pairs))


def in_input_order(handler: _Handler, body: dict[str, Any], scores: Scores) -> None:
    """Not sorted: the indexes count, not the places."""
    handler.send(200, handler.served.payload(list(enumerate(scores))))


def with_scores(edit: Callable[[list[tuple[int, float]]], list[tuple[int, float]]]) -> Reply:
    """The right pairs after a change."""
    return lambda handler, _, scores: handler.send(200, handler.served.payload(edit(list(enumerate(scores)))))


def status(code: int, headers: dict[str, str] | None = None, body: Any = None) -> Reply:
    """An error."""
    return lambda handler, _, __: handler.send(code, body or {"message": "no", "detail": "no"}, headers)


def raw(content: bytes) -> Reply:
    """Any bytes."""
    return lambda handler, _, __: handler.send(200, content)


def hang(handler: _Handler, body: dict[str, Any], scores: Scores) -> None:
    """Never answers."""
    handler.served.released.wait(30)
    handler.close_connection = True


def drip(handler: _Handler, body: dict[str, Any], scores: Scores) -> None:
    """A byte now and then: no read times out, the answer never ends."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while not handler.served.released.is_set():
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.2)
