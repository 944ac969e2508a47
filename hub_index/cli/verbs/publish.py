"""`hub-index publish`, and `build --commit`: a branch's index brought up to date by one commit, here or on a remote."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, add_build_options, add_hub, folder_path
from hub_index.cli.build_wiring import build_options, build_tools
from hub_index.cli.report_text import print_report

if TYPE_CHECKING:
    from hub_index.index.publish.publish import PublishOutcome

_EXAMPLES = """\
  hub-index publish path/to/clone --push
  hub-index publish path/to/clone --push --branch search-index --orphan
  hub-index publish path/to/clone --push --sign ~/.ssh/id_ed25519
  hub-index publish path/to/clone               commits to the branch that is checked out, pushes nothing

With --push the local branch does not move: `git pull` brings the index. The hub's branch is never forced; a branch
of its own (--orphan) is replaced, each time by one commit without history."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("publish", "Build a hub's index from a branch's head and commit it there.", _EXAMPLES)
    add_hub(parser)
    add_build_options(parser)
    parser.set_defaults(rev="HEAD", out=None)  # an index is committed on the head that it was made from
    parser.add_argument("--dry-run", action="store_true", help="only say what would be embedded")
    add_commit_options(parser)
    parser.add_argument("--remote", metavar="NAME", help="where to push (default: the one that the branch follows)")
    parser.add_argument("--branch", metavar="NAME", help="the branch (default: the one that is checked out)")
    parser.add_argument("--orphan", action="store_true", help="--branch holds the index alone, without history")
    parser.add_argument(
        "--summary", type=folder_path, metavar="FILE", help="append the run's table to a file, as Markdown"
    )
    return parser.parse_args(arguments)


def add_commit_options(parser: argparse.ArgumentParser) -> None:
    """What publish and `build --commit` have in common."""
    parser.add_argument("--push", action="store_true", help="read, commit on and push to the remote's branch")
    parser.add_argument(
        "--author",
        metavar="'NAME <MAIL>'",
        help="who commits (default: git's user.name and user.email, else hub-index <hub-index@noreply.invalid>)",
    )
    parser.add_argument("--message", metavar="TEXT", help="the commit's message")
    add_sign(parser)


def add_sign(parser: argparse.ArgumentParser) -> None:
    """The key of publish, build and flow."""
    parser.add_argument(
        "--sign",
        type=folder_path,
        metavar="KEY",
        help="sign the index with an OpenSSH key: a private key's file, or a public one's and an agent; vectors that "
        "this key has not signed yet are made anew",
    )


def run(arguments: argparse.Namespace) -> int:
    """Publishes, then prints the summary."""
    from hub_index.index.publish.publish import PublishOptions, publish_index

    asked = vars(arguments)  # `build --commit` has no --remote, --branch, --orphan and --summary
    options = PublishOptions(
        push=arguments.push,
        remote=asked.get("remote"),
        branch=asked.get("branch"),
        orphan=asked.get("orphan", False),
        author=arguments.author,
        message=arguments.message,
        sign=arguments.sign,
    )
    started_s = time.monotonic()
    with build_tools(arguments) as tools:
        published = publish_index(arguments.hub, build_options(arguments), options, tools)
    seconds = time.monotonic() - started_s
    place = arguments.hub / published.folder if arguments.json else published.place
    state = {"branch": published.branch, "commit": published.commit, "tries": published.tries}
    print_report(published.report, place, seconds, arguments, **state)
    if asked.get("summary") is not None:
        _append_summary(arguments.summary, published, seconds)
    return 0


def _append_summary(file: Path, published: "PublishOutcome", seconds: float) -> None:
    from hub_index.errors import PublishError
    from hub_index.index.summary import format_summary

    try:
        with file.open("a", encoding="utf-8") as summary:
            summary.write(format_summary(published.report, seconds, published.place))
    except OSError as error:
        state = f"commit {published.commit[:12]} is in" if published.commit else "nothing had to be published to"
        raise PublishError(
            f"--summary {file} cannot be written ({error.strerror}), but everything else is done: "
            f"{state} {published.place}"
        ) from error
