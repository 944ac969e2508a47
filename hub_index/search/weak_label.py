"""From which evidence on a hit is more than the nearest of what does not fit.

Measured for the embedded model by `python -m benchmarks.weak_label` on six labelled sets (199 to 6,793 skills), the
limits chosen once for all: the share of first hits that are called weak, in hybrid / semantic / keyword mode.

| | right ones | wrong ones | of queries that people asked another hub |
|---|---|---|---|
| en → en | 1.7 / 3.7 / 1.0 % | 11 / 17 / 16 % | 8 / 18 / 9 % (any language of skills) |
| zh → zh | 0.6 / 0.4 / 0.0 % | 4 / 11 / 10 % | 43 / 50 / 11 % (any language of skills) |
| zh → en | 0.4 / 0.4 / 0.0 % | 4 / 5 / 10 % | as above |
| others → en | 1.8 / 2.0 / 3.9 % | 11 / 9 / 42 % | 32 / 40 / 13 % |

The limits of both legs for Chinese were raised when its words began to be translated (0.38 and 0.18 before): of the
right first hits by a query with CJK, 1 % had less than 0.43 in hybrid mode on the worst of three sets. The table above
was measured before that.

All twenty queries of examples/off_topic.jsonl are caught in the example hub (by words, 8 of the 9 that find anything).
A large hub has something near to almost
every English question, so that there the label misses most: it is careful, not complete.
"""

from hub_index.search.lexical.tokens import is_cjk
from hub_index.settings import EMBEDDED_MODEL

COVERED = 0.5  # of what the query's words could score: in a hub of three skills every word is common, and weighs little
WEAK_BELOW = 0.30
WEAK_BELOW_CJK = 0.40
WEAK_BELOW_KEYWORD = 0.14
WEAK_BELOW_KEYWORD_CJK = 0.04
# A few Chinese characters are less near to their right answer than a sentence is: `缓存` has 0.24 with a cache review.
SHORT_CJK_CHARS = 8
LESS_BY_CHAR = 0.03
LEAST_BELOW_CJK = 0.24


def is_calibrated(model_id: str) -> bool:
    """Whether a model's cosines were measured; those of another model mean something else, and get no label."""
    return model_id == EMBEDDED_MODEL


def weak_below(text: str) -> float:
    """The evidence of both legs below which a hit of this query is weak."""
    characters = sum(map(is_cjk, text))
    if not characters:
        return WEAK_BELOW
    return min(WEAK_BELOW_CJK, LEAST_BELOW_CJK + LESS_BY_CHAR * max(0, characters - SHORT_CJK_CHARS))


def weak_below_keyword(text: str) -> float:
    """The same for words alone; few Chinese words find their English answer by words."""
    return WEAK_BELOW_KEYWORD_CJK if any(map(is_cjk, text)) else WEAK_BELOW_KEYWORD
