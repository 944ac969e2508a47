"""Labelled queries → nDCG@10, hit@1, recall@5 and MRR, in all and per language, with standard errors."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import Any

from hub_index.errors import IndexUnusable, ProviderUnavailable
from hub_index.hub.labels.labels import LabelledQuery
from hub_index.search.index import NO_WORDS, Index
from hub_index.search.one_skill.lookup import find_id, holds_id

DEPTH = 10
_MEASURES = ("ndcg10", "hit1", "recall5", "mrr")


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over some queries, each from 0 to 1, and their standard errors."""

    n: int
    means: dict[str, float]
    errors: dict[str, float]

    def encode(self) -> dict[str, float]:
        """The object that `eval --json` prints."""
        rounded = {name: round(value, 6) for name, value in self.means.items()}
        return {"n": self.n, **rounded, **{f"{name}_se": round(value, 6) for name, value in self.errors.items()}}


@dataclass(frozen=True, slots=True)
class QueryScore:
    """One query's measures, and what a comparison of two runs goes by."""

    qid: str
    lang: str
    target_lang: str  # of the skill that answers it best; empty if unknown
    chars: int
    measures: dict[str, float]
    first: str  # the best hit's id; empty without hits

    def encode(self) -> dict[str, object]:
        """The object of one query in `eval --json`."""
        about = {"qid": self.qid, "lang": self.lang, "target_lang": self.target_lang, "chars": self.chars}
        return about | {name: round(value, 6) for name, value in self.measures.items()} | {"first": self.first}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of an index for a set of labelled queries."""

    all: Measures
    by_lang: dict[str, Measures]
    queries: tuple[QueryScore, ...]

    def encode(self) -> dict[str, object]:
        """The object that `eval --json` prints, and that `eval --against` reads."""
        return {
            "all": self.all.encode(),
            "by_lang": {lang: measures.encode() for lang, measures in self.by_lang.items()},
            "queries": [score.encode() for score in self.queries],
        }


def ask(index: Index, text: str, mode: str, **options: Any) -> list[str]:
    """The ids that a search in this mode gives, best first. A failure raises: an error is not a low score."""
    results = index.search(text, DEPTH, mode, **options)
    if results.rerank is not None and results.rerank.problem:
        raise ProviderUnavailable(results.rerank.problem)
    if mode == "hybrid" and results.mode != mode and results.fallback_reason != NO_WORDS:
        index.search(text, DEPTH, "semantic")  # raises the reason as what it is
        raise IndexUnusable(f"hybrid search fell back to keyword: {results.fallback_reason}")
    return [hit.id for hit in results.hits]


def find_unknown(index: Index, ids: Iterable[str]) -> set[str]:
    """Those of the ids that the hub does not have. Raises IndexUnusable."""
    lexical = index.reader.open_keyword().lexical
    return {id_ for id_ in ids if not holds_id(lexical, id_)}


def evaluate(
    queries: Sequence[LabelledQuery],
    search: Callable[[str], Sequence[str]],
    lang_of: Callable[[str], str] = lambda _id: "",
) -> Evaluation:
    """The measures of a search that gives back ids, best first, ten of them; `lang_of` names a skill's language."""
    scored = tuple(_score_query(query, search(query.text), lang_of) for query in queries)
    langs = sorted({score.lang for score in scored if score.lang})
    return Evaluation(
        _measures(score.measures for score in scored),
        {lang: _measures(score.measures for score in scored if score.lang == lang) for lang in langs},
        scored,
    )


def read_langs(index: Index, ids: Iterable[str]) -> dict[str, str]:
    """The language of each of these skills, from the index. Raises IndexUnusable."""
    lexical = index.reader.open_keyword().lexical
    return {id_: match.record.lang for id_ in ids if (match := find_id(lexical, id_)) is not None}


def _score_query(query: LabelledQuery, ranked: Sequence[str], lang_of: Callable[[str], str]) -> QueryScore:
    best = max(query.grades, key=lambda id_: query.grades[id_])
    first = ranked[0] if ranked else ""
    return QueryScore(query.qid, query.lang, lang_of(best), len(query.text), score_answer(ranked, query.grades), first)


def score_answer(ranked: Sequence[str], grades: dict[str, float]) -> dict[str, float]:
    """The measures of one answer; at least one grade is above zero."""
    relevant = {id_ for id_, grade in grades.items() if grade > 0}
    gain = sum(grades.get(id_, 0.0) / log2(place + 2) for place, id_ in enumerate(ranked[:DEPTH]))
    ideal = sum(g / log2(place + 2) for place, g in enumerate(sorted(grades.values(), reverse=True)[:DEPTH]))
    first = next((place for place, id_ in enumerate(ranked[:DEPTH], start=1) if id_ in relevant), 0)
    return {
        "ndcg10": gain / ideal,
        "hit1": float(first == 1),
        "recall5": len(relevant.intersection(ranked[:5])) / len(relevant),
        "mrr": 1.0 / first if first else 0.0,
    }


def _measures(scores: Iterable[dict[str, float]]) -> Measures:
    rows = list(scores)
    means = {name: sum(row[name] for row in rows) / len(rows) for name in _MEASURES}
    errors = {
        name: sqrt(sum((row[name] - means[name]) ** 2 for row in rows) / max(1, len(rows) - 1) / len(rows))
        for name in _MEASURES
    }
    return Measures(len(rows), means, errors)
