"""A hit as the arithmetic of one hub knows it: a candidate, whose row is the hit's place among others."""

import tantivy

from hub_index.search.candidate import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Hit

_NOWHERE = tantivy.DocAddress(0, 0)  # the record is in the hit already


def make_candidate(hit: "Hit", row: int = 0) -> Candidate:
    """The candidate that a hit was; a leg that did not take part gives 0."""
    reasons = hit.reasons
    candidate = Candidate(row, reasons.lexical or 0.0, _NOWHERE)
    candidate.cosine = reasons.cosine or 0.0
    candidate.bonus, candidate.is_exact, candidate.score = reasons.bonus, reasons.is_exact, hit.score
    candidate.presumed = reasons.presumed
    return candidate
