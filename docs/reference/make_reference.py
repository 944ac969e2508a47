"""Writes docs/reference.md from the commands' own parsers: `python -m docs.reference.make_reference`.

Help is taken from the actions and not from argparse's page, which each version of Python sets differently.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from hub_index.cli.arguments import VerbParser
from hub_index.cli.main import VERBS

PAGE = Path(__file__).resolve().parents[1] / "reference.md"
_HEAD = """\
# All commands and options

Written by `make docs` from the commands' own parsers, and compared with them by a test: do not edit it. Each command
takes `--help`, `-v` (`--debug`: say more, with an error's traceback) and `-q` (leave out notes). Exit codes:
[exit-codes](reference/exit-codes.md). Settings of a hub and of yours: [settings](reference/settings.md). Tasks, with
examples: [README](README.md).
"""
_USUAL_GROUPS = ("positional arguments", "options", "optional arguments")


class _ParserReadyError(Exception):
    """A command has made its parser and is about to use it."""

    def __init__(self, parser: VerbParser) -> None:
        super().__init__(parser.prog)
        self.parser = parser


def make_reference() -> str:
    """The page as text."""
    names = " · ".join(f"[{name}](#{name})" for name in sorted(VERBS))
    return "\n".join([_HEAD, names, *[_section(name, read_parser(name)) for name in sorted(VERBS)]])


def read_parser(command: str) -> VerbParser:
    """The parser of one command, as its `parse` makes it."""
    with _stopped_parsers():
        try:
            import_module(f"hub_index.cli.verbs.{command}").parse([])
        except _ParserReadyError as ready:
            return ready.parser
    raise LookupError(f"`hub-index {command}` makes no parser")


@contextmanager
def _stopped_parsers() -> Iterator[None]:
    def stop(parser: VerbParser, *_: object) -> argparse.Namespace:
        raise _ParserReadyError(parser)

    kept = VerbParser.parse_args
    setattr(VerbParser, "parse_args", stop)  # noqa: B010 - mypy refuses the plain assignment
    try:
        yield
    finally:
        setattr(VerbParser, "parse_args", kept)  # noqa: B010


def _section(command: str, parser: VerbParser) -> str:
    names = [_operand(action) for action in parser._actions if not action.option_strings]
    usage = " ".join(["hub-index", command, *names, "[OPTIONS]"])
    lines = [f"\n## {command}", "", f"`{usage}`", "", parser.description or ""]
    for group in parser._action_groups:
        rows = [
            _row(parser, action) for action in group._group_actions if action.dest not in ("help", "debug", "quiet")
        ]
        rows = [row for row in rows if row]
        if rows and group.title not in _USUAL_GROUPS:
            lines += ["", f"**{(group.title or '').capitalize()}**"]
        if rows:
            lines += ["", "| | |", "|---|---|", *rows]
    examples = (parser.epilog or "").removeprefix("examples:\n")
    return "\n".join([*lines, "", "```", *examples.splitlines(), "```"])


def _row(parser: VerbParser, action: argparse.Action) -> str:
    if action.help is argparse.SUPPRESS:
        return ""
    name = " , ".join(action.option_strings).replace(" ,", ",") or _operand(action)
    value = f" {_value(action)}" if action.option_strings and action.nargs != 0 else ""
    told = parser._get_formatter()._expand_help(action) if action.help else ""
    if action.choices is not None and action.metavar is not None:
        told += f" ({', '.join(map(str, action.choices))})"
    return f"| `{_cell(name + value)}` | {_cell(told)} |"


def _operand(action: argparse.Action) -> str:
    value = _value(action)
    return {"?": f"[{value}]", "*": f"[{value} …]", "+": f"{value} …"}.get(str(action.nargs), value)


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar is None and action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.metavar or action.dest.upper()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(make_reference() + "\n", encoding="utf-8")
    print(PAGE)
