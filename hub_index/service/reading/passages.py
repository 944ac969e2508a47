"""A skill's text → its headings with the lines of their sections, and its passages: a paragraph, a list or a piece of
code, by line numbers. A `# comment` in a code fence is no heading.
"""

from dataclasses import dataclass
from itertools import islice

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError
from hub_index.limits import MAX_SPAN_CHARS
from hub_index.search.results import Span
from hub_index.service.answers import Heading

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_MAX_HEADINGS = 500  # of one file; the longest real skill has some 200
_SHOWN = 12
MAX_SHOWN_CHARS = 100  # of a heading; a line may be as long as its file
_MAX_LINES = 12  # a longer block is several passages
_MAX_PASSAGES = 2_000  # of one text; words are looked for in each


def find_headings(lines: "Sequence[str]", first: int = 1) -> tuple[Heading, ...]:
    """The headings from line `first` on, each with the last line before the next one of its level or above."""
    headings = list(islice(iter_headings(lines, first), _MAX_HEADINGS))
    return tuple([_heading(headings, place, len(lines)) for place in range(len(headings))])


def iter_headings(lines: "Sequence[str]", first: int = 1) -> "Iterator[tuple[int, str, int]]":
    """Level, title and line number of each heading from line `first` on; a `# comment` in a code fence is none."""
    fence = ""
    for number, line in enumerate(lines[first - 1 :], start=first):
        text = line.lstrip(" ")
        if len(line) - len(text) > 3:
            continue
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0] + " \t") else fence
        elif opened := _opened_fence(text):
            fence = opened
        elif text.startswith("#"):
            level = len(text) - len(text.lstrip("#"))
            title = text[level:].strip().rstrip("#").rstrip()
            if level <= 6 and title and text[level : level + 1] in (" ", "\t"):
                yield level, title, number


def _opened_fence(text: str) -> str:
    """The ``` or ~~~, as long as written, if the line opens a code fence, else ""; ```code``` opens none."""
    sign = text[:1]
    if sign not in ("`", "~"):
        return ""
    rest = text.lstrip(sign)
    length = len(text) - len(rest)
    return sign * length if length >= 3 and not (sign == "`" and "`" in rest) else ""


def _heading(headings: list[tuple[int, str, int]], place: int, last: int) -> Heading:
    level, title, start = headings[place]
    end = next((number - 1 for other, _, number in headings[place + 1 :] if other <= level), last)
    return Heading(level, title, start, end)


def choose_heading(headings: "Sequence[Heading]", said: str) -> Heading:
    """The heading with the words `said`, with or without `#`, in any case, else the only one that begins with them.

    A heading may be named as a text quotes it. Raises ConfigError, which lists the headings.
    """
    wanted = _folded(said)
    texts = [(_folded(heading.text), heading) for heading in headings]
    same = [heading for text, heading in texts if text == wanted]
    like = same or [heading for text, heading in texts if text.startswith(wanted.removesuffix("…"))]
    if same or len(like) == 1:
        return like[0]
    shown = ", ".join([quote_line(heading.text, MAX_SHOWN_CHARS) for heading in (like or headings)[:_SHOWN]])
    what = "more than one heading begins with this" if like else "there is no heading of this name"
    raise ConfigError(f"{what}; " + (f"choose one of: {shown}" if shown else "the text has none"))


def _folded(text: str) -> str:
    """The text as it appears in quotation marks, where some signs are others; without them, `#` and case."""
    return quote_line(text)[1:-1].strip('"').lstrip("#").strip().casefold()


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
