"""`hub-index list`: the skills of all searched hubs, by hub and id."""

import argparse
from dataclasses import replace

from hub_index.cli.arguments import VerbParser, add_json, positive
from hub_index.cli.terminal import format_table, notice, print_json, terminal_width
from hub_index.cli.wiring.search_wiring import add_index_options, add_installed, open_service_from
from hub_index.hub.record_file import TYPES
from hub_index.limits import MAX_LISTED_SKILLS
from hub_index.service.requests import ListRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.service.answers import SkillList
    from hub_index.service.service import Service

_EXAMPLES = """\
  hub-index list
  hub-index list --hub path/to/hub --type workflow
  hub-index list --hub ~/.claude/skills --lang zh --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("list", "List the skills of all hubs that would be searched.", _EXAMPLES)
    add_index_options(parser, several=True, store=True)
    add_installed(parser)
    parser.add_argument("--path", default="", metavar="FOLDER", help="only skills in this folder of their hub")
    parser.add_argument("--type", default="", choices=TYPES, help="only these")
    parser.add_argument("--lang", default="", metavar="TAG", help="only this language: en, zh, zh-CN")
    parser.add_argument("--since", default="", metavar="DATE", help="only what was updated then or later")
    parser.add_argument("--limit", type=positive, metavar="N", help="how many at most (default: all)")
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints a line for each skill."""
    with open_service_from(arguments, embed="never") as service:
        skills = _read_all(service, arguments)
    if arguments.json:
        from hub_index.service.answers import encode_list

        print_json(encode_list(skills))
        return 0
    for text in skills.notices:
        notice(f"note: {text}")
    several = len({entry.hub for entry in skills.skills}) > 1
    rows = [
        (f"{entry.hub}:{entry.record.id}" if several else entry.record.id, entry.type, entry.record.description)
        for entry in skills.skills
    ]
    print(format_table(("ID", "TYPE", "DESCRIPTION"), rows, terminal_width()))
    return 0


def _read_all(service: "Service", arguments: argparse.Namespace) -> "SkillList":
    """All pages as one list, up to the limit."""
    left = arguments.limit
    filters = {name: getattr(arguments, name) for name in ("path", "type", "lang", "since")}
    request = ListRequest(limit=min(left or MAX_LISTED_SKILLS, MAX_LISTED_SKILLS), **filters)
    answer = page = service.list(request)
    while page.next_cursor and (left is None or len(answer.skills) < left):
        size = MAX_LISTED_SKILLS if left is None else min(MAX_LISTED_SKILLS, left - len(answer.skills))
        page = service.list(request.replace(cursor=page.next_cursor, limit=size))
        answer = replace(page, skills=answer.skills + page.skills)
    return replace(answer, next_cursor="")
