"""Arguments → a build, which `build` and `plan` run: its options, its model, vector cache and progress bar."""

import argparse
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hub_index.cli.arguments import say_device
from hub_index.cli.progress import ProgressBar
from hub_index.cli.text.report_text import print_report
from hub_index.cli.user_settings import settings_from
from hub_index.embedding.cache.vector_cache import open_cache
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.providers import choose_model, make_encoder, query_connection
from hub_index.hub.known_trees import KnownTrees
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.format.verify import AcceptedSections
from hub_index.limits import DEFAULT_MAX_DROP
from hub_index.search.measure.evaluator import IndexEvaluator

_GC_THRESHOLDS = 100_000, 20, 100


def run_build(arguments: argparse.Namespace) -> int:
    """Builds or plans, then prints the summary."""
    started_s = time.monotonic()
    with build_tools(arguments) as tools:
        built = build_index(arguments.hub, build_options(arguments), tools)
    print_report(built.report, built.index_dir, time.monotonic() - started_s, arguments)
    return 0


def build_options(arguments: argparse.Namespace) -> BuildOptions:
    """The options of a build that the arguments name."""
    max_drop = vars(arguments).get("max_drop")  # plan has none
    return BuildOptions(
        rev=arguments.rev,
        out=arguments.out,
        force=arguments.force,
        strict=arguments.strict,
        allow_shrink=arguments.allow_shrink,
        accept=frozenset(arguments.accept),
        dry_run=arguments.dry_run,
        model_alias=arguments.model_alias,
        max_cost_usd=arguments.max_cost,
        max_drop=DEFAULT_MAX_DROP if max_drop is None else max_drop,
    )


@contextmanager
def build_tools(arguments: argparse.Namespace, *, evaluates: bool = False) -> Iterator[BuildTools]:
    """The tools of one build; its progress bar is cleared at the end. What is published is evaluated first."""
    settings = settings_from(arguments)
    # A big hub is some hundred thousand values that all stay: looking through them for cycles took a seventh of a build
    # that changes one skill of 109,026.
    gc.set_threshold(*_GC_THRESHOLDS)

    def encoder_for(hub_model: str | None) -> Encoder:
        model = choose_model(arguments.model, hub_model, settings)
        say_device(arguments, model)
        sizes = {"batch_size": arguments.batch_size, "concurrency": arguments.concurrency}
        return make_encoder(model, settings, asked=arguments.model, **sizes)

    cache = open_cache(arguments.cache, settings, write_only=arguments.force)
    with ProgressBar() as bar:
        evaluate = IndexEvaluator(query_connection(settings, arguments.model)) if evaluates else None
        notes = "" if settings.no_cache else settings.cache_folder
        yield BuildTools(
            encoder_for=encoder_for,
            cache=cache,
            watcher=bar,
            evaluate=evaluate,
            known_trees=KnownTrees(notes),
            accepted=AcceptedSections(notes),
        )
