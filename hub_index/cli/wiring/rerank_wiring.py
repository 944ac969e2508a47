"""--rerank and --rerank-depth → the user's reranker, from an option or the environment."""

import argparse

from hub_index.cli.arguments import not_empty, positive
from hub_index.settings import Settings

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.results import RerankNote


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
