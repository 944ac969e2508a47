"""The confidence in a hit, from 0 to 1: the measure of its weak label, scaled so that the label's limit is 0.5."""

from hub_index.search.fusion import weigh_legs
from hub_index.search.weak_label import is_calibrated, weak_below, weak_below_keyword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Hit, Results

_JUST_WEAK, _JUST_NOT = 0.49, 0.5


def add_confidence(results: "Results") -> "Results":
    """The results with each hit's confidence; None stays where the model's cosines were never measured."""
    if results.mode != "keyword" and not is_calibrated(results.embedded_by):
        return results
    by_words = weak_below_keyword(results.query)
    limit = by_words if results.mode == "keyword" else weak_below(results.query)
    hits = [hit.replace(confidence=_confidence(hit, results.upper_bound, limit)) for hit in results.hits]
    return results.replace(hits=tuple(hits))


def _confidence(hit: "Hit", upper_bound: float, limit: float) -> float:
    if hit.reasons.is_exact:
        return 1.0
    evidence = weigh_legs(hit.reasons.cosine or 0.0, hit.reasons.lexical or 0.0, upper_bound)
    sure = min(1.0, max(0.0, evidence / (2 * limit)))
    # the label knows more than the evidence alone: what a query covers, or only demands
    return round(min(sure, _JUST_WEAK) if hit.weak else max(sure, _JUST_NOT), 3)
