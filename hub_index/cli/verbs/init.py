"""`hub-index init`: writes the settings template, readable by its owner only, and never over a file."""

import argparse

from hub_index.cli.arguments import VerbParser
from hub_index.cli.terminal import printable
from hub_index.errors import PublishError
from hub_index.settings import read_settings, write_env_template

_EXAMPLES = """\
  hub-index init
  AXON_HOME=/elsewhere hub-index init"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments: none of its own."""
    return VerbParser("init", "Write an empty settings file for embedding providers.", _EXAMPLES).parse_args(arguments)


def run(_arguments: argparse.Namespace) -> int:
    """Says where the template is now."""
    path = read_settings().env_file
    try:
        is_new = write_env_template(path)
    except OSError as error:
        raise PublishError(f"{path} cannot be written ({error.strerror}); check the disk and the rights") from error
    if is_new:
        print(f"{printable(path)}: fill in the values that you need; everything may stay empty")
    else:
        print(f"{printable(path)} is there already and was left as it is")
    return 0
