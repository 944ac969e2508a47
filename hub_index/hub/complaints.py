"""Collects everything that is wrong with one file, so that its author sees all of it at once."""

from dataclasses import dataclass, field

from hub_index.models import Problem

_SHOWN_CHARS = 60


@dataclass(slots=True)
class Complaints:
    """The growing list of one file's Problems; a code is reported once per line."""

    path: str
    problems: list[Problem] = field(default_factory=list)

    def error(self, line: int, code: str, reason: str, fix: str) -> None:
        """Nothing readable is left: the file is not indexed."""
        self.problems.append(Problem("error", self.path, line, code, reason, fix))

    def repaired(self, line: int, code: str, reason: str, fix: str) -> None:
        """The file was read, but only by guessing what its author meant."""
        self.problems.append(Problem("warning", self.path, line, code, reason, fix))

    def advise(self, line: int, code: str, reason: str, fix: str) -> None:
        """The file was read as it stands; other readers may see it differently."""
        self.problems.append(Problem("advice", self.path, line, code, reason, fix))


def shorten(text: str) -> str:
    """The text on one line, short enough for a message."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 1].rstrip() + "…"


def quoted_field(key: str, value: str) -> str:
    """`key: "value"` as an author should write it, shortened."""
    shown = shorten(value)
    if '"' not in shown and "\\" not in shown:
        return f'{key}: "{shown}"'
    return f"{key}: '" + shown.replace("'", "''") + "'"
