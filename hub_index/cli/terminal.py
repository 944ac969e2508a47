"""Text for a terminal: untrusted words made harmless, widths, tables, JSON, and lines on stderr.

Skill texts come from strangers: none of their control characters, escape sequences or direction overrides may
reach a terminal, so every word of theirs passes `printable`. Results go to stdout, everything else to stderr.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from unicodedata import category, east_asian_width

from hub_index.base.characters import clean_text, escape_hidden

_LEAST_COLUMNS = 20
_MOST_PADDING = 60  # columns that a cell is filled to: one long path does not push every other row aside
_PIPE_COLUMNS = sys.maxsize  # of a file or a pipe, where nothing is cut
BOLD, DIM, CYAN = "1", "2", "36"  # what colour there is: numbers of the standard for terminals


def printable(text: str, keep: str = "") -> str:
    """The text without anything that a terminal would act on; line breaks become spaces."""
    return clean_text(text, keep).text


def cell_width(text: str) -> int:
    """How many terminal columns the text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def cut_to_width(text: str, width: int) -> str:
    """The text, cut with an ellipsis if it is wider than `width`."""
    if cell_width(text) <= width:
        return text
    kept: list[str] = []
    used = 1  # the ellipsis
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def pad_to_width(text: str, width: int) -> str:
    """The text, filled to that many columns; never cut."""
    return text + " " * (width - cell_width(text))


def has_colour() -> bool:
    """True if stdout is a terminal that shows colour, and the user has not switched it off (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def paint(text: str, style: str) -> str:
    """The text in a style if the terminal has colour; only for text that is printable and cut already."""
    return f"\x1b[{style}m{text}\x1b[0m" if text and has_colour() else text


def terminal_width() -> int:
    """Columns of the terminal; without end where output goes to a file or a pipe, so that nothing is cut there."""
    if not sys.stdout.isatty():
        return _PIPE_COLUMNS
    from shutil import get_terminal_size

    return get_terminal_size().columns


def format_table(headings: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> str:
    """A table of untrusted cells; no column takes more than half of the width, the last one what is left."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [
        min(max(_LEAST_COLUMNS, width // 2), max([cell_width(heading), *(cell_width(row[column]) for row in cells)]))
        for column, heading in enumerate(headings[:-1])
    ]
    rest = max(_LEAST_COLUMNS, width - sum(widths) - 2 * len(widths))
    lines = []
    for row in [list(headings), *cells]:
        fitted = [cut_to_width(cell, columns) for cell, columns in zip(row, widths, strict=False)]
        fixed = "  ".join(
            pad_to_width(cell, min(columns, _MOST_PADDING)) for cell, columns in zip(fitted, widths, strict=True)
        )
        lines.append(f"{fixed}  {cut_to_width(row[-1], rest)}".rstrip())
    return "\n".join(lines)


def wrap_to_width(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns, broken at spaces if possible."""
    lines: list[str] = []
    line: list[str] = []
    used = 0
    for word in text.split(" "):
        gap = 1 if line else 0
        if gap and used + gap + cell_width(word) > width:
            lines.append("".join(line))
            line, used, gap = [], 0, 0
        line += " " * gap
        used += gap
        for character in word:
            columns = _columns(character)
            if line and used + columns > width:
                lines.append("".join(line))
                line, used = [], 0
            line.append(character)
            used += columns
    return [*lines, "".join(line)]


def print_json(value: object) -> None:
    """One JSON document on stdout, hidden characters as escapes; all but ASCII where the terminal cannot show more."""
    import json

    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(escape_hidden(json.dumps(value, ensure_ascii=not is_utf8, indent=2)))


_quiet: list[bool] = []


def be_quiet(*, is_quiet: bool) -> None:
    """From now on notes are left out, or not."""
    _quiet[:] = [True] * is_quiet


def notice(text: str) -> None:
    """A line on stderr; none for a note where the user wants quiet."""
    if _quiet and text.startswith(("note: ", "searched: ")):
        return
    print(printable(text), file=sys.stderr)
