"""Arguments → a store: which database is meant, without its address ever being printed."""

import argparse
import os

from hub_index.cli.arguments import VerbParser
from hub_index.errors import ConfigError
from hub_index.settings import STORE_VARIABLE, read_env_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.settings import Settings
    from hub_index.store.connection import StoreAddress


def store_address(given: str, settings: "Settings") -> "StoreAddress":
    """The database that is named, else that of the variable. Raises ConfigError."""
    text = given or named_store(settings)
    if not text:
        raise ConfigError(f"name a database: postgresql://user@host:5432/database, or set {STORE_VARIABLE}")
    from hub_index.store.connection import parse_address

    return parse_address(text)


def named_store(settings: "Settings") -> str:
    """The address of the environment, else of ~/.axon/.env; empty where there is none."""
    return os.environ.get(STORE_VARIABLE) or read_env_file(settings.env_file).get(STORE_VARIABLE, "")


def add_store_option(parser: VerbParser) -> None:
    """--store, for what searches."""
    parser.add_argument(
        "--store",
        metavar="URL",
        help="search what `hub-index export postgres` has loaded; --hub is then a name in that database (default: "
        f"{STORE_VARIABLE} if it is set; a password is better kept there, or in ~/.pgpass)",
    )


def takes_store(arguments: argparse.Namespace, settings: "Settings") -> bool:
    """Whether a database is meant. Raises ConfigError where an index folder is named beside it."""
    if arguments.store is None and (arguments.index_dir or not named_store(settings)):
        return False
    if arguments.index_dir:
        raise ConfigError("--store searches a database and --index-dir a folder: give one of them")
    return True
