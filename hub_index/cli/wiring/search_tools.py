"""The service as the user's settings have it: reranker, learning and AXON_SEARCH_*, the same for every door."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from hub_index.cli.arguments import not_empty, positive
from hub_index.cli.terminal import notice
from hub_index.cli.wiring.search_wiring import open_service_from
from hub_index.search.options import DEFAULT_K, SearchOptions
from hub_index.settings import Settings

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.index import Index
    from hub_index.search.results import RerankNote
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
    from hub_index.traces.recording import identify_hub

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


def add_rerank_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the reranker, and for the number of results that it reorders."""
    parser.add_argument(
        "--rerank",
        type=not_empty,
        metavar="PROVIDER:MODEL",
        help="reorder the first results by voyage:…, cohere:…, jina:…, tei:… (any server with /rerank), onnx:NAME or "
        "onnx:./DIR; none switches it off (default: AXON_RERANK, else none; key in AXON_RERANK_API_KEY, address in "
        "AXON_RERANK_BASE_URL)",
    )
    parser.add_argument(
        "--rerank-depth",
        type=positive,
        metavar="N",
        help="how many are reordered, up to 50 (default: AXON_RERANK_DEPTH, else 20)",
    )


def open_reranker(arguments: argparse.Namespace, settings: Settings) -> "Reranker | None":
    """The reranker of this search, or None. Raises ConfigError.

    An order on the command line wins over a reranker of the environment.
    """
    named = getattr(arguments, "rerank", None)
    asked = named or settings.rerank
    if asked in ("", "none"):
        return None
    if named is None and getattr(arguments, "diverse", False):
        return None
    from hub_index.embedding.rerank.reranker_choice import make_reranker

    return make_reranker(asked, settings)


def describe_cost(note: "RerankNote") -> str:
    """The reranker, the number of reordered hits, and the cost."""
    from hub_index.embedding.cost import format_usd

    tokens = "" if note.tokens is None else f"{note.tokens:,} tokens, "
    cost = "free" if note.usd == 0 else f"{tokens}cost {format_small(note.usd) if note.usd else format_usd(None)}"
    return f"the first {note.count} are in the order of {note.by} ({cost})"


def format_small(usd: float) -> str:
    """Dollars with two digits that count: one search costs a fraction of a cent."""
    return f"${usd:.2g}" if usd >= 0.0001 else f"${usd:.7f}".rstrip("0")
