"""Collects everything that is wrong with one file, so that its author sees all of it at once."""

from hub_index.base.characters import short_line

TYPE_CHECKING = False  # as typing's own: the body of an edited skill is split in a search, which has no time for it
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.models import Level, Problem

DESCRIPTION_HINT = "what it does and when to use it"
METADATA_FIX = "write '  key: value' lines below `metadata:`"
_MAX_PROBLEMS = 100  # real files reach a dozen; an outsider could write twenty thousand


class ProblemList:
    """The growing list of one file's Problems; of a file with more than a hundred only the first are kept."""

    __slots__ = ("found", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Problem] = []

    def error(self, line: int, code: str, reason: str, fix: str) -> None:
        """Nothing readable is left: the file is not indexed."""
        self._add("error", line, code, reason, fix)

    def warn(self, line: int, code: str, reason: str, fix: str) -> None:
        """Reports that the file was read, but only by guessing its author's intention."""
        self._add("warning", line, code, reason, fix)

    def advise(self, line: int, code: str, reason: str, fix: str) -> None:
        """Reports that the file was read as written, but other readers may see it differently."""
        self._add("advice", line, code, reason, fix)

    def has(self, code: str) -> bool:
        """Whether there is a problem with this code already."""
        return any(problem.code == code for problem in self.found)

    def _add(self, level: "Level", line: int, code: str, reason: str, fix: str) -> None:
        from hub_index.models import Problem  # dataclasses: a search that splits a body has no problem to note

        if len(self.found) < _MAX_PROBLEMS:
            self.found.append(Problem(level, self.path, line, code, reason, fix))


def counted(number: int, thing: str) -> str:
    """`1 character`, `2 characters`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def listed(names: "Sequence[str]", at_most: int) -> str:
    """`a, b and 3 more`: outsiders' names as a message may quote them."""
    shown = ", ".join(short_line(name) for name in names[:at_most])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most:,} more"


def place_of(problem: "Problem") -> str:
    """`file:line`, or the file alone where the problem has no line."""
    return f"{problem.path}:{problem.line}" if problem.line else problem.path
