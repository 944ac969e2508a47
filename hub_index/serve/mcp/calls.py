"""Carries out a tool's call: arguments → the service → structured content and a text of our own, within the budget."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from mcp.types import CallToolResult, TextContent

from hub_index.base.characters import clean_line, quote_line
from hub_index.errors import ConfigError, TracesUnusable
from hub_index.limits import MAX_AGENT_K, MIN_TOKEN_BUDGET
from hub_index.search.results import Hit, Results
from hub_index.serve.mcp.texts import (
    MAX_COPIES,
    explain_hit,
    find_heading,
    list_files,
    list_headings,
    shorten,
    write_found,
    write_hit,
    write_text,
)
from hub_index.serve.mcp.tools import PARAMETERS
from hub_index.serve.parameters import parse_arguments
from hub_index.service.answers import SkillText
from hub_index.service.budget import estimate_tokens, keep_within
from hub_index.service.find.find import shorten_page
from hub_index.service.reading.read_skill import shorten_text
from hub_index.service.requests import Deadline, FindRequest, ReadRequest, RelatedRequest
from hub_index.service.service import Service

_FIND_TOKENS = 2_000
_READ_TOKENS = 6_000
_MAX_READ_TOKENS = 200_000  # of one answer, others wait for it; the longest of 124,963 real skills has some 75,000
_FILTERS = {"path", "lang", "type", "min_confidence"}
_MAX_LISTED = 24  # headings, and files, that are named beside a text
_TOKENS_A_LISTED = 100  # of the budget: with less of it fewer are named
_NAMED = (24, 8, 3)  # hits without room that are named, as many as there is room for
_SHORT_CHARS = (200, 80, 30)  # of a description that is longer than the budget
_TRIES = 6  # how often an answer that came out too long is written again, each time with less
_STEP = 10  # tokens less, at least: whole hits and lines do not shrink in proportion


class ToolCalls:
    """One service behind the tools."""

    def __init__(self, service: Service, answer_s: float) -> None:
        self._service = service
        self._answer_s = answer_s

    def call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """The answer; blocks. Raises HubIndexError."""
        fields = parse_arguments(PARAMETERS[name], arguments, is_text=True)  # models write "5" as well as 5
        deadline = Deadline(self._answer_s)
        if name == "find_skills":
            return self._find(fields, deadline)
        if name == "read_skill":
            return self._read(fields, deadline)
        if name == "related_skills":
            return self._related(fields, deadline)
        return self._report(fields)

    def _find(self, fields: dict[str, Any], deadline: Deadline) -> CallToolResult:
        budget = fields.pop("max_tokens", _FIND_TOKENS)
        hub = fields.pop("hub", "")
        fields = {"k": min(self._service.default_k, MAX_AGENT_K)} | fields
        request = FindRequest(hubs=(hub,) if hub else (), explain=True, **fields)
        is_filtered = bool(hub or _FILTERS & fields.keys())
        all_hits = self._service.find(request, deadline)

        def answer(max_tokens: int, _: int) -> CallToolResult:
            results = _shorten(all_hits, request, max_tokens)
            return _found(results, find_heading(results, is_filtered=is_filtered), budget)

        return _within(budget, answer)

    def _related(self, fields: dict[str, Any], deadline: Deadline) -> CallToolResult:
        request = RelatedRequest(**fields)

        all_hits = self._service.related(request, deadline)

        def answer(max_tokens: int, _: int) -> CallToolResult:
            results = keep_within(all_hits, max_tokens, _cost_of)
            heading = f"{len(results.hits)} like it." if results.hits else "Nothing is like it."
            return _found(results, heading, _FIND_TOKENS)

        return _within(_FIND_TOKENS, answer)

    def _read(self, fields: dict[str, Any], deadline: Deadline) -> CallToolResult:
        budget = min(_MAX_READ_TOKENS, fields.pop("max_tokens", _READ_TOKENS))
        request = ReadRequest(**fields)
        whole = self._service.read(request, deadline)
        is_first = not request.heading and request.start is None  # a request for a section follows an earlier read

        def answer(max_tokens: int, listed: int) -> CallToolResult:
            part = shorten_text(whole, max_tokens, deadline)
            return _read_result(part, _next_end(request, part), listed if is_first else 0)

        return _within(budget, answer, (min(_MAX_LISTED, budget // _TOKENS_A_LISTED), 0))

    def _report(self, fields: dict[str, Any]) -> CallToolResult:
        try:
            self._service.report_use(fields["search_id"], fields["uri"], fields["outcome"])
        except (ConfigError, TracesUnusable) as error:
            return _result({"recorded": False}, f"Not recorded: {quote_line(str(error))}")
        return _result({"recorded": True}, "Recorded.")


def failed(error: Exception) -> CallToolResult:
    """A failure that the agent can read and act on."""
    text = f"{type(error).__name__}: {quote_line(str(error))}"
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


def _shorten(found: Results, request: FindRequest, max_tokens: int) -> Results:
    """The hits that fit; of a first one that does not, at least its names, so that there is always one."""
    results = shorten_page(found, request, max_tokens, _cost_of)
    if results.hits or not found.hits:
        return results
    hit = found.hits[0].replace(also_like=())
    for length in _SHORT_CHARS:
        short = hit.replace(record=hit.record.replace(description=f"{hit.description[:length]}…"))
        if _cost_of(short) <= max_tokens:
            break
    else:  # its address alone: none of the author's words
        name = hit.id.rpartition("/")[2]
        reasons = hit.reasons.replace(matched=(), cosine=None)
        short = hit.replace(record=hit.record.replace(name=name, description=""), reasons=reasons)
    return shorten_page(found.replace(hits=(short, *found.hits[1:])), request, _cost_of(short), _cost_of)


def _within(
    max_tokens: int, answer: Callable[[int, int], CallToolResult], amounts: Sequence[int] = (0,)
) -> CallToolResult:
    """The first answer that fits the budget, of `answer(tokens, amount)` with ever fewer tokens, then smaller amounts.

    Text and structure each have to fit: a client shows its agent one of them.
    """
    for amount in amounts:
        asked = max_tokens
        for _ in range(_TRIES):
            result = answer(asked, amount)
            cost = _cost_of_result(result)
            if cost <= max_tokens:
                return result
            if asked <= MIN_TOKEN_BUDGET:
                break
            asked = max(MIN_TOKEN_BUDGET, asked * max_tokens // cost - _STEP)
    return result


def _cost_of_result(result: CallToolResult) -> int:
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    return _greater(result.structured_content, "\n".join(texts))


def _cost_of(hit: Hit) -> int:
    return _greater(_encode_hit(hit), write_hit(1, hit)) + 4


def _greater(structure: object, text: str) -> int:
    """The tokens of the longer one: a client shows its agent either the structure or the text."""
    return max(estimate_tokens(json.dumps(structure, ensure_ascii=False)), estimate_tokens(text))


def _found(results: Results, heading: str, budget: int) -> CallToolResult:
    """The hits, and as many names of those without room as the budget has room for."""
    amounts = _NAMED if results.omitted else ()
    answers = (_write_found(results, heading, named) for named in amounts)
    fitting = (answer for answer in answers if _cost_of_result(answer) <= budget)
    return next(fitting, None) or _write_found(results, heading, 0)


def _write_found(results: Results, heading: str, named: int) -> CallToolResult:
    structured: dict[str, Any] = {
        "verdict": results.verdict,
        "mode": results.mode,
        "fallback_reason": clean_line(results.fallback_reason) or None,
        "hubs_digest": results.hubs_digest,
        "hits": [_encode_hit(hit) for hit in results.hits],
        "omitted": shorten(results.omitted, named),
        "next_cursor": results.next_cursor or None,
    }
    if results.search_id:
        structured["search_id"] = results.search_id
    if results.did_you_mean:
        structured["did_you_mean"] = clean_line(results.did_you_mean)
    if results.notices:
        structured["notices"] = shorten(results.notices)
    return _result(structured, write_found(results, heading, named))


def _encode_hit(hit: Hit) -> dict[str, Any]:
    encoded: dict[str, Any] = {
        "uri": hit.uri,
        "id": hit.id,
        "name": clean_line(hit.name),
        "description": clean_line(hit.description),
        "score": hit.score,
        "why": explain_hit(hit),
    }
    if hit.also_like:
        encoded["also_like"] = shorten([place.uri for place in hit.also_like], MAX_COPIES)
    return encoded | ({"weak": True} if hit.weak else {})


def _next_end(request: ReadRequest, found: SkillText) -> int | None:
    """Up to which line to go on: the section's or the caller's last one, where the budget ended the text before it."""
    if found.next_start is None:
        return None
    section = [heading.end for heading in found.headings if request.heading and heading.start == found.start]
    return section[0] if section else request.end


def _read_result(answer: SkillText, next_end: int | None, listed: int) -> CallToolResult:
    structured: dict[str, Any] = {
        "uri": answer.uri,
        "id": answer.id,
        "name": clean_line(answer.name),
        "file": answer.file,
        "start": answer.start,
        "end": answer.end,
        "total_lines": answer.total_lines,
        "next_start": answer.next_start,
        "text": answer.text,
    }
    if next_end is not None:
        structured["next_end"] = next_end
    if listed:
        structured["headings"] = list_headings(answer, listed)
        structured["files"] = list_files(answer, listed)
    if answer.notices:
        structured["notices"] = shorten(answer.notices)
    return _result(structured, write_text(answer, next_end, listed))


def _result(structured: dict[str, Any], text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=structured)
