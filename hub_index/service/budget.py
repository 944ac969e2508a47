"""A token budget: the tokens of texts, and the hits that fit. Whole hits only; the others are named."""

from hub_index.embedding.api.token_estimate import count_fitting_chars as count
from hub_index.embedding.api.token_estimate import estimate_tokens as estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.results import Hit, Results
    from hub_index.service.service import CostOf

_AROUND_HIT = 12  # rank, score and the signs between the fields, however a door writes them


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few."""
    return estimate(text) if text else 0


def count_fitting_chars(text: str, max_tokens: int) -> int:
    """The length of the longest beginning of `text` with at most `max_tokens` tokens."""
    return count(text, max_tokens)


def cost_of_hit(hit: "Hit") -> int:
    """The tokens of a hit's own words."""
    spans = [span.text for span in hit.spans]
    places = [place.uri for place in (*hit.also_in, *hit.also_like)]
    return _AROUND_HIT + estimate_tokens("\n".join((hit.id, hit.uri, hit.name, hit.description, *places, *spans)))


def keep_within(results: "Results", max_tokens: int | None, cost_of: "CostOf | None") -> "Results":
    """The results with the first hits that fit together, and the ids of the others."""
    if max_tokens is None:
        return results
    kept = count_fitting(results.hits, max_tokens, cost_of or cost_of_hit)
    if kept == len(results.hits):
        return results
    omitted = tuple([hit.id for hit in results.hits[kept:]])
    return results.replace(hits=results.hits[:kept], omitted=omitted, judged=results.verdict)


def count_fitting(hits: "Sequence[Hit]", max_tokens: int, cost_of: "CostOf") -> int:
    """The number of hits that fit, from the first on."""
    left = max_tokens
    for fitting, hit in enumerate(hits):
        left -= cost_of(hit)
        if left < 0:
            return fitting
    return len(hits)
