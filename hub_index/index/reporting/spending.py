"""The cost of a build as values of its report: expected before anything is embedded, and as charged afterwards."""

from collections.abc import Sequence
from typing import Any

from hub_index.embedding.batches import Usage, uncached_texts
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.cost import add_queries, check_max_cost, estimate
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.probes import Probe
from hub_index.index.reporting.ledger import Ledger
from hub_index.index.reporting.report import GateQueries
from hub_index.models import SkillText


def expected_values(  # noqa: PLR0913 - the last two are named
    encoder: Encoder,
    texts: Sequence[SkillText],
    probes: Sequence[Probe],
    queries: GateQueries,
    *,
    cache: VectorCache | None,
    max_usd: float | None,
) -> dict[str, Any]:
    """Tokens and price of all unpaid texts, probes and labelled queries. Raises ConfigError beyond --max-cost."""
    unpaid = uncached_texts(encoder, texts, cache)
    expected = estimate(encoder, [*unpaid, *(probe.text for probe in probes)] if unpaid else [])
    expected = add_queries(expected, encoder, queries.texts, queries.other_model)
    if max_usd is not None:
        check_max_cost(expected, max_usd)
    return {
        "from_cache": len(texts) - len(unpaid),
        "tokens": expected.tokens,
        "tokens_exact": expected.tokens_exact,
        "cost_usd": expected.usd,
        "price_source": expected.price_source,
    }


def note_spending(ledger: Ledger, encoder: Encoder, usage: Usage) -> None:
    """Lets the ledger follow what one try uses: a try that fails or comes too late has been paid for as well."""
    ledger.encoder = encoder
    ledger.usages.append(usage)


def charged_values(ledger: Ledger) -> dict[str, Any]:
    """What the run was charged so far."""
    return {"from_cache": ledger.usages[-1].cached, "tokens": ledger.tokens, "cost_usd": ledger.cost_usd}


def spending_problems(encoder: Encoder, ledger: Ledger, cache: VectorCache | None) -> tuple[str, str]:
    """What is wrong with the two caches, vectors and the model's copy; empty if nothing is."""
    model_problem = getattr(encoder, "problem", "") if ledger.usages[-1].embedded else ""
    return (cache.problem if cache is not None else None) or "", model_problem
