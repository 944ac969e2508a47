"""`hub-index show ID`: one skill's record."""

import argparse

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.search_wiring import add_index_options, open_service_from
from hub_index.cli.terminal import notice, print_json, printable

_EXAMPLES = """\
  hub-index show db-advisor
  hub-index show skills/ann/db-advisor/ --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("show", "Print one skill's record.", _EXAMPLES)
    parser.add_argument("id", metavar="ID", help="the skill's id, its path as search prints it, or its name")
    add_index_options(parser, several=True)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the fields, a line each."""
    with open_service_from(arguments, embed="never") as service:
        hit = service.show(arguments.id)
    fields = {
        "id": hit.id,
        "name": hit.name,
        "path": hit.path,
        "file": hit.file,
        "description": hit.description,
        "keywords": ", ".join(hit.keywords),
        "lang": hit.lang,
        "updated_at": hit.updated_at,
    }
    for text in hit.notices:
        notice(f"note: {text}")
    if arguments.json:
        print_json(fields | {"keywords": list(hit.keywords)})
        return 0
    for field, text in fields.items():
        if text:
            print(f"{field + ':':<13}{printable(text)}")
    return 0
