"""The hubs over HTTP: search, skills, their texts and files, spans and status. Each route asks the service, once."""

from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any

from hub_index import __version__
from hub_index.errors import HubIndexError
from hub_index.limits import MAX_SERVED_QUESTION_BYTES
from hub_index.search.results import encode_results
from hub_index.serve.http.answer import Answer, StreamedAnswer, encode_json, encode_problem, json_answer
from hub_index.serve.http.request import HttpRequest
from hub_index.serve.http.routes import Route
from hub_index.serve.operations import (
    CORPORA,
    find_request,
    list_request,
    plan_steps,
    read_request,
    related_request,
    report_use,
)
from hub_index.serve.parameters import parse_arguments
from hub_index.serve.refusal import RequestRefused
from hub_index.serve.work_queue import WorkQueue
from hub_index.service.answers import encode_list, encode_status, encode_text
from hub_index.service.requests import Deadline, FindRequest
from hub_index.service.service import Service

STREAMS = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}


class SkillsDoor:
    """One service, its operations as routes."""

    def __init__(self, service: Service, queue: WorkQueue, answer_s: float) -> None:
        self._service = service
        self._queue = queue
        self._answer_s = answer_s

    @property
    def routes(self) -> tuple[Route, ...]:
        """Where the hubs are served."""
        return (
            Route("GET", "/search", self._search),
            Route("POST", "/search", self._search_posted),
            Route("GET", "/skills", self._list),
            Route("GET", "/skills/{id}", self._read),
            Route("GET", "/skills/{id}/related", self._related),
            Route("GET", "/skills/{id}/files/{path...}", self._read_file),
            Route("GET", "/spans", self._read_span),
            Route("GET", "/status", self._status),
            *((Route("POST", "/uses", self._report_use),) if self._service.recorder else ()),  # as MCP's tool
        )

    async def _search(self, request: HttpRequest) -> Answer | StreamedAnswer:
        given: dict[str, object] = dict(request.query())
        form = _stream_form(request, given.pop("stream", None))
        asked = find_request(given, is_text=True, default_k=self._service.default_k)
        if form:
            return await self._start_stream(asked, form)
        tools = self._service.tools
        if tools is not None and not tools.is_steady:  # two answers could differ under one revision of the hubs
            return json_answer(await self._queue.answer(lambda: self._find(asked)))
        return await self._answer(request, lambda: self._find(asked))

    async def _search_posted(self, request: HttpRequest) -> Answer | StreamedAnswer:
        given = await request.read_json(MAX_SERVED_QUESTION_BYTES)
        if not isinstance(given, dict):
            raise RequestRefused(400, 'the body must be a JSON object such as {"query": "make slides", "k": 5}')
        form = _stream_form(request, given.pop("stream", None))
        asked = find_request(given, default_k=self._service.default_k)
        if form:
            return await self._start_stream(asked, form)
        return json_answer(await self._queue.answer(lambda: self._find(asked)))

    async def _list(self, request: HttpRequest) -> Answer:
        asked = list_request(request.query(), is_text=True)
        return await self._answer(request, lambda: encode_list(self._service.list(asked, self._deadline())))

    async def _read(self, request: HttpRequest) -> Answer:
        asked = read_request(request.path_values["id"], request.query(), is_text=True)
        return await self._answer(request, lambda: encode_text(self._service.read(asked, self._deadline())))

    async def _read_file(self, request: HttpRequest) -> Answer:
        values = request.path_values
        asked = read_request(values["id"], request.query(), is_text=True, file=values["path"])
        return await self._answer(request, lambda: encode_text(self._service.read(asked, self._deadline())))

    async def _read_span(self, request: HttpRequest) -> Answer:
        given: dict[str, object] = dict(request.query())
        skill = given.pop("skill", None)
        if not isinstance(skill, str) or not skill:
            raise RequestRefused(400, "skill is missing", param="skill")
        asked = read_request(skill, given, is_text=True)
        return await self._answer(request, lambda: _span_of(encode_text(self._service.read(asked, self._deadline()))))

    async def _related(self, request: HttpRequest) -> Answer:
        asked = related_request(request.path_values["id"], request.query(), is_text=True)
        return await self._answer(request, lambda: encode_results(self._service.related(asked, self._deadline())))

    async def _status(self, request: HttpRequest) -> Answer:
        parse_arguments((), request.query())
        return json_answer(await self._queue.answer(lambda: encode_status(self._service.status(self._deadline()))))

    async def _report_use(self, request: HttpRequest) -> Answer:
        given = await request.read_json(MAX_SERVED_QUESTION_BYTES)
        if not isinstance(given, dict):
            raise RequestRefused(
                400, 'the body must be a JSON object: {"search_id": …, "skill": …, "outcome": "accept"}'
            )
        return json_answer(await self._queue.answer(lambda: report_use(self._service, given)))

    def _find(self, asked: FindRequest) -> dict[str, object]:
        return encode_results(self._service.find(asked, self._deadline()), explain=asked.explain)

    async def _answer(self, request: HttpRequest, job: Callable[[], dict[str, object]]) -> Answer:
        """The job's answer with the hubs' digest as its ETag; 304 if the client has it already."""
        wanted_tag = request.header("if-none-match")

        def work() -> Answer:
            tag = f'W/"{self._service.hubs_digest()}-{__version__}"'
            headers = (("ETag", tag), ("Cache-Control", "no-cache"))
            if wanted_tag is not None and tag in wanted_tag:
                return Answer(status=304, headers=headers)
            return json_answer(job(), headers)

        return await self._queue.answer(work)

    async def _start_stream(self, asked: FindRequest, form: str) -> StreamedAnswer:
        """The answers of each step; the first is there already, so that a wrong request is refused as any other."""
        first, *others = plan_steps(asked)
        first_results = await self._queue.answer(lambda: self._find(first))
        return StreamedAnswer(self._stream(first_results, others, form), STREAMS[form])

    async def _stream(self, found: dict[str, object], steps: list[FindRequest], form: str) -> AsyncIterator[bytes]:
        yield _encode_partial(found, form, is_done=not steps)
        for number, step in enumerate(steps, start=1):
            try:
                found = await self._queue.answer(partial(self._find, step))
            except HubIndexError as error:  # the answer has begun, so this is an event, too
                yield _encode_event("problem", encode_problem(error), form)
                return
            yield _encode_partial(found, form, is_done=number == len(steps))

    def _deadline(self) -> Deadline:
        return Deadline(self._answer_s)


def _stream_form(request: HttpRequest, asked: object) -> str:
    """`sse` or `ndjson` if the client asks for pieces; else empty. Raises RequestRefused."""
    if asked is None:
        accepted = request.header("accept") or ""
        return next((form for form, media_type in STREAMS.items() if media_type in accepted), "")
    if not isinstance(asked, str) or asked not in STREAMS:
        raise RequestRefused(400, f"stream is one of {', '.join(STREAMS)}", param="stream")
    return asked


def _encode_partial(found: dict[str, object], form: str, *, is_done: bool) -> bytes:
    return _encode_event("partial", {"corpus": CORPORA[str(found["mode"])], "done": is_done, "results": found}, form)


def _encode_event(kind: str, value: Mapping[str, Any], form: str) -> bytes:
    if form == "sse":
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), encode_json(value))
    return encode_json({"event": kind, **value}) + b"\n"


def _span_of(encoded: Mapping[str, object]) -> dict[str, object]:
    """The fields of a span: its place, its lines and its text."""
    names = ("hub", "id", "uri", "path", "file", "start", "end", "total_lines", "next_start", "text", "notices")
    return {name: encoded[name] for name in names}
