"""`hub-index search --index`: arguments and settings → the user's own index, and the summary of a build."""

import argparse
import os
import time
from pathlib import Path

from hub_index.cli.progress import ProgressBar
from hub_index.cli.report_text import print_report
from hub_index.settings import read_settings


def run_user_index(arguments: argparse.Namespace) -> int:
    """Builds `$AXON_HOME/search` from the synced hub (or --hub), then prints what that took."""
    from hub_index.embedding.cache import VectorCache
    from hub_index.embedding.encoder import Encoder
    from hub_index.index.tools import BuildTools
    from hub_index.index.user_index import build_user_index

    started_s = time.monotonic()
    settings = read_settings()

    def encoder_for(_hub_model: str | None) -> Encoder:
        from hub_index.embedding.providers import DEFAULT_MODEL, make_encoder, model_from_settings

        return make_encoder(arguments.model or model_from_settings(settings) or DEFAULT_MODEL, settings)

    hub = Path(arguments.hub or os.path.join(settings.axon_home, "repo"))
    cache = VectorCache(settings.cache_dir, write_only=arguments.force)
    with ProgressBar() as bar:
        tools = BuildTools(encoder_for=encoder_for, cache=cache, watcher=bar)
        built = build_user_index(hub, Path(settings.axon_home, "search"), tools, force=arguments.force)
    print_report(built, time.monotonic() - started_s, as_json=arguments.json, is_plan=False)
    return 0
