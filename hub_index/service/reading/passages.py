"""A skill's text → its passages: a paragraph, a list or a piece of code, with the heading above it, by line numbers."""

from dataclasses import dataclass

from hub_index.limits import MAX_SPAN_CHARS
from hub_index.search.results import Span
from hub_index.service.reading.headings import iter_headings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_LINES = 12  # a longer block is several passages
_MAX_PASSAGES = 2_000  # of one text; words are looked for in each


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines start to end of a text, from 1; the last line counts."""

    start: int
    end: int


def split_passages(lines: "Sequence[str]", first: int = 1) -> list[Passage]:
    """The passages from a line on, in order; blank lines are in none."""
    passages: list[Passage] = []
    for passage in _cut(lines, first):
        passages.append(passage)
        if len(passages) == _MAX_PASSAGES:
            break
    return passages


def _cut(lines: "Sequence[str]", first: int) -> "Iterator[Passage]":
    headings = {number for _, _, number in iter_headings(lines, first)}
    start = 0
    for number in range(first, len(lines) + 2):
        line = lines[number - 1].strip() if number <= len(lines) else ""
        follows_heading = number - 1 in headings
        if not line and start and follows_heading and number <= len(lines):
            continue  # a heading belongs to what follows it
        is_full = bool(start) and number - start == _MAX_LINES
        if start and (not line or is_full or (number in headings and not follows_heading)):
            yield Passage(start, _last_line(lines, start, number - 1))
            start = 0
        if line and not start:
            start = number


def _last_line(lines: "Sequence[str]", start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def make_span(lines: "Sequence[str]", passage: Passage, context: int) -> "Span":
    """The passage with some lines around it; what is too long is cut and ends in an ellipsis."""
    start, end = max(1, passage.start - context), min(len(lines), passage.end + context)
    text = "\n".join(lines[start - 1 : end])
    return Span(start, end, text if len(text) <= MAX_SPAN_CHARS else text[: MAX_SPAN_CHARS - 1] + "…")
