"""From which evidence on a hit is more than the nearest of what does not fit.

Measured for the embedded model by `python -m benchmarks.weak_label` on six labelled sets (199 to 6,793 skills), the
limits chosen once for all: the share of first hits that are called weak, in hybrid / semantic / keyword mode.

| | right ones | wrong ones | of queries that people asked another hub |
|---|---|---|---|
| en → en | 1.5 / 3.3 / 1.5 % | 11 / 19 / 21 % | 7 / 17 / 10 % (any language of skills) |
| zh → zh | 2.3 / 1.7 / 0.0 % | 16 / 31 / 2 % | 43 / 58 / 14 % (any language of skills) |
| zh → en | 0.4 / 0.4 / 0.0 % | 3 / 13 / 1 % | as above |
| others → en | 2.7 / 2.0 / 2.3 % | 11 / 17 / 22 % | 32 / 49 / 6 % |

Chinese words that are translated find something almost everywhere, and right answers gain by it too: the limits for
Chinese are higher than those for Japanese and Korean, of whose words only some are translated.

All twenty queries of examples/off_topic.jsonl are caught in the example hub by both legs; by words 11 of the 15 that
find anything. A large hub has something near to almost every English question, so that there the label misses most: it
is careful, not complete.
"""

from hub_index.search.words.tokens import is_cjk
from hub_index.settings import EMBEDDED_MODEL

COVERED = 0.5  # of what the query's words could score: in a hub of three skills every word is common, and weighs little
WEAK_BELOW = 0.30
WEAK_BELOW_CHINESE = 0.56
WEAK_BELOW_CJK = 0.46  # Japanese and Korean
WEAK_BELOW_KEYWORD = 0.16
WEAK_BELOW_KEYWORD_CHINESE = 0.16
WEAK_BELOW_KEYWORD_CJK = 0.08
# A few Chinese characters are less near to their right answer than a sentence is: `缓存` has 0.24 with a cache review.
# By words they have as little evidence in a small hub, where every word is common and half of the bigrams cross words.
SHORT_CJK_CHARS = 8
LESS_BY_CHAR = 0.03
LEAST_BELOW_CJK = 0.24
LESS_BY_CHAR_KEYWORD = 0.015
LEAST_BELOW_KEYWORD_CJK = 0.04


def is_calibrated(model_id: str) -> bool:
    """True if the model's cosines were measured; those of another model mean something else, and get no label."""
    return model_id == EMBEDDED_MODEL


def weak_below(text: str) -> float:
    """The evidence of both legs below which a hit of this query is weak."""
    if not any(map(is_cjk, text)):
        return WEAK_BELOW
    most = WEAK_BELOW_CHINESE if _is_chinese(text) else WEAK_BELOW_CJK
    return min(most, LEAST_BELOW_CJK + LESS_BY_CHAR * _chars_beyond_short(text))


def weak_below_keyword(text: str) -> float:
    """The same for words alone."""
    if not any(map(is_cjk, text)):
        return WEAK_BELOW_KEYWORD
    most = WEAK_BELOW_KEYWORD_CHINESE if _is_chinese(text) else WEAK_BELOW_KEYWORD_CJK
    return min(most, LEAST_BELOW_KEYWORD_CJK + LESS_BY_CHAR_KEYWORD * _chars_beyond_short(text))


def _chars_beyond_short(text: str) -> int:
    return max(0, sum(map(is_cjk, text)) - SHORT_CJK_CHARS)


def _is_chinese(text: str) -> bool:
    """Whether a text with CJK characters has neither kana nor hangul."""
    return not any("\u3040" <= c <= "\u30ff" or "\u1100" <= c <= "\u11ff" or "\uac00" <= c <= "\ud7ff" for c in text)
