"""`hub-index related ID`: the skills nearest to one skill, by their vectors; no model is needed."""

import argparse

from hub_index.cli.arguments import VerbParser, add_json, result_count
from hub_index.cli.text.results_text import print_results
from hub_index.cli.wiring.search_wiring import add_index_options, open_service_from
from hub_index.service.requests import RelatedRequest

_EXAMPLES = """\
  hub-index related db-advisor
  hub-index related skills/db-advisor -k 10 --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("related", "Find the skills nearest to one skill.", _EXAMPLES)
    parser.add_argument("id", metavar="ID", help="the skill's id, its path as search prints it, or its name")
    parser.add_argument("-k", "--k", type=result_count, default=5, metavar="N", help="how many results (default: 5)")
    add_index_options(parser, several=True, store=True)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the nearest skills."""
    with open_service_from(arguments) as service:
        results = service.related(RelatedRequest(arguments.id, arguments.k))
        print_results(results, arguments, several=len(service.hubs) > 1)
    return 0
