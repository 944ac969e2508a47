"""The service as the user's settings have it: reranker, learning and AXON_SEARCH_*, the same for every door."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from hub_index.cli.terminal import notice
from hub_index.cli.wiring.rerank_wiring import open_reranker
from hub_index.cli.wiring.search_wiring import open_service_from
from hub_index.search.options import DEFAULT_K, SearchOptions
from hub_index.settings import Settings

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.index import Index
    from hub_index.service.search_defaults import SearchTools
    from hub_index.service.service import Service
    from hub_index.traces.experience import FoundExperience


def open_search_service(arguments: argparse.Namespace, settings: Settings, *, embed: str = "now") -> "Service":
    """As `open_service_from`, for what searches. Raises ConfigError, also for a reranker that cannot be used."""
    reranker = open_reranker(arguments, settings)
    try:
        service = open_service_from(arguments, settings, embed=embed)
    except BaseException:
        if reranker is not None:
            reranker.close()
        raise
    service.tools = _make_tools(arguments, settings, reranker)
    return service


def _make_tools(arguments: argparse.Namespace, settings: Settings, reranker: "Reranker | None") -> "SearchTools | None":
    """What the user has set for every search; None where nothing is."""
    scoring = getattr(arguments, "scoring", "")
    learns = settings.learn != "off" or scoring == "cortex"
    usual = SearchOptions(
        "",
        settings.k or DEFAULT_K,
        alpha=settings.alpha,
        min_score=settings.min_score,
        recency=settings.recency_weight or False,
        rerank_depth=settings.rerank_depth,
    )
    if reranker is None and not learns and not scoring and usual == SearchOptions(""):
        return None
    from hub_index.service.search_defaults import SearchTools

    learnt = (lambda index: _find_experience(index, settings, scoring)) if learns else None
    return SearchTools(reranker=reranker, learnt=learnt, usual=usual)


def _find_experience(index: "Index", settings: Settings, scoring: str) -> "FoundExperience":
    from hub_index.traces.experience import find_experience
    from hub_index.traces.hub_identity import identify_hub

    return find_experience(settings, identify_hub(index), scoring=scoring)


@contextmanager
def recorded(service: "Service", settings: Settings) -> Iterator[None]:
    """Records during the block; a failure to write is reported at the end."""
    if not settings.traces:
        yield
        return
    from hub_index.service.trace_recorder import add_recorder

    recorder = add_recorder(service, settings.state_folder)
    try:
        yield
    finally:
        recorder.close()
        if recorder.trouble:
            notice(recorder.trouble)
