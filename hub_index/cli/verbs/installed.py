"""`hub-index installed`: the skills of each hub-index.lock, and what became of them here and in their hubs."""

import argparse

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.terminal import format_table, notice, print_json, terminal_width
from hub_index.cli.text.installs_text import encode_installed, list_rows, shorten
from hub_index.cli.wiring.installs_wiring import add_install_options, all_roots, sources_from
from hub_index.errors import HubIndexError
from hub_index.installs.install_transaction import list_files, skill_folder
from hub_index.installs.installation import InstalledSkill, find_installed, inspect
from hub_index.installs.installed_state import read_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.installs.agent_folders import InstallRoot
    from hub_index.installs.lock_file import LockedSkill
    from hub_index.installs.source_hubs import SourceHubs

_EXAMPLES = """\
  hub-index installed
  hub-index installed --project --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "installed",
        "List the skills that `add` installed, of the project around the current folder and your own.\n"
        "A skill is current, edited, missing, outdated, or gone from its hub, compared with the hubs as they are\n"
        "on this machine: no network is used.",
        _EXAMPLES,
    )
    add_install_options(parser)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints a line for each skill, and the edited files."""
    skills = find_installed(all_roots(arguments), agent=arguments.agent)
    with sources_from(arguments) as sources:
        entries = [_inspect(root, skill, sources) for root, skill in skills]
    if arguments.json:
        print_json({"skills": [encode_installed(entry, problem) for entry, problem in entries]})
        return 0
    if not entries:
        notice("nothing is installed by hub-index here; `hub-index add SKILL` installs a skill")
        return 0
    print(format_table(("NAME", "STATE", "FOLDER", "FROM"), list(list_rows(entries)), terminal_width()))
    for entry, problem in entries:
        if entry.state.edited:
            notice(f"edited in {shorten(str(entry.folder))}: {list_files(entry.state.edited)}")
        if problem:
            notice(f"note: {problem}")
    return 0


def _inspect(root: "InstallRoot", skill: "LockedSkill", sources: "SourceHubs") -> tuple[InstalledSkill, str]:
    """The skill beside its hub, and why its newest state cannot be used, if so."""
    try:
        return inspect(root, skill, sources, fetches=False), ""
    except HubIndexError as error:
        return InstalledSkill(root, skill, read_state(skill_folder(root, skill.folder), skill)), str(error)
