"""A running embeddings server on a free port of loopback, and a raw client that says exactly what a test wants said."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hub_index.embedding.encoder import Encoder
from hub_index.embedding.serving.options import ServeOptions
from hub_index.embedding.serving.server import EmbeddingsServer


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class ServingWorld:
    """A server and what it has logged."""

    server: EmbeddingsServer
    lines: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.server.server_port)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """One request over a connection of its own; an underscore in a header's name stands for a hyphen."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): said for name, said in headers.items()})
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def embed(self, value: object, **headers: str) -> Reply:
        """POST /v1/embeddings of any JSON value."""
        body = json.dumps(value).encode()
        return self.ask("POST", "/v1/embeddings", body, **({"Content_Type": "application/json"} | headers))

    def talk(self, raw: bytes, *, timeout_s: float = 10.0) -> bytes:
        """All that the server says to these bytes until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s) as connection:
            connection.sendall(raw)
            said = b""
            while part := connection.recv(65536):
                said += part
            return said


@contextmanager
def serving(encoder: Encoder, **options: Any) -> Iterator[ServingWorld]:
    """A server in a thread, stopped at the end."""
    lines: list[str] = []
    with EmbeddingsServer(ServeOptions(port=0, **options), encoder, lines.append) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield ServingWorld(server, lines)
        finally:
            server.shutdown()
            thread.join(5)
