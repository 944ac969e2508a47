"""`hub-index restore`: what hub-index.lock lists is installed again, byte for byte, or not at all."""

import argparse

from hub_index.cli.arguments import VerbParser
from hub_index.cli.text.installs_text import shorten
from hub_index.cli.wiring.installs_wiring import Outcome, add_install_options, near_roots, sources_from
from hub_index.installs.install_transaction import skill_folder
from hub_index.installs.installation import find_installed, restore

_EXAMPLES = """\
  git clone https://example.com/team/project.git && cd project && hub-index restore
  hub-index restore db-advisor --hub path/to/hub  with a checkout of its hub"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "restore",
        "Install the missing skills of hub-index.lock: of the project around the current folder, else your own.\n"
        "A skill's hub is looked for among those that are searched here; any other is cloned into the cache.\n"
        "Each file must have the digest that the lock has (exit 6), and what was edited here stays.",
        _EXAMPLES,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="skills of the lock (default: all)")
    add_install_options(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Restores each; the exit code is the first failure's."""
    roots, outcome = near_roots(arguments), Outcome()
    skills = [pair for name in arguments.names or [""] for pair in find_installed(roots, name, arguments.agent)]
    if not skills:
        print("there is no skill in hub-index.lock here; `hub-index add SKILL` installs a skill")
    with sources_from(arguments) as sources:
        for root, skill in dict.fromkeys(skills):
            with outcome.step():
                was_missing = restore(root, skill, sources)
                folder = shorten(str(skill_folder(root, skill.folder)))
                print(f"restored {folder}" if was_missing else f"{folder} is as the lock has it")
    return outcome.code
