"""`hub-index build`: brings a hub's index up to date and says what that took."""

import argparse

from hub_index.cli.arguments import VerbParser, add_build_options, add_commit_options, add_hub, add_place_options
from hub_index.cli.wiring.build_wiring import run_build

_EXAMPLES = """\
  hub-index build path/to/hub
  hub-index build path/to/hub --strict --json
  hub-index build path/to/hub --model openai:text-embedding-3-small --max-cost 1.50
  hub-index build path/to/hub --commit            --push for the remote's branch instead"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("build", "Build or refresh a hub's index from its git repository.", _EXAMPLES)
    add_hub(parser)
    add_place_options(parser)
    add_build_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what would be embedded (= hub-index plan)")
    parser.add_argument("--commit", action="store_true", help="commit the index to the branch that is checked out")
    add_commit_options(parser)
    parsed = parser.parse_args(arguments)
    for option in ("author", "message", "max_drop", "sign"):
        if getattr(parsed, option) is not None and not (parsed.commit or parsed.push):
            parser.error(f"--{option.replace('_', '-')} needs --commit or --push: a plain build commits nothing")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Builds, or publishes where a commit is asked for, then prints the summary."""
    if not (arguments.commit or arguments.push):
        return run_build(arguments)
    from hub_index.cli.wiring.publish_wiring import run_publish

    return run_publish(arguments)
