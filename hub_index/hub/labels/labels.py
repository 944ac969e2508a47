"""Labelled queries: the text of two files → questions, each with the grades of the skills that answer it.

queries: JSON lines with `qid`, `text` and perhaps `lang`; qrels: lines `qid TAB id TAB grade`. A query that no skill
fits says `"nothing": true`. Others without a relevant skill are left out: nothing can be right or wrong about them.
"""

import json
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from hub_index.errors import ConfigError
from hub_index.limits import MAX_GRADE


class LabelsWrong(ConfigError):
    """An error in the labelled queries, with the file and line to correct."""

    def __init__(self, message: str, file: str, line: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.line = line  # 0: the whole file


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query and the grades of the skills that answer it."""

    qid: str
    text: str
    lang: str
    grades: dict[str, float]
    is_nothing: bool = False  # no skill fits: a first hit that is called strong is wrong

    @property
    def is_answerable(self) -> bool:
        """Whether any skill is relevant to it."""
        return any(grade > 0 for grade in self.grades.values())


def parse_labelled(
    queries: str, qrels: str, *, names: tuple[str, str] = ("queries", "qrels")
) -> tuple[LabelledQuery, ...]:
    """The labelled queries of the two files' text. Raises ConfigError with the file and the line that is wrong."""
    grades = _parse_qrels(qrels, names[1])
    parsed = _parse_queries(queries, grades, names)
    labelled = tuple(query for query in parsed if query.is_answerable or query.is_nothing)
    if not any(query.is_answerable for query in labelled):
        raise ConfigError(f"no query has a relevant skill: do the qids of {names[0]} and {names[1]} agree?")
    return labelled


def keep_labels(queries: Sequence[LabelledQuery], ids: AbstractSet[str]) -> list[LabelledQuery]:
    """The queries with the labels of these skills alone, without those that are not answered any more."""
    kept = (
        replace(query, grades={id_: grade for id_, grade in query.grades.items() if id_ in ids}) for query in queries
    )
    return [query for query in kept if query.is_answerable or query.is_nothing]


def _parse_queries(text: str, grades: dict[str, dict[str, float]], names: tuple[str, str]) -> Iterable[LabelledQuery]:
    name, qrels = names
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            query = json.loads(line)
            qid, words, lang = query["qid"], query["text"], query.get("lang") or ""
            is_nothing = query.get("nothing", False)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _wrong_query(name, number) from error
        is_text = isinstance(words, str) and isinstance(lang, str)
        if not isinstance(qid, str | int) or not is_text or not isinstance(is_nothing, bool):
            raise _wrong_query(name, number)
        labelled = LabelledQuery(str(qid), words, lang, grades.get(str(qid), {}), is_nothing)
        if is_nothing and labelled.is_answerable:
            raise _wrong_line(name, number, f"nothing fits this query, and {qrels} names a skill for it: correct one")
        yield labelled


def _parse_qrels(text: str, name: str) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        try:
            grade = float(cells[2]) if len(cells) > 2 else 1.0
            by_id = grades.setdefault(cells[0], {})
            by_id[cells[1]] = grade
        except (ValueError, IndexError) as error:
            raise _wrong_line(name, number, "write qid, id and grade with tabs between them") from error
        if not 0 <= grade <= MAX_GRADE:  # nor is NaN
            raise _wrong_line(name, number, f"a grade is a number from 0 to {MAX_GRADE}")
    return grades


def _wrong_query(name: str, number: int) -> LabelsWrong:
    return _wrong_line(name, number, "write an object with qid, text and perhaps lang and nothing")


def _wrong_line(name: str, number: int, instead: str) -> LabelsWrong:
    return LabelsWrong(f"{name}, line {number}: {instead}", name, number)
