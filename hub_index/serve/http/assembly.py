"""The parts of one server: its routes, their shared state, and what is closed at the end."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hub_index.embedding.encoder import Encoder
from hub_index.serve.http.answer import Answer, json_answer
from hub_index.serve.http.application import Application, MountedHandler, WebSocketHandler
from hub_index.serve.http.gate import Gate
from hub_index.serve.http.handlers.embeddings import EmbeddingsDoor
from hub_index.serve.http.handlers.front_page import answer_front
from hub_index.serve.http.handlers.metrics import CONTENT_TYPE, Metrics
from hub_index.serve.http.handlers.rpc import RpcOverHttp
from hub_index.serve.http.handlers.skills import SkillsDoor
from hub_index.serve.http.openapi import describe_server
from hub_index.serve.http.request import HttpRequest
from hub_index.serve.http.routes import Route
from hub_index.serve.http.serve_options import ServeOptions, check_options, listen
from hub_index.serve.http.server import HttpServer
from hub_index.serve.http.site import Site, SiteDoor
from hub_index.serve.json_rpc.dispatch import RpcDoor
from hub_index.serve.work_queue import WorkQueue

if TYPE_CHECKING:
    from hub_index.service.service import Service

_APART_S = 1.0


@dataclass(frozen=True, slots=True)
class Doors:
    """A server that is ready to run, and the application that it runs."""

    server: HttpServer
    application: Application


@contextmanager
def open_doors(  # noqa: PLR0913 - what a server is put together from
    options: ServeOptions,
    *,
    encoder: Encoder | None = None,
    service: "Service | None" = None,
    has_mcp: bool = False,
    site: Site | None = None,
    log: Callable[[str], None],
    warn: Callable[[str], None],
) -> Iterator[Doors]:
    """The server, listening; the model's doors need an encoder, those to skills a service. Raises ConfigError.

    `log` gets a line for each request, `warn` the lines about trouble for the server's owner.
    """
    binding = check_options(options)
    gate = Gate(options, is_loopback=binding.is_loopback)
    warnings = WarningLines(warn)
    parts = _Parts(options, gate)
    if encoder is not None:
        parts.add_embeddings(encoder)
    if service is not None:
        parts.add_service(service, has_mcp=has_mcp)
    if site is None:
        parts.add_front()
    else:
        parts.routes.extend(SiteDoor(site).routes)
    application = Application(
        gate,
        parts.routes,
        request_s=options.request_s,
        metrics=parts.metrics,
        log=log,
        warn=warnings.say,
        mounted=parts.mounted,
        websocket=parts.websocket,
        contexts=parts.contexts,
    )
    with listen(options, binding) as listener:
        server = HttpServer(application, options, listener, warnings.say)
        parts.gauges["connections"] = lambda: server.connections
        try:
            yield Doors(server, application)
        finally:
            parts.close()
            warnings.close()


def _progress_of(service: "Service") -> dict[str, tuple[int, int]]:
    """{hub: (embedded texts, all texts)} of the plain folders that are being embedded."""
    return {hub.name: (hub.embedded, hub.to_embed) for hub in service.hubs if hub.is_embedding}


class _Parts:
    """The parts added so far."""

    def __init__(self, options: ServeOptions, gate: Gate) -> None:
        self._options = options
        self._gate = gate
        self.websocket: WebSocketHandler | None = None
        self.metrics = Metrics()
        self.gauges: dict[str, Callable[[], float]] = {}
        self.mounted: dict[str, MountedHandler] = {}
        self.contexts: list[Callable[[], AbstractAsyncContextManager[object]]] = []
        self._closing: list[Callable[[], None]] = []
        self.routes: list[Route] = [
            Route("GET", "/healthz", self._answer_health, is_work=False),
            Route("GET", "/metrics", self._answer_metrics, is_work=False),
            Route("GET", "/openapi.json", self._answer_openapi, is_work=False),
        ]

    def add_embeddings(self, encoder: Encoder) -> None:
        """The model, under OpenAI's paths."""
        door = EmbeddingsDoor(encoder, self._options.model_name, self._options.max_waiting)
        self.routes.extend(door.routes)
        self.gauges["embedding_waiting"] = lambda: door.queue.waiting
        self.gauges["embedding_refused"] = lambda: door.queue.refused
        self._closing.append(door.queue.close)

    def add_service(self, service: "Service", *, has_mcp: bool) -> None:
        """The hubs, by all doors."""
        queue = WorkQueue("search", self._options.max_waiting)
        self._closing.append(queue.close)
        self.gauges["search_waiting"] = lambda: queue.waiting
        self.gauges["search_refused"] = lambda: queue.refused
        self.gauges["hubs"] = lambda: len(service.hubs)
        self.routes.extend(SkillsDoor(service, queue, self._options.request_s).routes)
        rpc = RpcOverHttp(RpcDoor(service, queue, self._options.request_s), self._gate, lambda: _progress_of(service))
        self.routes.extend(rpc.routes)
        self.websocket = rpc.serve_websocket
        if has_mcp:
            from hub_index.serve.http.handlers.mcp_mount import mount_mcp

            mcp = mount_mcp(service, queue, self._options.request_s)
            self.mounted["/mcp"] = mcp.handle
            self.contexts.append(mcp.context)

    def add_front(self) -> None:
        """Adds a list of all parts at `/`, if no page is served there."""
        others = (*self.mounted, *(["/ws"] if self.websocket else []))
        templates = (*(route.template for route in self.routes), *others)

        async def answer(request: HttpRequest) -> Answer:
            return answer_front(request, templates)

        self.routes.append(Route("GET", "/", answer, is_work=False))

    def close(self) -> None:
        """Ends the threads."""
        for close in self._closing:
            close()

    async def _answer_health(self, _request: HttpRequest) -> Answer:
        return json_answer({"status": "ok"})

    async def _answer_openapi(self, _request: HttpRequest) -> Answer:
        return json_answer(describe_server(route.template for route in self.routes))

    async def _answer_metrics(self, _request: HttpRequest) -> Answer:
        text = self.metrics.encode({name: read() for name, read in self.gauges.items()})
        return Answer(text.encode(), content_type=CONTENT_TYPE)


class WarningLines:
    """The lines of one server; a line's text is its kind, so it quotes nothing that a client chose."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._counts: dict[str, tuple[float, int]] = {}  # when a line was written last, and how often not since

    def say(self, line: str) -> None:
        """Writes the line, or counts it where the same one was written less than a second ago."""
        now_s = self._clock()
        written_s, unwritten = self._counts.get(line, (-math.inf, 0))
        if now_s - written_s < _APART_S:
            self._counts[line] = (written_s, unwritten + 1)
            return
        self._counts[line] = (now_s, 0)
        self._write(f"{line} (and {unwritten} more)" if unwritten else line)

    def close(self) -> None:
        """Writes how many were counted since each line was written last."""
        for line, (_, unwritten) in self._counts.items():
            if unwritten:
                self._write(f"{line} (and {unwritten} more)")
        self._counts.clear()
