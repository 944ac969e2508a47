"""`hub-index publish`, and `build --commit`: a branch's index brought up to date by one commit, here or on a remote."""

import argparse

from hub_index.cli.arguments import (
    VerbParser,
    add_build_options,
    add_commit_options,
    add_hub,
    folder_path,
    not_empty,
    remote_name,
)
from hub_index.cli.wiring.publish_wiring import run_publish

_BUILD_OPTIONS = (
    "force", "dry_run", "strict", "allow_shrink", "accept", "model", "model_alias", "cache", "batch_size",
    "concurrency", "max_cost",
)  # fmt: skip

_EXAMPLES = """\
  hub-index publish path/to/clone --push
  hub-index publish path/to/clone --push --branch search-index --orphan
  hub-index publish path/to/clone --push --sign ~/.ssh/id_ed25519
  hub-index publish path/to/clone               commits to the checked-out branch, pushes nothing
  hub-index publish path/to/clone --push --page        and the hub's page, on the branch gh-pages
  hub-index publish path/to/clone --push --rollback    the index before this one again, held until --resume

With --push the local branch does not move: `git pull` brings the index. The hub's branch is never forced; a
separate branch (--orphan) is replaced, each time by one commit without history."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("publish", "Build a hub's index from a branch's head and commit it there.", _EXAMPLES)
    add_hub(parser)
    add_build_options(parser)
    parser.set_defaults(rev="HEAD", out=None)  # an index is committed on the head that it was made from
    parser.add_argument("--dry-run", action="store_true", help="only say what would be embedded")
    add_commit_options(parser)
    parser.add_argument(
        "--remote",
        type=remote_name,
        metavar="NAME",
        help="where to push (default: the one that the branch follows)",
    )
    parser.add_argument("--branch", metavar="NAME", help="the branch (default: the one that is checked out)")
    parser.add_argument("--orphan", action="store_true", help="--branch holds the index alone, without history")
    parser.add_argument(
        "--summary",
        type=folder_path,
        metavar="FILE",
        help="append the run's table to a file, as Markdown; for a failed run, the reason and the cost",
    )
    parser.add_argument(
        "--rollback",
        nargs="?",
        const=True,
        type=not_empty,
        metavar="REV",
        help="put the index of this commit back (default: the one before the present one) and hold it; after HUB",
    )
    parser.add_argument("--resume", action="store_true", help="build again, and end the hold of a rollback")
    _add_page_options(parser)
    parsed = parser.parse_args(arguments)
    _check_rollback(parser, parsed)
    if parsed.dry_run and parsed.page:
        parser.error("--dry-run publishes nothing: leave out --page")
    if (parsed.page_branch or parsed.page_out) and not parsed.page:
        parser.error("--page-branch and --page-out say where the page goes: add --page")
    if parsed.page_branch and parsed.page_out:
        parser.error("the page goes to a branch or to a folder: leave out --page-branch or --page-out")
    return parsed


def _add_page_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--page", action="store_true", help="publish the hub's page, too: on a separate branch, without history"
    )
    parser.add_argument("--page-branch", metavar="NAME", help="the page's branch (default: gh-pages)")
    parser.add_argument(
        "--page-out", type=folder_path, metavar="DIR", help="a folder for the page, instead of a branch"
    )


def _check_rollback(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> None:
    """Ends with a usage error if --rollback or --resume contradicts another option."""
    asked = [option for option in (*_BUILD_OPTIONS, "resume") if getattr(parsed, option) != parser.get_default(option)]
    if parsed.rollback is not None and asked:
        parser.error(f"--rollback builds nothing: leave out --{asked[0].replace('_', '-')}")
    for option in ("force", "dry_run"):
        if parsed.resume and option in asked:
            parser.error(f"--resume continues from the held index, by a commit: leave out --{option.replace('_', '-')}")


def run(arguments: argparse.Namespace) -> int:
    """Publishes or rolls back, then prints the summary."""
    return run_publish(arguments)
