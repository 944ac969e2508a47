"""`hub-index lint`: every problem of every skill, with what to write instead."""

import argparse
from collections import Counter
from dataclasses import asdict

from hub_index.cli.arguments import VerbParser, add_hub, add_json
from hub_index.cli.terminal import format_table, notice, print_json, printable, terminal_width, wrap_to_width
from hub_index.errors import SkillError
from hub_index.hub.skill.problems import place_of
from hub_index.models import Problem

_EXAMPLES = """\
  hub-index lint path/to/hub
  hub-index lint path/to/hub --strict     exits 4 if there is any problem
  hub-index lint path/to/hub --json"""
_TABLE_COLUMNS = 1_000  # as wide as a pipe: a line each
_ORDER = {"error": 0, "warning": 1, "advice": 2}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "lint", "Report what is wrong with a hub's skills, where, and what to write instead.", _EXAMPLES
    )
    add_hub(parser)
    parser.add_argument("--rev", default="HEAD", help="the git revision to read (default: HEAD)")
    parser.add_argument("--strict", action="store_true", help="exit 4 if there is any problem, advice included")
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the problems, worst first."""
    from hub_index.hub.inspection import inspect_hub
    from hub_index.hub.uncommitted import uncommitted_notice

    inspected = inspect_hub(arguments.hub, arguments.rev)
    problems = sorted(inspected.problems, key=lambda found: (_ORDER[found.level], found.path, found.line))
    if arguments.json:
        listed = list(map(asdict, problems))
        print_json({"problems": listed, "counts": _counts(problems), "uncommitted": inspected.uncommitted})
    else:
        if inspected.uncommitted:
            notice(f"note: {uncommitted_notice(inspected.uncommitted)}")
        print(_as_text(problems))
    return SkillError.exit_code if arguments.strict and problems else 0


def _counts(problems: list[Problem]) -> dict[str, int]:
    found = Counter[str](problem.level for problem in problems)
    return {level: found[level] for level in _ORDER}


def _as_text(problems: list[Problem]) -> str:
    if not problems:
        return "no problems"
    counts = _counts(problems)
    summary = (
        f"errors (not indexed): {counts['error']:,}, warnings (repaired): {counts['warning']:,}, "
        f"advice: {counts['advice']:,}"
    )
    width = terminal_width()
    if width < _TABLE_COLUMNS:
        return f"{_as_blocks(problems, width)}\n\n{summary}"
    rows = [(problem.level, place_of(problem), f"{problem.reason}; {problem.fix}") for problem in problems]
    return f"{format_table(('level', 'where', 'what, and what to write instead'), rows, width)}\n\n{summary}"


def _as_blocks(problems: list[Problem], width: int) -> str:
    """A paragraph for each problem, wrapped to the terminal, so that nothing of what to write is cut."""
    lines = []
    for problem in problems:
        lines.append(f"{problem.level:<8} {printable(place_of(problem))}")
        lines += [
            f"         {line}" for line in wrap_to_width(printable(f"{problem.reason}; {problem.fix}"), width - 9)
        ]
    return "\n".join(lines)
