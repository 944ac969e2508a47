"""`hub-index page HUB --out DIR`: a static site that searches the hub in the browser, without a server."""

import argparse
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_hub, add_json, folder
from hub_index.cli.terminal import print_json, printable
from hub_index.cli.wiring.page_wiring import make_page

_EXAMPLES = """\
  hub-index page path/to/hub --out site        then: python3 -m http.server -d site
  hub-index page path/to/hub --out site --no-model   66 MB less on the server; searches by words alone"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("page", "Write a static site that searches a hub in the browser.", _EXAMPLES)
    add_hub(parser)
    parser.add_argument(
        "--out", type=folder, required=True, metavar="DIR", help="the site's folder, with nothing else in it"
    )
    parser.add_argument("--index-dir", type=folder, metavar="DIR", help="the index, if it is not in the hub")
    parser.add_argument("--no-model", action="store_true", help="leave out the model: the page searches by words alone")
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Writes the page and prints its folder."""
    outcome = make_page(
        arguments.hub, Path(arguments.out), index_dir=arguments.index_dir, with_model=not arguments.no_model
    )
    if arguments.json:
        facts = {"folder": str(outcome.folder), "skills": outcome.skills, "files": outcome.files}
        print_json({**facts, "written": outcome.written, "bytes": outcome.bytes})
        return 0
    what = f"{outcome.written} of {outcome.files} files written" if outcome.written else "nothing changed"
    print(
        f"page of {outcome.skills} skills in {printable(str(outcome.folder))}: {what}, "
        f"{outcome.bytes / 1e6:.1f} MB in all"
    )
    print(f"  look at it: python3 -m http.server -d {printable(str(outcome.folder))}")
    return 0
