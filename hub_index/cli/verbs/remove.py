"""`hub-index remove NAME`: an installed skill is deleted, if it is as it was installed."""

import argparse

from hub_index.cli.arguments import VerbParser
from hub_index.cli.text.installs_text import shorten
from hub_index.cli.wiring.installs_wiring import Outcome, add_install_options, all_roots
from hub_index.errors import ConfigError
from hub_index.installs.install_transaction import skill_folder
from hub_index.installs.installation import find_installed, remove

_EXAMPLES = """\
  hub-index remove db-advisor
  hub-index remove db-advisor --agent claude --user"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "remove",
        "Remove an installed skill and its entry in hub-index.lock.\n"
        "Only what `add` wrote is deleted: a skill that you edited stays, and the edited files are named.",
        _EXAMPLES,
    )
    parser.add_argument("names", metavar="NAME", nargs="+", help="the installed skill, as `installed` lists it")
    add_install_options(parser, hubs=False)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Removes each; one that cannot be removed does not keep the others."""
    roots, outcome = all_roots(arguments), Outcome()
    for name in dict.fromkeys(arguments.names):
        with outcome.step():
            installed = find_installed(roots, name, arguments.agent)
            folders = [skill_folder(root, skill.folder) for root, skill in installed]
            if len(installed) > 1:
                shown = ", ".join(shorten(str(folder)) for folder in folders)
                raise ConfigError(
                    f"{name} is installed in several folders: {shown}; choose with --agent, --project, --user"
                )
            remove(*installed[0])
            print(f"removed {shorten(str(folders[0]))}")
    return outcome.code
