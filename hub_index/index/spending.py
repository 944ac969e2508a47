"""What a build costs, in its report: estimated before anything is embedded, and as charged afterwards."""

from collections.abc import Sequence
from dataclasses import replace

from hub_index.embedding.batches import Usage, uncached_texts
from hub_index.embedding.cache.cache import VectorCache
from hub_index.embedding.cost import check_max_cost, estimate, price_of, spent
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.probes import Probe
from hub_index.index.report import BuildReport
from hub_index.models import SkillText


def add_estimate(  # noqa: PLR0913 - the last two are named
    report: BuildReport,
    encoder: Encoder,
    texts: Sequence[SkillText],
    probes: Sequence[Probe],
    *,
    cache: VectorCache | None,
    max_usd: float | None,
) -> BuildReport:
    """The report with tokens and price of what is not yet paid for, and of the probes that ride along with it.

    Raises ConfigError beyond --max-cost.
    """
    unpaid = uncached_texts(encoder, texts, cache)
    expected = estimate(encoder, [*unpaid, *(probe.text for probe in probes)] if unpaid else [])
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


def add_spending(report: BuildReport, encoder: Encoder, usage: Usage, cache: VectorCache | None) -> BuildReport:
    """The report with what was charged, and with what is wrong with the two caches: vectors, and the model's copy."""
    # unknown where a provider that has a price did not say what it charged
    is_told = usage.tokens > 0 or usage.embedded == 0 or price_of(encoder) == 0
    problems = [cache.problem if cache is not None else "", getattr(encoder, "problem", "") if usage.embedded else ""]
    return replace(
        report,
        from_cache=usage.cached,
        tokens=usage.tokens,
        cost_usd=spent(encoder, usage.tokens) if is_told else None,
        notices=(*report.notices, *filter(None, problems)),
    )
