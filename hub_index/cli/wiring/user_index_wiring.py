"""`hub-index search --index`: arguments and settings → the user's own index, and the summary of a build."""

import argparse
import os
import time
from pathlib import Path

from hub_index.cli.arguments import say_device
from hub_index.cli.progress import ProgressBar
from hub_index.cli.text.report_text import print_report
from hub_index.cli.user_settings import settings_from
from hub_index.embedding.cache.vector_cache import open_cache
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.providers import choose_model, make_encoder
from hub_index.errors import ConfigError
from hub_index.index.build_tools import BuildTools
from hub_index.index.user_index import build_user_index


def run_user_index(arguments: argparse.Namespace) -> int:
    """Builds `$AXON_HOME/search` from the synced hub and prints the summary. Raises ConfigError for another hub."""
    started_s = time.monotonic()
    settings = settings_from(arguments)
    hub = Path(settings.axon_home, "repo")
    _check_place(arguments, hub)

    def encoder_for(_hub_model: str | None) -> Encoder:
        model = choose_model(arguments.model, None, settings)
        say_device(arguments, model)
        return make_encoder(model, settings, asked=arguments.model)

    cache = open_cache(None, settings, write_only=arguments.force)
    with ProgressBar() as bar:
        tools = BuildTools(encoder_for=encoder_for, cache=cache, watcher=bar)
        built = build_user_index(hub, Path(settings.axon_home, "search"), tools, force=arguments.force)
    print_report(built.report, built.index_dir, time.monotonic() - started_s, arguments)
    return 0


def _check_place(arguments: argparse.Namespace, synced: Path) -> None:
    """Raises ConfigError if another hub or another folder is named: the user's index is of one hub, in one place."""
    others = [hub for hub in arguments.hub or () if not _is_same(hub, synced)]
    if arguments.index_dir is not None or others:
        raise ConfigError(
            f"your own index is of the synced hub, {synced}, and lies beside it: leave out --hub and --index-dir; for "
            "another hub run `hub-index build HUB --out DIR`"
        )


def _is_same(folder: str, other: Path) -> bool:
    try:
        return os.path.samefile(folder, other)
    except OSError:  # one of them is not there
        return os.path.realpath(folder) == os.path.realpath(other)
