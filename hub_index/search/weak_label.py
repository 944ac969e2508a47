"""From which evidence on a hit is more than the nearest of what does not fit.

Measured for the embedded model by `python -m benchmarks.weak_label` on six labelled sets (199 to 6,793 skills), the
limits chosen once for all: the share of first hits that are called weak, in hybrid / semantic / keyword mode.

| | right ones | wrong ones | of queries that people asked another hub |
|---|---|---|---|
| en → en | 1.7 / 3.5 / 1.0 % | 11 / 18 / 16 % | 7 / 17 / 9 % (any language of skills) |
| zh → zh | 0.3 / 0.0 / 0.0 % | 3 / 9 / 0 % | 25 / 40 / 0 % (any language of skills) |
| zh → en | 0.0 / 0.0 / 0.0 % | 0 / 4 / 0 % | as above |
| others → en | 0.9 / 1.0 / 1.1 % | 11 / 13 / 13 % | 25 / 42 / 5 % |

Chinese words that are translated find something almost everywhere: by words alone the label catches nothing there. The
limits of both legs for Chinese were raised for that (0.38 and 0.18 before), and could be raised further.

All twenty queries of examples/off_topic.jsonl are caught in the example hub by both legs; by words 11 of the 15 that
find anything. A large hub has something near to almost every English question, so that there the label misses most: it
is careful, not complete.
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
