"""A running server on a free port of loopback, and a raw client that says exactly what a test wants said."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hub_index.embedding.encoder import Encoder
from hub_index.serve.http.assembly import Doors, open_doors
from hub_index.serve.http.serve_options import ServeOptions
from hub_index.serve.http.site import Site

if TYPE_CHECKING:
    from hub_index.service.service import Service


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

    doors: Doors
    lines: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return self.doors.server.port

    @property
    def url(self) -> str:
        return self.doors.server.url

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """One request over a connection of its own; an underscore in a header's name stands for a hyphen."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): said for name, said in headers.items()})
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def post(self, path: str, value: object, **headers: str) -> Reply:
        """POST of any JSON value."""
        body = json.dumps(value).encode()
        return self.ask("POST", path, body, **({"Content_Type": "application/json"} | headers))

    def embed(self, value: object, **headers: str) -> Reply:
        """POST /v1/embeddings of any JSON value."""
        return self.post("/v1/embeddings", value, **headers)

    def talk(self, raw: bytes, *, timeout_s: float = 10.0) -> bytes:
        """All that the server says to these bytes until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s) as connection:
            connection.sendall(raw)
            said = b""
            while part := connection.recv(65536):
                said += part
            return said


@contextmanager
def serving(
    encoder: Encoder | None = None,
    service: "Service | None" = None,
    *,
    mcp: bool = False,
    site: Site | None = None,
    **options: Any,
) -> Iterator[ServingWorld]:
    """A server in a thread, stopped at the end."""
    lines: list[str] = []
    with open_doors(
        ServeOptions(**({"port": 0} | options)),
        encoder=encoder,
        service=service,
        has_mcp=mcp,
        site=site,
        log=lines.append,
        warn=lines.append,
    ) as doors:
        thread = threading.Thread(target=doors.server.run, daemon=True)
        thread.start()
        end_s = time.monotonic() + 20
        while not doors.server.is_started and time.monotonic() < end_s:
            time.sleep(0.005)
        try:
            yield ServingWorld(doors, lines)
        finally:
            doors.server.stop()
            thread.join(15)
