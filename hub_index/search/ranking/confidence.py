"""How sure a hit is to fit the query: one number from 0 to 1; below 0.5 the hit is weak.

A logistic sum of a few facts. Its weights were fitted once, on nine hubs of 77 to 7,023 skills and eighteen of 3 to
25, so that right first hits of labelled questions stand above one half, and first hits of small talk and of questions
that no skill fits below it (docs/measured/confidence.md; `python -m benchmarks.confidence`). Only the embedded model's
cosines were measured: a hit that another model found by meaning has no confidence and no label.
"""

from math import exp, log

from hub_index.frozen import FrozenValue
from hub_index.search.ranking.fusion import lexical_part
from hub_index.search.ranking.small_talk import count_beyond, measure_nearness
from hub_index.search.words.tokens import has_cjk
from hub_index.settings import EMBEDDED_MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.candidate import Candidate
    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.matching import LexicalQuery
    from hub_index.search.semantic.semantic import Vectors

STRONG = 0.5
MOST_BEYOND = 4  # words beyond small talk that are told apart
USUAL_SIZE_LOG = 6.0  # of a hub of 400 skills
LEAST_SMALL_TALK = 0.3  # the cosine from which on a query is near to small talk
_DIGITS = 3


class Weights(FrozenValue):
    """What each fact of a hit adds; a fact of CJK counts for queries with CJK characters alone."""

    constant: float
    lexical: float  # of the lexical part, in units of the cosine
    covered: float  # of the share of the query's words that the hit has
    beyond: float  # of each word that is not heard in small talk
    none_beyond: float
    one_beyond: float
    cjk: float
    lexical_cjk: float
    size: float  # of the logarithm of the hub's size, beyond the usual one
    lexical_size: float
    cosine: float = 0.0
    cosine_cjk: float = 0.0
    cosine_size: float = 0.0
    unknown: float = 0.0  # of the share of the query's words that the hub does not know
    cosine_unknown: float = 0.0
    small_talk: float = 0.0  # of the cosine with the nearest piece of small talk


BOTH_LEGS = Weights(
    constant=-6.494,
    cosine=11.069,
    cosine_cjk=12.511,
    cosine_size=-2.299,
    cosine_unknown=8.410,
    unknown=-2.807,
    small_talk=-12.703,
    lexical=5.821,
    lexical_cjk=0.0,
    lexical_size=0.0,
    covered=4.696,
    beyond=1.140,
    none_beyond=0.0,
    one_beyond=2.143,
    cjk=-1.952,
    size=-0.353,
)
WORDS_ALONE = Weights(
    constant=-10.538,
    lexical=9.650,
    lexical_cjk=5.823,
    lexical_size=-0.716,
    covered=4.733,
    beyond=2.729,
    none_beyond=-4.315,
    one_beyond=2.081,
    cjk=-3.044,
    size=-0.552,
)


class Question(FrozenValue):
    """The facts of a query on which the confidence of all its hits depends."""

    upper_bound: float
    beyond: int  # words that are not heard in small talk
    is_cjk: bool
    size: float  # of the hub
    unknown: float = 0.0  # the share by weight of its words that the hub does not know
    is_only_syntax: bool = False  # fields, prefixes and filters, without a word to weigh
    is_demanding: bool = False  # every hit holds what the query demands
    is_corrected: bool = False
    small_talk: float | None = None  # the cosine with the nearest piece of it; None without a vector


def make_question(query: "LexicalQuery", lexical: "LexicalIndex", vector: "Vectors | None" = None) -> Question:
    """The facts of a query to a hub."""
    return Question(
        upper_bound=query.upper_bound,
        beyond=count_beyond(query.counts),
        is_cjk=has_cjk(query.parsed.text),
        size=log(max(1, lexical.idf_count)) - USUAL_SIZE_LOG,
        unknown=_weigh_unknown(query, lexical),
        is_only_syntax=not query.counts and bool(query.parsed.items or query.parsed.is_restricted),
        is_demanding=bool(query.parsed.required) or not query.parsed.items,
        is_corrected=bool(query.correction),
        small_talk=None if vector is None else measure_nearness(vector),
    )


def _weigh_unknown(query: "LexicalQuery", lexical: "LexicalIndex") -> float:
    counts = {token: lexical.document_frequency(token) for token in query.counts}
    total = sum([times * lexical.bound_of(counts[token]) for token, times in query.counts.items()])
    unknown = sum([times for token, times in query.counts.items() if not counts[token]]) * lexical.bound_of(0)
    return unknown / total if total else 0.0


def measure_confidence(candidate: "Candidate", question: Question, *, has_vector: bool) -> float:
    """From 0 to 1; one half and more is a hit that fits. What the query names or only demands is certain.

    Words that were corrected say nothing: a typo's likeliest meaning must not look like what was asked for.
    """
    if candidate.is_exact or (question.is_only_syntax and (candidate.lexical > 0 or question.is_demanding)):
        return 1.0
    weights = BOTH_LEGS if has_vector and question.small_talk is not None else WORDS_ALONE
    lexical = 0.0 if question.is_corrected else candidate.lexical
    part = lexical_part(lexical, question.upper_bound)
    beyond = min(question.beyond, MOST_BEYOND)
    total = weights.constant + part * (weights.lexical + weights.lexical_size * question.size)
    total += weights.covered * (min(1.0, lexical / question.upper_bound) if question.upper_bound > 0 else 0.0)
    total += weights.beyond * beyond + weights.none_beyond * (beyond == 0) + weights.one_beyond * (beyond == 1)
    total += weights.size * question.size
    if question.is_cjk:
        total += weights.cjk + weights.lexical_cjk * part + weights.cosine_cjk * candidate.cosine
    of_cosine = weights.cosine + weights.cosine_size * question.size + weights.cosine_unknown * question.unknown
    total += candidate.cosine * of_cosine + weights.unknown * question.unknown
    total += weights.small_talk * max(0.0, (question.small_talk or 0.0) - LEAST_SMALL_TALK)
    return round(1.0 / (1.0 + exp(-max(-50.0, min(50.0, total)))), _DIGITS)


def is_calibrated(model_id: str) -> bool:
    """True if the model's cosines were measured; those of another model mean something else, and get no label."""
    return model_id == EMBEDDED_MODEL
