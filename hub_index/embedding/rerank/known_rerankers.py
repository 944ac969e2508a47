"""The prices of rerankers, with source and date; an unknown price is None, never 0."""

# A stored copy of the page, looked up on 2026-11-17. Cohere bills by searches and Jina by contract: unknown here.
VOYAGE_RERANK_PRICES = "Voyage's prices as quoted by getmaxim.ai/bifrost/model-library, 2026-11-17"
_USD_PER_MILLION = {
    ("voyage", "rerank-2.5"): 0.05,
    ("voyage", "rerank-2.5-lite"): 0.02,
    ("voyage", "rerank-2"): 0.05,
    ("voyage", "rerank-2-lite"): 0.02,
}


def rerank_usd(provider: str, model: str, tokens: int | None) -> float | None:
    """Dollars for `tokens`; None if price or tokens are unknown."""
    price = _USD_PER_MILLION.get((provider, model))
    return None if price is None or tokens is None else tokens * price / 1_000_000
