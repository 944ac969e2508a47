"""Problems as people read them: worst first, with what to write instead, and a line that counts them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from hub_index.cli.terminal import format_table, printable, terminal_width, wrap_to_width
from hub_index.hub.skill.problems import place_of
from hub_index.models import Problem

_TABLE_COLUMNS = 1_000  # as wide as a pipe: a line each
_ORDER = {"error": 0, "warning": 1, "advice": 2}


def worst_first(problems: Iterable[Problem]) -> list[Problem]:
    """Errors, warnings, advice; within each by place."""
    return sorted(problems, key=lambda found: (_ORDER[found.level], found.path, found.line))


def count_problems(problems: Iterable[Problem]) -> dict[str, int]:
    """The number of problems of each level."""
    counts = Counter[str](problem.level for problem in problems)
    return {level: counts[level] for level in _ORDER}


def problems_text(problems: Sequence[Problem]) -> str:
    """A table, or on a terminal a paragraph for each, and their number."""
    if not problems:
        return "no problems"
    counts = count_problems(problems)
    summary = (
        f"errors (not indexed): {counts['error']:,}, warnings (repaired): {counts['warning']:,}, "
        f"advice: {counts['advice']:,}"
    )
    width = terminal_width()
    if width < _TABLE_COLUMNS:
        return f"{_as_blocks(problems, width)}\n\n{summary}"
    rows = [(problem.level, place_of(problem), f"{problem.reason}; {problem.fix}") for problem in problems]
    return f"{format_table(('level', 'where', 'what, and what to write instead'), rows, width)}\n\n{summary}"


def _as_blocks(problems: Sequence[Problem], width: int) -> str:
    """A paragraph for each problem, wrapped to the terminal, so that nothing of what to write is cut."""
    lines = []
    for problem in problems:
        lines.append(f"{problem.level:<8} {printable(place_of(problem))}")
        lines += [
            f"         {line}" for line in wrap_to_width(printable(f"{problem.reason}; {problem.fix}"), width - 9)
        ]
    return "\n".join(lines)
