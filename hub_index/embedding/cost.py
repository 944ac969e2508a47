"""The cost of embedding texts: an estimate before, the charge after. An unknown price is None, never 0."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hub_index.embedding.encoder import Encoder
from hub_index.embedding.known_models import find_model
from hub_index.errors import ConfigError
from hub_index.hub.skill.problems import counted
from hub_index.models import SkillText


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Texts, tokens and price of a build, for one model."""

    model_id: str
    texts: int
    tokens: int
    tokens_exact: bool
    usd: float | None
    usd_per_million: float | None
    price_source: str  # where the price was read and when; empty if it is unknown


def estimate(encoder: Encoder, texts: Sequence[SkillText]) -> CostEstimate:
    """Tokens and price of the distinct texts; sends no request and needs no key."""
    distinct = {text.text_hash: text.text for text in texts}
    counted = encoder.count_tokens(list(distinct.values()))
    price = price_of(encoder)
    usd = None if price is None else counted.tokens * price / 1_000_000
    source = find_model(*_parts(encoder.model_id)).price_source if price is not None else ""
    return CostEstimate(encoder.model_id, len(distinct), counted.tokens, counted.exact, usd, price, source)


def add_queries(expected: CostEstimate, encoder: Encoder, texts: Sequence[str], other_model: str) -> CostEstimate:
    """The estimate with queries that are asked of two indexes; where the old one has another model, that is named.

    Its tokens are taken to be as many as the new one's.
    """
    if not texts:
        return expected
    tokens = encoder.count_tokens(list(texts)).tokens
    new = price_of(encoder)
    old = find_model(*_parts(other_model)).usd_per_million if other_model else new
    usd = None
    if expected.usd is not None and new is not None and old is not None:
        usd = expected.usd + tokens * (new + old) / 1_000_000
    return replace(expected, texts=expected.texts + 2 * len(texts), tokens=expected.tokens + 2 * tokens, usd=usd)


def price_of(encoder: Encoder) -> float | None:
    """Dollars per million tokens; None if that is unknown, as for the user's own server."""
    endpoint = getattr(encoder, "endpoint", None)
    if endpoint is not None and endpoint.is_own_server:
        return None
    return find_model(*_parts(encoder.model_id)).usd_per_million


def spent(encoder: Encoder, tokens: int) -> float | None:
    """Dollars for tokens that the provider has charged; None if the price is unknown."""
    price = price_of(encoder)
    return None if price is None else tokens * price / 1_000_000


def check_max_cost(expected: CostEstimate, max_usd: float) -> None:
    """Raises ConfigError if the estimate is above what may be spent, or there is no price."""
    if expected.texts == 0:
        return
    if expected.usd is None:
        raise ConfigError(
            f"--max-cost: the price of {expected.model_id} is unknown, so the limit cannot be checked; nothing was "
            "requested. Leave out --max-cost to build without a limit"
        )
    if expected.usd > max_usd:
        raise ConfigError(
            f"--max-cost: {counted(expected.texts, 'text')} would cost about {format_usd(expected.usd)} with "
            f"{expected.model_id}, more than {format_usd(max_usd)}; nothing was requested"
        )


def format_usd(usd: float | None) -> str:
    """Dollars for people: enough digits to see a small sum; "unknown" for None."""
    if usd is None:
        return "unknown"
    return f"${usd:.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def _parts(model_id: str) -> tuple[str, str]:
    provider, _, name = model_id.partition(":")
    return provider, name
