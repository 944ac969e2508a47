"""`hub-index update [NAME …]`: installed skills, brought up to the newest state of their hub on this machine."""

import argparse
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser
from hub_index.cli.terminal import printable
from hub_index.cli.text.installs_text import describe_update, shorten
from hub_index.cli.wiring.installs_wiring import (
    DECLINED,
    Outcome,
    add_install_options,
    add_yes,
    agree,
    all_roots,
    sources_from,
)
from hub_index.errors import ConfigError, SourceError
from hub_index.installs.install_transaction import check_replaceable
from hub_index.installs.installation import InstalledSkill, find_installed, inspect, update

if TYPE_CHECKING:
    from hub_index.installs.agent_folders import InstallRoot
    from hub_index.installs.lock_file import LockedSkill
    from hub_index.installs.source_hubs import SourceHubs

_EXAMPLES = """\
  hub-index sync && hub-index update              all that is installed, from the hubs as they are now
  hub-index update db-advisor --yes
  hub-index update --project"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "update",
        "Bring installed skills up to the newest state of their hub; the difference is shown first.\n"
        "A hub that is searched here is taken as it is (`hub-index sync` moves it forward); of any other hub a clone\n"
        "is kept in the cache and fetched. A skill that you edited stays, and is named.",
        _EXAMPLES,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="installed skills (default: all)")
    add_install_options(parser)
    add_yes(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Shows each difference, asks, and updates; one skill's failure does not keep the others back."""
    roots = all_roots(arguments)
    skills = [pair for name in arguments.names or [""] for pair in find_installed(roots, name, arguments.agent)]
    if not skills:
        print("nothing is installed by hub-index here; `hub-index add SKILL` installs a skill")
    outcome = Outcome()
    with sources_from(arguments) as sources:
        for root, skill in dict.fromkeys(skills):
            with outcome.step():
                outcome.code = _update(root, skill, sources, arguments) or outcome.code
    return outcome.code


def _update(root: "InstallRoot", skill: "LockedSkill", sources: "SourceHubs", arguments: argparse.Namespace) -> int:
    found = inspect(root, skill, sources, fetches=True)
    name = f"{printable(skill.name)} ({shorten(str(found.folder))})"
    if found.upstream == "unknown":
        raise ConfigError(f"{name}: its hub {skill.source} is not on this machine; name a checkout of it with --hub")
    if found.upstream == "older":
        raise SourceError(f"{name} is newer than its hub here; run `hub-index sync`, then update again")
    if found.upstream == "gone":
        print(f"{name} is gone from its hub and stays as it is; `hub-index remove` removes it")
        return 0
    if found.upstream == "same":
        print(f"{name} is current{' and missing here; `hub-index restore` puts it back' * found.state.is_missing}")
        return 0
    check_replaceable(found.folder, skill)
    return _apply(found, name, arguments)


def _apply(found: InstalledSkill, name: str, arguments: argparse.Namespace) -> int:
    print(describe_update(found, found.compare()), flush=True)
    if not agree(arguments, "update it?"):
        return DECLINED
    update(found)
    print(f"updated {name}")
    return 0
