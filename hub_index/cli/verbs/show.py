"""`hub-index show ID`: one skill's record."""

import argparse

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.cli.text.risks_text import encode_risk, short_risks
from hub_index.cli.wiring.search_wiring import add_index_options, add_installed, open_service_from
from hub_index.cli.wiring.trace_wiring import describe_use, record_look
from hub_index.service.hubs.reference import install_line
from hub_index.settings import read_settings

_EXAMPLES = """\
  hub-index show db-advisor
  hub-index show skills/ann/db-advisor/ --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("show", "Print one skill's record.", _EXAMPLES)
    parser.add_argument("id", metavar="ID", help="the skill's id, its path as search prints it, or its name")
    add_index_options(parser, several=True, store=True)
    add_installed(parser)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the fields, a line each."""
    from hub_index.service.reading.skill_risks import find_skill_risks

    settings = read_settings()
    with open_service_from(arguments, settings, embed="never") as service:
        hit = service.show(arguments.id)
        hub = next((hub for hub in service.hubs if hub.name == hit.hub), service.hubs[0])
        index, findings = hub.index, find_skill_risks(hub, hit)
    fields: dict[str, object] = {
        "id": hit.id,
        "name": hit.name,
        "path": hit.path,
        "file": hit.file,
        "description": hit.description,
        "keywords": ", ".join(hit.keywords),
        "lang": hit.lang,
        "updated_at": hit.updated_at,
    }
    use = describe_use(index, hit.id, settings)
    for text in hit.notices:
        notice(f"note: {text}")
    if arguments.json:
        risks = {} if findings is None else {"risks": [encode_risk(finding.risk) for finding in findings]}
        print_json(fields | {"keywords": list(hit.keywords)} | use | risks)
    else:
        width = max(13, *(len(field) + 2 for field in use)) if use else 13
        for field, value in {**fields, **use}.items():
            if value not in ("", None):
                print(f"{field + ':':<{width}}{printable(str(value))}")
        if line := install_line(hit.id, hit.path):
            print(f"{'install:':<{width}}{printable(line)}")
        if findings:
            print(f"risks:\n{short_risks(findings)}")
    record_look(index, hit.id, settings)
    return 0
