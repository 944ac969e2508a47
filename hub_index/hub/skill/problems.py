"""Collects everything that is wrong with one file, so that its author sees all of it at once."""

from dataclasses import dataclass, field

from hub_index.hub.skill.characters import clean_line
from hub_index.models import Level, Problem

_SHOWN_CHARS = 60
_MAX_PROBLEMS = 100  # real files reach a dozen; an outsider could write twenty thousand


@dataclass(slots=True)
class Complaints:
    """The growing list of one file's Problems; a file that is nothing but slips is told of the first ones only."""

    path: str
    problems: list[Problem] = field(default_factory=list)

    def error(self, line: int, code: str, reason: str, fix: str) -> None:
        """Nothing readable is left: the file is not indexed."""
        self._add("error", line, code, reason, fix)

    def repaired(self, line: int, code: str, reason: str, fix: str) -> None:
        """The file was read, but only by guessing what its author meant."""
        self._add("warning", line, code, reason, fix)

    def advise(self, line: int, code: str, reason: str, fix: str) -> None:
        """The file was read as it stands; other readers may see it differently."""
        self._add("advice", line, code, reason, fix)

    def has(self, code: str) -> bool:
        """Whether this was said already."""
        return any(problem.code == code for problem in self.problems)

    def _add(self, level: Level, line: int, code: str, reason: str, fix: str) -> None:
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(Problem(level, self.path, line, code, reason, fix))


def counted(number: int, thing: str) -> str:
    """`1 character`, `2 characters`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def shorten(text: str) -> str:
    """The text on one line, short enough for a message."""
    line = clean_line(text)  # escapes in a value may have brought hidden characters
    return line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 1].rstrip() + "…"


def quoted_field(key: str, value: str) -> str:
    """`key: "value"` as an author should write it, shortened."""
    key, shown = shorten(key), shorten(value)
    if '"' not in shown and "\\" not in shown:
        return f'{key}: "{shown}"'
    return f"{key}: '" + shown.replace("'", "''") + "'"
