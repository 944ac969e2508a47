"""What a command printed, without what differs from run to run; and what differs between two recordings.

Left out: the folder of the run, the interpreter's place, today's times, durations, where in the code an error was
raised, and ids that hang on the clock: an index holds the time when it was built, so that commits with a new one have
new ids.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

_IDS = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{7,40}(?![0-9A-Za-z])")
_RULES = (
    (re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}"), r"\1:PORT"),
    (re.compile(r'("\w*(?:seconds|_s|_ms|p50|p95|p99|duration)\w*": )-?\d[\d.e-]*'), r"\1N"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(ms|s|µs)\b"), r"N \1"),
    (re.compile(r"(\| Seconds \| )[\d.]+"), r"\1N"),
    (re.compile(r"\b\d+(?:\.\d+)? (seconds?|minutes?|hours?|days?|months?) (ago|old)"), r"N \1 \2"),
    (re.compile(r"\b[12]\d{9}\.\d+\b"), "TIME"),  # seconds since 1970
    (re.compile(r"\bpid \d+"), "pid N"),
    (re.compile(r"(Traceback \(most recent call last\):\n)(?:  .*\n)+"), r"\1"),
)
_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_SHOWN_LINES = 12


@dataclass(frozen=True, slots=True)
class Volatile:
    """What is particular to one run of one story."""

    places: tuple[tuple[str, str], ...]  # a path, and what it is called
    ids: frozenset[str]  # of the story's own commits, which are the same each time

    def hide(self, text: str) -> str:
        """The text as it is the same each time."""
        for path, name in self.places:
            text = text.replace(path, name)
        text = _TODAY.sub("TODAY", text)
        for pattern, instead in _RULES:
            text = pattern.sub(instead, text)
        return _IDS.sub(self._hide_id, text)

    def _hide_id(self, found: "re.Match[str]") -> str:
        return found[0] if any(known.startswith(found[0]) for known in self.ids) else "ID"


def compare(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each command that ends, or prints, otherwise, and below it the words that differ."""
    earlier = {(one["story"], one["at"]): one for one in before}
    later = {(one["story"], one["at"]): one for one in after}
    for key in sorted(earlier.keys() | later.keys()):
        old, new = earlier.get(key), later.get(key)
        if old is None or new is None or old["command"] != new["command"]:
            yield f"{key[0]}: not the same command: {old and old['command']!r}, {new and new['command']!r}"
        elif old != new:
            codes = "" if old["code"] == new["code"] else f"   exit {old['code']} → {new['code']}"
            yield f"{old['story']}: {old['command']}{codes}"
            for stream in ("out", "err"):
                yield from _changed_lines(stream, old[stream], new[stream])


def _changed_lines(stream: str, old: str, new: str) -> Iterator[str]:
    one, other = old.splitlines(), new.splitlines()
    shown = 0
    for what, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if what == "equal" or shown >= _SHOWN_LINES:
            continue
        shown += 1
        yield f"    {stream}: {_changed_words(' ⏎ '.join(one[i:j]), ' ⏎ '.join(other[k:m]))}"


def _changed_words(old: str, new: str) -> str:
    """Both texts as one: `[-gone-]` and `{+new+}`, with some words around."""
    one, other = _TOKENS.findall(old), _TOKENS.findall(new)
    pieces = []
    for what, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        gone, come = "".join(one[i:j]), "".join(other[k:m])
        if what == "equal":
            pieces.append(gone if len(gone) < 60 else f"{gone[:25]} … {gone[-25:]}")
        else:
            pieces.append(f"[-{gone}-]" * bool(gone) + f"{{+{come}+}}" * bool(come))
    return "".join(pieces)


def _days_around(now: datetime) -> str:
    days = "|".join((now + timedelta(days=day)).strftime("%Y-%m-%d") for day in (-1, 0, 1))
    return rf"\b(?:{days})(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?)?"


_TODAY = re.compile(_days_around(datetime.now(UTC)))
