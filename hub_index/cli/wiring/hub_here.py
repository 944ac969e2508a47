"""Which hubs a command means: those that are named, else those of hubs.toml, else the hub that the user stands in.

Without any of these it is the hub that `hub-index sync` keeps. One rule for every command that reads hubs.
"""

import os
import sys

from hub_index.cli.terminal import notice
from hub_index.hub.tree.hub_folder import enclosing_hub
from hub_index.service.hubs.choose_hubs import choose_places
from hub_index.service.hubs.open_hubs import default_place

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from hub_index.service.hubs.open_hubs import HubPlace


def places_from(arguments: "argparse.Namespace", home: str) -> "tuple[HubPlace, ...]":
    """The places of the hubs that the arguments mean; a line on a terminal where they name none. Raises ConfigError."""
    index_dir = getattr(arguments, "index_dir", None) or ""
    if arguments.hub or index_dir:
        return choose_places(arguments.hub or (), index_dir, home)
    places = choose_places((), "", home)
    if places == (default_place(),) and (here := hub_here(home)):
        places = choose_places((here,), "", home)
    say_searched([place.folder for place in places], home)
    return places


def hub_here(home: str) -> str:
    """The hub that the current folder is or lies in; empty without one, and in the folder that `sync` keeps."""
    try:
        folder = os.getcwd()
    except OSError:  # the current folder was removed
        return ""
    inside = os.path.relpath(folder, os.path.realpath(home)).partition(os.sep)[0]
    return "" if inside in (os.curdir, "repo", "search") else enclosing_hub(folder)


def say_searched(folders: "Sequence[str]", home: str) -> None:
    """Names the searched hubs, on a terminal: an answer of another hub than the expected one would look the same."""
    names = [folder or os.path.join(home, "repo") for folder in folders]
    if sys.stderr is not None and sys.stderr.isatty() and all(map(os.path.isdir, names)):
        notice(f"searched: {', '.join(names)} (--hub names another hub)")
