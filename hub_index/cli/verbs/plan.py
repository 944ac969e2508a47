"""`hub-index plan`: the texts that a build would embed, their tokens and price; writes nothing."""

import argparse

from hub_index.cli.arguments import VerbParser, add_build_options, add_hub, add_place_options
from hub_index.cli.wiring.build_wiring import run_build

_EXAMPLES = """\
  hub-index plan path/to/hub
  hub-index plan path/to/hub --model openai:text-embedding-3-small"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments: those of build --dry-run."""
    parser = VerbParser(
        "plan", "The same as build --dry-run: what a build would embed, and its cost; nothing is written.", _EXAMPLES
    )
    add_hub(parser)
    add_place_options(parser)
    add_build_options(parser)
    parser.set_defaults(dry_run=True)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """A build that stops before the first text is embedded."""
    return run_build(arguments)
