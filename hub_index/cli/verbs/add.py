"""`hub-index add SKILL`: a skill of any searched hub into an agent's folder, recorded in hub-index.lock."""

import argparse

from hub_index.cli.arguments import VerbParser, not_empty
from hub_index.cli.terminal import notice
from hub_index.cli.text.installs_text import describe_plan, shorten
from hub_index.cli.wiring.installs_wiring import (
    DECLINED,
    add_install_options,
    add_yes,
    agree,
    open_hubs_from,
    place_from,
)
from hub_index.installs.installation import install, plan_install
from hub_index.service.hubs.reference import find_reference
from hub_index.settings import read_settings

_EXAMPLES = """\
  hub-index add db-advisor                        for the agent that this project, or you, use
  hub-index add team:db-advisor --agent claude --user
  hub-index add db-advisor --hub path/to/hub --agent codex --yes"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "add",
        "Install a skill: copy its whole folder from a hub to where an agent looks for skills.\n"
        "It goes into the project around the current folder, or else into your own settings; hub-index.lock there\n"
        "records hub, commit and digests for update, remove and restore. Nothing that is there is overwritten.",
        _EXAMPLES,
    )
    parser.add_argument(
        "skill", metavar="SKILL", type=not_empty, help="the skill's id, path or name, as `show` takes it"
    )
    add_install_options(parser)
    parser.add_argument("--as", dest="name", type=not_empty, metavar="NAME", help="another name for its folder")
    add_yes(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Shows what is copied, asks, and copies it."""
    settings = read_settings()
    root, agent = place_from(arguments)
    with open_hubs_from(arguments, settings) as service:
        skill = find_reference(service, arguments.skill)
        plan = plan_install(skill.hub, skill.hit, root, agent, arguments.name or "")
    if plan.is_done:
        print(f"{shorten(str(plan.folder))} is installed already")
        return 0
    for text in skill.hit.notices:
        notice(f"note: {text}")
    print(describe_plan(plan), flush=True)
    if not agree(arguments, "install it?"):
        return DECLINED
    install(plan)
    print(f"installed {shorten(str(plan.folder))}; {agent} finds it when it starts next")
    return 0
