"""`hub-index export`: an index in other formats; each is a sub-command, a file each."""

import argparse

from hub_index.cli.arguments import VerbParser

_EXAMPLES = """\
  hub-index export parquet skills-parquet --hub path/to/hub"""
_FORMATS: dict[str, str] = {  # a sub-command → its module, which has parse and run as a verb has
    "parquet": "hub_index.cli.export_parquet",
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The arguments of a sub-command."""
    if arguments and arguments[0] in _FORMATS:
        from importlib import import_module

        found: argparse.Namespace = import_module(_FORMATS[arguments[0]]).parse(arguments[1:])
        found.format = arguments[0]
        return found
    parser = VerbParser("export", "Write a hub's skills in a format that other programs read.", _EXAMPLES)
    parser.add_argument("format", choices=sorted(_FORMATS), help="its own --help says more")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Writes the files and says what they are."""
    from importlib import import_module

    return int(import_module(_FORMATS[arguments.format]).run(arguments))
