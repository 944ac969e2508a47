"""`hub-index use ID`: records whether a skill of a search was useful."""

import argparse
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, add_json, not_empty
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.cli.wiring.search_wiring import add_index_options, open_service_from
from hub_index.errors import ConfigError, SkillAmbiguous, SkillUnknown
from hub_index.settings import TRACES_VARIABLE, read_settings

if TYPE_CHECKING:
    from hub_index.service.service import Service
    from hub_index.traces.events import UsedSkill

_EXAMPLES = """\
  hub-index use db-advisor                        it was used
  hub-index use db-advisor --outcome reject       it was not what the search was for
  hub-index use db-advisor --search 3f9c0a11d2e4b576 --outcome accept"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("use", "Record whether a skill was useful; kept on this machine.", _EXAMPLES)
    parser.add_argument("id", metavar="ID", help="the skill's id, hub:id, its path as search prints it, or its name")
    parser.add_argument("--outcome", choices=("accept", "reject"), help="accepted or rejected (default: it was used)")
    parser.add_argument(
        "--search",
        type=not_empty,
        metavar="SEARCH_ID",
        help="which search (default: the last that showed it)",
    )
    add_index_options(parser, several=True)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Records the outcome and says to which search it belongs."""
    from hub_index.traces.database import has_traces
    from hub_index.traces.recording import record_use

    settings = read_settings()
    if not settings.traces and not has_traces(settings.state_folder):
        raise ConfigError(f"nothing is recorded yet; set {TRACES_VARIABLE}=on, or search with --track first")
    with open_service_from(arguments, settings, embed="never") as service:
        places = _find_places(service, arguments, settings.state_folder)
    outcome = arguments.outcome or "use"
    event = record_use(settings.state_folder, places, outcome, search_id=arguments.search or "")
    if arguments.json:
        print_json({"skill": event.skill, "kind": event.kind, "search_id": event.search_id or None})
        return 0
    print(
        f"recorded: {event.kind} of {printable(event.skill)}" + (f", search {event.search_id}" * bool(event.search_id))
    )
    if not event.search_id:
        notice("note: no recent search has shown it, so nothing is learnt for its query")
    return 0


def _find_places(service: "Service", arguments: argparse.Namespace, folder: str) -> "list[UsedSkill]":
    """The skill where it was shown last, in the named hubs, else in any hub. Raises SkillUnknown."""
    from hub_index.service.trace_recorder import list_places
    from hub_index.traces.recording import find_elsewhere, identify_hub

    if arguments.hub or arguments.index_dir:
        return list_places(service, service.show(arguments.id))
    open_hubs = {identify_hub(opened.index) for opened in service.hubs}
    if elsewhere := find_elsewhere(folder, arguments.id, open_hubs, search_id=arguments.search or ""):
        return [elsewhere]
    try:
        return list_places(service, service.show(arguments.id))
    except SkillAmbiguous:
        raise
    except SkillUnknown as error:
        raise SkillUnknown(f"{error}; if it is of another hub, name that with --hub") from error
