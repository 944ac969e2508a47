"""`hub-index check BASE..HEAD`: the changes of a pull request (or the staged ones) in a hub, and their problems."""

import argparse

from hub_index.cli.arguments import VerbParser, folder_path, not_empty
from hub_index.cli.terminal import notice, print_json
from hub_index.errors import HubIndexError, SkillError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.index.change_check import ChangeCheck

_EXAMPLES = """\
  hub-index check                                       what HEAD changed since the branch that it follows
  hub-index check origin/main..HEAD                     what HEAD changed since it left origin/main
  hub-index check origin/main..HEAD --format github     as annotations of a workflow's run
  hub-index check --staged                              what the next commit would change

exit codes: 0 fine; 4 if what changed has an error, a warning, or a risk that the hub refuses; with --strict also for
advice and every risk"""
_FORMATS = ("text", "github", "sarif", "json")


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "check",
        "Say what is wrong with the skills that a branch changes, which existing ones its new skills are most like, "
        "and what a build would embed.",
        _EXAMPLES,
    )
    parser.add_argument(
        "range",
        metavar="BASE..HEAD",
        nargs="?",
        help="two revisions; ... means the same as .. (default: since the upstream branch)",
    )
    parser.add_argument("--staged", action="store_true", help="check the staged changes instead")
    parser.add_argument(
        "--hub", type=folder_path, metavar="DIR", default=folder_path("."), help="the hub's folder (default: .)"
    )
    parser.add_argument("--strict", action="store_true", help="exit 4 for advice and risks as well")
    parser.add_argument("--format", choices=_FORMATS, help="output format (default: text)")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument(
        "--model", type=not_empty, metavar="PROVIDER:MODEL", help="model for tokens and price (default: the hub's)"
    )
    parsed = parser.parse_args(arguments)
    if parsed.staged and parsed.range is not None:
        parser.error("name a range such as origin/main..HEAD, or --staged, not both")
    if parsed.json and parsed.format not in (None, "json"):
        parser.error(f"--json is --format json: leave out one of --json and --format {parsed.format}")
    parsed.format = "json" if parsed.json else parsed.format or "text"
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer; 4 if the change should not go in as it is."""
    try:
        check = _check(arguments)
    except HubIndexError as error:
        if arguments.format != "github" or arguments.debug:
            raise
        from hub_index.cli.text.check_formats import error_annotation

        print(error_annotation(str(error)))
        return error.exit_code
    _print(check, arguments)
    return 0 if check.is_passed(strict=arguments.strict) else SkillError.exit_code


def _check(arguments: argparse.Namespace) -> "ChangeCheck":
    from hub_index.index.change_check import check

    return check(arguments.hub, "staged" if arguments.staged else arguments.range or "", model=arguments.model or "")


def _print(check: "ChangeCheck", arguments: argparse.Namespace) -> None:
    if arguments.format == "json":
        from hub_index.cli.text.check_formats import as_json

        print_json(as_json(check, strict=arguments.strict))
    elif arguments.format == "sarif":
        from hub_index.cli.text.check_formats import as_sarif

        print_json(as_sarif(check))
    elif arguments.format == "github":
        from hub_index.cli.text.check_formats import as_annotations

        print(as_annotations(check))
    else:
        from hub_index.cli.text.check_formats import as_text

        for text in check.notices:
            notice(f"note: {text}")
        print(as_text(check))
