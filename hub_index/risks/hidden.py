"""Lines with characters that nobody sees, by what `base/characters` removes: signs of direction, tags, zero width."""

import re
from collections.abc import Iterator

from hub_index.base.characters import clean_text
from hub_index.risks.risk import RiskLevel

_SUSPECT = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2060-\u2065\ufeff\u00ad\u061c\u180e\u034f\u115f\u1160\u3164\uffa0"
    "\ufe00-\ufe0e\U000e0000-\U000e0fff\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]"
)
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAGS = re.compile("[\U000e0000-\U000e0fff]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ESCAPE = "\x1b"
_MANY = 4  # hidden characters of one line: one or two come with text that was copied, a message needs more
_WINDOW = 2_000  # characters of a line that are looked at


def find_hidden(text: str) -> Iterator[tuple[int, int, RiskLevel]]:
    """A place in each line with hidden characters, and how grave it is."""
    position = 0
    while match := _SUSPECT.search(text, position):
        line_end = text.find("\n", match.start())
        position = line_end + 1 if line_end >= 0 else len(text)
        line_start = text.rfind("\n", max(0, match.start() - _WINDOW), match.start()) + 1
        line = text[max(line_start, match.start() - _WINDOW) : min(position, match.start() + _WINDOW)].rstrip("\n")
        if level := _judge(line if match.start() else line[1:] if line[:1] == "\ufeff" else line):
            yield match.start(), match.end(), level


def _judge(line: str) -> RiskLevel | None:
    removed = "".join(char for char in clean_text(line, "\t\r").removed if not "\x80" <= char < "\xa0")  # misread UTF-8
    if not removed:
        return None
    if _TAGS.search(removed) or _ESCAPE in removed or len(removed) >= _MANY:
        return "risk"
    if _TURNS.search(removed) and not _RIGHT_TO_LEFT.search(line):
        return "risk"
    return "note"
