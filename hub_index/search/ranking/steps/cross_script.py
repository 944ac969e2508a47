"""The presumed lexical part of a skill described in CJK, for a query without CJK: pure arithmetic.

An English query shares no word with a skill that is described in Chinese. That is no evidence against the skill, yet
skills in the query's own script have words besides their cosine. So it gets `SHARE` of the lexical part of equally near
ones: the straight line through cosine and lexical part of those among the `NEAREST` candidates. If fewer than `LEAST`
of them are in the query's script, as in a hub of one script, nothing is presumed. Nothing is presumed either of a skill
whose cosine is clearly below that of the nearest skill in the query's script: what is meant stands there in words.

The other way round nothing is presumed at all: Chinese words find English skills by the dictionary, and in a hub of
Chinese and English tools Chinese questions about Chinese ones lost 3 points by it (docs/measured/cross-script.md).
"""

from hub_index.search.ranking.fusion import lexical_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.candidate import Candidate

SHARE = 0.5  # with more, skills in the query's own script lose what the others gain
NEAREST = 20
LEAST = 5
NEARLY = 0.03  # of the cosine of the nearest skill in the query's script


def presume_words(candidates: "Sequence[Candidate]", is_other: "Sequence[bool]", upper_bound: float) -> None:
    """Sets `presumed` of all candidates that are in another script than the query."""
    for candidate in candidates:
        candidate.presumed = 0.0
    paired = sorted(zip(candidates, is_other, strict=True), key=lambda pair: (-pair[0].cosine, pair[0].row))
    own = [candidate for candidate, other in paired[:NEAREST] if not other]
    if len(own) < LEAST or len(own) == len(paired):
        return
    cosines = [candidate.cosine for candidate in own]
    parts = [lexical_part(candidate.lexical, upper_bound) for candidate in own]
    cosine, part = sum(cosines) / len(own), sum(parts) / len(own)
    spread = sum([(value - cosine) ** 2 for value in cosines])
    together = sum([(value - cosine) * (other - part) for value, other in zip(cosines, parts, strict=True)])
    rise = max(0.0, together / spread) if spread > 0 else 0.0
    least = max(cosines) - NEARLY
    for candidate, other in paired:
        if other and candidate.cosine >= least:
            candidate.presumed = round(SHARE * max(0.0, part + rise * (candidate.cosine - cosine)), 6)
