"""Labelled queries → nDCG@10, hit@1, recall@5 and MRR, in all and per language; precision and recall of the label.

A hit answers for the near copies that are folded into it: a copy of the labelled skill counts as that skill.
"""

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
class Answer:
    """The answer to one query: for each hit its id and those of its near copies, best first."""

    places: tuple[tuple[str, ...], ...]
    is_strong: bool  # the first hit is not called weak

    @property
    def first(self) -> str:
        """The best hit's id; empty without hits."""
        return self.places[0][0] if self.places else ""


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
    is_strong: bool = False  # the best hit is called strong

    def encode(self) -> dict[str, object]:
        """The object of one query in `eval --json`."""
        about = {"qid": self.qid, "lang": self.lang, "target_lang": self.target_lang, "chars": self.chars}
        return about | {name: round(value, 6) for name, value in self.measures.items()} | self.encode_first()

    def encode_first(self) -> dict[str, object]:
        """The best hit, and whether it is called strong."""
        return {"first": self.first, "strong": self.is_strong}


@dataclass(frozen=True, slots=True)
class LabelMeasures:
    """How far the label can be relied on: counts of first hits, and of queries that nothing fits."""

    strong: int  # first hits that are called strong
    right: int  # first hits that are labelled for their query
    strong_and_right: int
    nothing: int  # queries that nothing fits
    nothing_strong: int  # those of them whose first hit is called strong

    @property
    def precision(self) -> float | None:
        """Of the first hits called strong the share that is right; None without any."""
        return self.strong_and_right / self.strong if self.strong else None

    @property
    def recall(self) -> float | None:
        """Of the right first hits the share that is called strong; None without any."""
        return self.strong_and_right / self.right if self.right else None

    def encode(self) -> dict[str, float | None]:
        """The object that `eval --json` prints."""
        return {
            "strong": self.strong,
            "right": self.right,
            "strong_and_right": self.strong_and_right,
            "precision": self.precision,
            "recall": self.recall,
            "nothing_fits": self.nothing,
            "nothing_fits_strong": self.nothing_strong,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of an index for a set of labelled queries."""

    all: Measures
    by_lang: dict[str, Measures]
    queries: tuple[QueryScore, ...]  # of those that a skill answers
    label: LabelMeasures
    nothing: tuple[QueryScore, ...] = ()  # of those that nothing fits

    def encode(self) -> dict[str, object]:
        """The object that `eval --json` prints, and that `eval --against` reads."""
        return {
            "all": self.all.encode(),
            "by_lang": {lang: measures.encode() for lang, measures in self.by_lang.items()},
            "label": self.label.encode(),
            "queries": [score.encode() for score in self.queries],
            "nothing": [{"qid": score.qid, **score.encode_first()} for score in self.nothing],
        }


def ask(index: Index, text: str, mode: str, **options: Any) -> Answer:
    """The answer of a search in this mode. A failure raises: an error is not a low score."""
    results = index.search(text, DEPTH, mode, **options)
    if results.rerank is not None and results.rerank.problem:
        raise ProviderUnavailable(results.rerank.problem)
    if mode == "hybrid" and results.mode != mode and results.fallback_reason != NO_WORDS:
        index.search(text, DEPTH, "semantic")  # raises the reason as what it is
        raise IndexUnusable(f"hybrid search fell back to keyword: {results.fallback_reason}")
    places = tuple((hit.id, *(copy.id for copy in hit.also_like)) for hit in results.hits)
    return Answer(places, is_strong=bool(results.hits) and not results.hits[0].weak)


def find_unknown(index: Index, ids: Iterable[str]) -> set[str]:
    """Those of the ids that the hub does not have. Raises IndexUnusable."""
    lexical = index.reader.open_keyword().lexical
    return {id_ for id_ in ids if not holds_id(lexical, id_)}


def evaluate(
    queries: Sequence[LabelledQuery],
    search: Callable[[str], Answer],
    lang_of: Callable[[str], str] = lambda _id: "",
) -> Evaluation:
    """The measures of a search that gives ten hits; `lang_of` names a skill's language."""
    scored = tuple(_score_query(query, search(query.text), lang_of) for query in queries if not query.is_nothing)
    nothing = tuple(_note_nothing(query, search(query.text)) for query in queries if query.is_nothing)
    langs = sorted({score.lang for score in scored if score.lang})
    return Evaluation(
        _measures(score.measures for score in scored),
        {lang: _measures(score.measures for score in scored if score.lang == lang) for lang in langs},
        scored,
        _measure_label(scored, nothing),
        nothing,
    )


def read_langs(index: Index, ids: Iterable[str]) -> dict[str, str]:
    """The language of each of these skills, from the index. Raises IndexUnusable."""
    lexical = index.reader.open_keyword().lexical
    return {id_: match.record.lang for id_ in ids if (match := find_id(lexical, id_)) is not None}


def _score_query(query: LabelledQuery, answer: Answer, lang_of: Callable[[str], str]) -> QueryScore:
    best = max(query.grades, key=lambda id_: query.grades[id_])
    measures = score_answer(*judge_copies(answer, query.grades))
    lang = lang_of(best)
    return QueryScore(query.qid, query.lang, lang, len(query.text), measures, answer.first, answer.is_strong)


def _note_nothing(query: LabelledQuery, answer: Answer) -> QueryScore:
    return QueryScore(query.qid, query.lang, "", len(query.text), {}, answer.first, answer.is_strong)


def _measure_label(scored: Sequence[QueryScore], nothing: Sequence[QueryScore]) -> LabelMeasures:
    right = [score for score in scored if score.measures["hit1"]]
    strong_nothing = sum(score.is_strong for score in nothing)
    return LabelMeasures(
        sum(score.is_strong for score in scored) + strong_nothing,
        len(right),
        sum(score.is_strong for score in right),
        len(nothing),
        strong_nothing,
    )


def judge_copies(answer: Answer, grades: dict[str, float]) -> tuple[list[str], dict[str, float]]:
    """For each hit the best graded of the skills that it stands for, and the grades without its other ones."""
    ranked = [max(ids, key=lambda id_: grades.get(id_, 0.0)) for ids in answer.places]
    others = {id_ for ids, best in zip(answer.places, ranked, strict=True) for id_ in ids if id_ != best}
    return ranked, {id_: grade for id_, grade in grades.items() if id_ not in others}


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
