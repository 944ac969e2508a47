"""The questions under examples/: every file parses, every question has an answer that the example hub holds."""

import json
from collections import Counter
from pathlib import Path

import pytest

from hub_index.hub.labels.labels import LabelledQuery, parse_labelled

_PROJECT = Path(__file__).resolve().parents[2]
_EXAMPLES = _PROJECT / "examples"
_LABELLED = {
    "queries.jsonl": ("qrels.tsv", 42),
    "questions/example-de.jsonl": ("questions/example-qrels.tsv", 40),
    "questions/example-es.jsonl": ("questions/example-qrels.tsv", 40),
    "questions/example-fr.jsonl": ("questions/example-qrels.tsv", 40),
    "questions/axon-de.jsonl": ("questions/axon-qrels.tsv", 40),
    "questions/axon-en.jsonl": ("questions/axon-qrels.tsv", 40),
    "questions/axon-es.jsonl": ("questions/axon-qrels.tsv", 40),
    "questions/axon-fr.jsonl": ("questions/axon-qrels.tsv", 40),
}
_UNLABELLED = {"questions/everyday.jsonl": 120, "nothing_fits.jsonl": 210}


def _parse(queries: str) -> tuple[LabelledQuery, ...]:
    return parse_labelled(*((_EXAMPLES / name).read_text("utf-8") for name in (queries, _LABELLED[queries][0])))


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (_EXAMPLES / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("queries", _LABELLED)
def test_every_labelled_question_has_an_answer(queries: str) -> None:
    """Each of the file's questions has a skill of the best grade, and none is asked twice."""
    labelled = _parse(queries)
    assert len({query.text for query in labelled}) == len(_rows(queries)) == _LABELLED[queries][1]
    assert [query.qid for query in labelled if max(query.grades.values()) != 2] == []


@pytest.mark.parametrize("qrels", sorted({qrels for qrels, _ in _LABELLED.values()}))
def test_every_label_is_of_a_question(qrels: str) -> None:
    """No line of the labels names a question that no file asks."""
    asked = {query.qid for queries, (named, _) in _LABELLED.items() if named == qrels for query in _parse(queries)}
    assert {line.split("\t")[0] for line in (_EXAMPLES / qrels).read_text("utf-8").splitlines()} == asked


@pytest.mark.parametrize("queries", [name for name in _LABELLED if "axon" not in name])
def test_the_example_hub_has_every_labelled_skill(queries: str) -> None:
    """A renamed or removed skill is noticed here, not as a worse search."""
    held = {json.loads(line)["id"] for line in (_PROJECT / "artifacts/skills.jsonl").read_text("utf-8").splitlines()}
    assert {id_ for query in _parse(queries) for id_ in query.grades} - held == set()


@pytest.mark.parametrize("name", _UNLABELLED)
def test_questions_without_labels_parse(name: str) -> None:
    """They have what labelled ones have: an id of their own, a text that no other line has, a language."""
    queries = parse_labelled(
        (_EXAMPLES / name).read_text("utf-8"), "".join(f"{row['qid']}\tx\n" for row in _rows(name))
    )
    assert len({query.qid for query in queries}) == len({query.text for query in queries}) == _UNLABELLED[name]
    assert all(query.lang for query in queries)


def test_prompts_that_nothing_fits_are_of_two_kinds_and_no_others_sentences() -> None:
    """150 between two tasks and 60 off the topic, in six languages each, none of them in `off_topic.jsonl`."""
    rows = _rows("nothing_fits.jsonl")
    assert Counter(row["kind"] for row in rows) == {"chat": 150, "off-topic": 60}
    assert len({(row["kind"], row["lang"]) for row in rows}) == 12
    assert not {row["text"] for row in rows} & {row["text"] for row in _rows("off_topic.jsonl")}
