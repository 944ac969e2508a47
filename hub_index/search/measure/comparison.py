"""Two runs over the same labelled queries → which queries won and lost, and whether the difference is chance.

The earlier run is the output of `hub-index eval --json`. Only queries of both runs are compared. The test flips the
sign of each query's difference at random, ten thousand times and from a fixed seed: how often is the mean as far from
zero as the observed one?
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, sqrt

from hub_index.errors import ConfigError
from hub_index.search.measure.evaluate import Evaluation, QueryScore

MEASURE = "ndcg10"
WORST = 10
_FLIPS, _FLIPS_AT_ONCE = 10_000, 500
_SAME = 1e-9  # differences below are rounding
_LENGTHS = ((50, "up to 50 characters"), (200, "51 to 200"), (None, "over 200"))


@dataclass(frozen=True, slots=True)
class EarlierScore:
    """The earlier run's score of one query."""

    ndcg: float
    first: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """Some queries before and after: means of nDCG@10, their difference with its standard error, wins and losses."""

    n: int
    before: float
    after: float
    change: float
    standard_error: float
    wins: int
    losses: int


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query that is answered worse now."""

    qid: str
    before: float
    after: float
    first_before: str
    first_after: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, in all and by kinds of queries."""

    all: Contrast
    p_value: float  # of the paired test: how often chance alone gives this difference
    by_langs: dict[str, Contrast]  # language of the query → of the skill
    by_length: dict[str, Contrast]
    worst: tuple[QueryChange, ...]
    left_out: int  # queries that only one of the runs has

    def encode(self) -> dict[str, object]:
        """The object that `eval --against --json` prints."""
        return asdict(self)


def parse_run(text: str, name: str) -> dict[str, EarlierScore]:
    """The queries of an earlier `eval --json`, by qid. Raises ConfigError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(name) from error
    items = value.get("queries") if isinstance(value, Mapping) else None
    if not isinstance(items, list):
        raise _wrong(name)
    run: dict[str, EarlierScore] = {}
    for item in items:
        ndcg = item.get(MEASURE) if isinstance(item, Mapping) else None
        if not isinstance(ndcg, int | float) or not isfinite(ndcg) or not isinstance(item.get("qid"), str):
            raise _wrong(name)
        run[item["qid"]] = EarlierScore(float(ndcg), str(item.get("first") or ""))
    return run


def compare(now: Evaluation, earlier: Mapping[str, EarlierScore], name: str) -> Comparison:
    """The changes since the earlier run. Raises ConfigError if the two have no query in common."""
    both = [score for score in now.queries if score.qid in earlier]
    if not both:
        raise ConfigError(f"{name} has none of these {len(now.queries):,} queries: is it of other labels?")
    left_out = len(now.queries) + len(earlier) - 2 * len(both)
    by_langs = _grouped(both, _lang_pair)
    by_length = _grouped(both, _length_of)
    return Comparison(
        _contrast(both, earlier),
        sign_flip_p([_change(score, earlier) for score in both]),
        {langs: _contrast(by_langs[langs], earlier) for langs in sorted(by_langs)},
        {label: _contrast(by_length[label], earlier) for _, label in _LENGTHS if label in by_length},
        _find_worst(both, earlier),
        left_out,
    )


def sign_flip_p(changes: Sequence[float]) -> float:
    """The share of random signs that give a mean at least as far from zero; 1 if nothing changed."""
    import numpy as np

    moved = np.array([change for change in changes if abs(change) > _SAME])
    if not moved.size:
        return 1.0
    observed = abs(moved.sum()) - _SAME
    rng = np.random.default_rng(0)
    extreme = 0
    for _ in range(_FLIPS // _FLIPS_AT_ONCE):
        signs = rng.integers(0, 2, size=(_FLIPS_AT_ONCE, moved.size), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ moved) >= observed).sum())
    return (extreme + 1) / (_FLIPS + 1)  # never 0: the signs that were found are among the possible ones


def _find_worst(scores: Sequence[QueryScore], earlier: Mapping[str, EarlierScore]) -> tuple[QueryChange, ...]:
    fallen = [score for score in scores if _change(score, earlier) < -_SAME]
    fallen.sort(key=lambda score: (_change(score, earlier), score.qid))
    return tuple(
        QueryChange(
            score.qid,
            earlier[score.qid].ndcg,
            score.measures[MEASURE],
            earlier[score.qid].first,
            score.first,
        )
        for score in fallen[:WORST]
    )


def _contrast(scores: Sequence[QueryScore], earlier: Mapping[str, EarlierScore]) -> Contrast:
    changes = [_change(score, earlier) for score in scores]
    count = len(changes)
    mean = sum(changes) / count
    error = sqrt(sum((change - mean) ** 2 for change in changes) / max(1, count - 1) / count)
    before = sum(earlier[score.qid].ndcg for score in scores) / count
    wins, losses = sum(change > _SAME for change in changes), sum(change < -_SAME for change in changes)
    return Contrast(count, before, before + mean, mean, error, wins, losses)


def _change(score: QueryScore, earlier: Mapping[str, EarlierScore]) -> float:
    change = round(score.measures[MEASURE], 6) - earlier[score.qid].ndcg  # as the earlier run wrote its own
    return change if abs(change) > _SAME else 0.0


def _grouped(scores: Sequence[QueryScore], kind_of: Callable[[QueryScore], str]) -> dict[str, list[QueryScore]]:
    groups: dict[str, list[QueryScore]] = {}
    for score in scores:
        groups.setdefault(kind_of(score), []).append(score)
    return groups


def _lang_pair(score: QueryScore) -> str:
    return f"{score.lang or '?'} → {score.target_lang or '?'}"


def _length_of(score: QueryScore) -> str:
    return next(label for most, label in _LENGTHS if most is None or score.chars <= most)


def _wrong(name: str) -> ConfigError:
    return ConfigError(f"{name} is not an earlier run: write one with `hub-index eval … --json > FILE`")
