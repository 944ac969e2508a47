"""The cost of a build in its report: estimated before anything is embedded, and as charged afterwards."""

from collections.abc import Sequence
from dataclasses import replace

from hub_index.embedding.batches import Usage, uncached_texts
from hub_index.embedding.cache.cache import VectorCache
from hub_index.embedding.cost import add_queries, check_max_cost, estimate
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.probes import Probe
from hub_index.index.ledger import Ledger
from hub_index.index.report import BuildReport, GateQueries
from hub_index.models import SkillText


def add_estimate(  # noqa: PLR0913 - the last two are named
    report: BuildReport,
    encoder: Encoder,
    texts: Sequence[SkillText],
    probes: Sequence[Probe],
    queries: GateQueries,
    *,
    cache: VectorCache | None,
    max_usd: float | None,
) -> BuildReport:
    """The report with tokens and price of all unpaid texts, probes and labelled queries.

    Raises ConfigError beyond --max-cost.
    """
    unpaid = uncached_texts(encoder, texts, cache)
    expected = estimate(encoder, [*unpaid, *(probe.text for probe in probes)] if unpaid else [])
    expected = add_queries(expected, encoder, queries.texts, queries.other_model)
    if max_usd is not None:
        check_max_cost(expected, max_usd)
    return replace(
        report,
        from_cache=len(texts) - len(unpaid),
        tokens=expected.tokens,
        tokens_exact=expected.tokens_exact,
        cost_usd=expected.usd,
        price_source=expected.price_source,
    )


def note_spending(ledger: Ledger, encoder: Encoder, usage: Usage) -> None:
    """Lets the ledger follow what one try uses: a try that fails or comes too late has been paid for as well."""
    ledger.encoder = encoder
    ledger.usages.append(usage)


def add_spending(report: BuildReport, encoder: Encoder, ledger: Ledger, cache: VectorCache | None) -> BuildReport:
    """The report with what was charged, and with what is wrong with the two caches: vectors, and the model's copy."""
    usage = ledger.usages[-1]
    problems = [cache.problem if cache is not None else "", getattr(encoder, "problem", "") if usage.embedded else ""]
    return replace(
        report,
        from_cache=usage.cached,
        tokens=ledger.tokens,
        cost_usd=ledger.cost_usd,
        notices=(*report.notices, *filter(None, problems)),
    )
