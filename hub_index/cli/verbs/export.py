"""`hub-index export`: a hub's skills in other formats; all but `--well-known` are sub-commands, a file each."""

import argparse
from collections.abc import Sequence

from hub_index.cli.arguments import VerbParser, add_json, folder
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.cli.wiring.search_wiring import add_index_options, open_service_from
from hub_index.hub.skill.problems import counted

_EXAMPLES = """\
  hub-index export --well-known public/ --hub path/to/hub     public/.well-known/agent-skills/index.json
  hub-index export parquet skills-parquet --hub path/to/hub   its own --help says more
  hub-index export postgres URL --hub path/to/hub             into a database, for `search --store`"""
# a sub-command → its module, with parse and run as a verb has
_FORMATS = {"parquet": "hub_index.cli.wiring.export_parquet", "postgres": "hub_index.cli.wiring.export_postgres"}
_NAMED = 20  # skills with a note that are named; --json names all


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments, or those of a sub-command."""
    if arguments and arguments[0] in _FORMATS:
        from importlib import import_module

        parsed: argparse.Namespace = import_module(_FORMATS[arguments[0]]).parse(arguments[1:])
        parsed.format = arguments[0]
        return parsed
    parser = VerbParser("export", "Write a hub's skills in a format that other programs read.", _EXAMPLES)
    parser.add_argument(
        "--well-known",
        type=folder,
        required=True,
        metavar="DIR",
        help="a site's folder: writes .well-known/agent-skills/index.json there, with the skills and their digests",
    )
    add_index_options(parser, several=True)
    add_json(parser)
    parsed = parser.parse_args(arguments, argparse.Namespace(format=""))
    if len(parsed.hub or ()) > 1:
        parser.error("an export is of one hub; name one --hub, and another folder for the next")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Writes the files and says what was left out."""
    if arguments.format:
        from importlib import import_module

        return int(import_module(_FORMATS[arguments.format]).run(arguments))
    from hub_index.export.well_known import export_well_known

    with open_service_from(arguments, embed="never") as service:
        exported = export_well_known(service.hubs[0], arguments.well_known)
    if arguments.json:
        notes = {"left_out": list(exported.left_out), "notices": list(exported.notices)}
        print_json({"folder": exported.folder, "skills": exported.skills, **notes})
        return 0
    _name_some([f"left out: {text}" for text in exported.left_out])
    _name_some(exported.notices)
    print(f"{counted(exported.skills, 'skill')} in {printable(exported.folder)}")
    return 0


def _name_some(texts: Sequence[str]) -> None:
    """Prints the first texts as notes, and the number of the others."""
    for text in texts[:_NAMED]:
        notice(f"note: {text}")
    if len(texts) > _NAMED:
        notice(f"note: and {len(texts) - _NAMED} more; --json names them all")
