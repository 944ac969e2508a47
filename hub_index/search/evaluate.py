"""Labelled queries → nDCG@10, hit@1, recall@5 and MRR, in all and per language, with standard errors.

queries: JSON lines with `qid`, `text` and perhaps `lang`; qrels: lines `qid TAB id TAB grade`. Queries without a
relevant skill are left out: nothing can be right or wrong about them.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log2, sqrt

from hub_index.errors import ConfigError

DEPTH = 10
_MEASURES = ("ndcg10", "hit1", "recall5", "mrr")


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query and the grades of the skills that answer it."""

    qid: str
    text: str
    lang: str
    grades: dict[str, float]


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
class Evaluation:
    """What an index made of a set of labelled queries."""

    all: Measures
    by_lang: dict[str, Measures]

    def encode(self) -> dict[str, object]:
        """The object that `eval --json` prints."""
        return {
            "all": self.all.encode(),
            "by_lang": {lang: measures.encode() for lang, measures in self.by_lang.items()},
        }


def parse_labelled(queries: str, qrels: str) -> list[LabelledQuery]:
    """The labelled queries of the two files' text. Raises ConfigError with the line that is wrong."""
    grades = _parse_qrels(qrels)
    labelled = []
    for number, line in enumerate(queries.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            qid, text, lang = str(found["qid"]), str(found["text"]), str(found.get("lang") or "")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigError(f"queries, line {number}: write an object with qid, text and perhaps lang") from error
        if any(grade > 0 for grade in grades.get(qid, {}).values()):
            labelled.append(LabelledQuery(qid, text, lang, grades[qid]))
    if not labelled:
        raise ConfigError("no query has a relevant skill: do the qids of both files agree?")
    return labelled


def evaluate(queries: Sequence[LabelledQuery], search: Callable[[str], Sequence[str]]) -> Evaluation:
    """The measures of a search that gives back ids, best first, ten of them."""
    scored = [(query.lang, _score(search(query.text), query.grades)) for query in queries]
    langs = sorted({lang for lang, _ in scored if lang})
    return Evaluation(
        _measures(score for _, score in scored),
        {lang: _measures(score for own, score in scored if own == lang) for lang in langs},
    )


def _parse_qrels(qrels: str) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for number, line in enumerate(qrels.split("\n"), start=1):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        try:
            grades.setdefault(cells[0], {})[cells[1]] = float(cells[2]) if len(cells) > 2 else 1.0
        except (ValueError, IndexError) as error:
            raise ConfigError(f"qrels, line {number}: write qid, id and grade with tabs between them") from error
    return grades


def _score(ranked: Sequence[str], grades: dict[str, float]) -> dict[str, float]:
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
