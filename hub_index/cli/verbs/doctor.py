"""`hub-index doctor`: whether git, the model, the extras and the folders are there, and what to do where not."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.doctor.agent_checks import agent_checks
from hub_index.cli.doctor.doctor_check import Check, hub_checks, machine_checks
from hub_index.cli.doctor.search_checks import listed_hub_checks, search_checks
from hub_index.cli.doctor.settings_checks import (
    BuildModel,
    find_build_model,
    settings_checks,
    settings_or_folders,
    settings_problem,
)
from hub_index.cli.terminal import format_table, print_json, terminal_width
from hub_index.cli.wiring.search_wiring import add_index_options
from hub_index.service.hubs.open_hubs import HUBS_FILE

_EXAMPLES = """\
  hub-index doctor
  hub-index doctor --hub path/to/hub --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("doctor", "Say what would be used, and what is missing; exit 1 if something is bad.", _EXAMPLES)
    add_index_options(parser)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints a line for each check."""
    build = find_build_model(Path(arguments.hub), arguments.model) if arguments.hub else None
    rows = [(check.what, check.state, check.detail) for check in _checks(arguments, build)]
    columns = ("what", "state", "detail")
    if arguments.json:
        needs = {"model": build.model, "extra": build.extra} if build else None
        print_json({"findings": [dict(zip(columns, row, strict=True)) for row in rows], "build": needs})
    else:
        print(format_table(columns, rows, terminal_width()))
    return 1 if any(state == "bad" for _, state, _ in rows) else 0


def _checks(arguments: argparse.Namespace, build: BuildModel | None) -> Iterator[Check]:
    settings = settings_or_folders()
    yield from machine_checks(settings)
    yield from settings_checks(settings, arguments.model)
    listed = list(listed_hub_checks(settings))
    yield from listed
    yield from agent_checks()
    if build is not None:
        yield from hub_checks(Path(arguments.hub))
        yield build.check()
    if settings_problem(arguments.model):
        yield Check("search", "bad", "not checked: nothing can be searched before the settings are right")
    elif listed and listed[0].what != HUBS_FILE and not arguments.hub and not arguments.index_dir:
        state = "bad" if all(check.state == "bad" for check in listed) else "ok"
        yield Check("search", state, f"asks every hub of {HUBS_FILE} that can be opened; --hub NAME asks one")
    else:
        yield from search_checks(arguments)
