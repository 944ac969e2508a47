"""Evaluation and times."""

from math import log2

import pytest

from hub_index.errors import ConfigError
from hub_index.hub.labels.labels import parse_labelled
from hub_index.search.answer.explain import make_snippet
from hub_index.search.lexical.spelling import is_within_two_edits, one_edit
from hub_index.search.measure.evaluate import Answer, evaluate
from hub_index.search.measure.query_times import summarize_times

_QUERIES = (
    '{"qid": "1", "text": "one", "lang": "en"}\n{"qid": "2", "text": "two", "lang": "zh"}\n{"qid": "3", "text": "x"}\n'
)
_QRELS = "1\ta\t1\n2\tb\t1\n2\tc\t1\n3\td\t0\n"


def test_measures_of_known_answers() -> None:
    """First place is worth 1, second 1/log2(3); half of the relevant found is half the recall."""
    answers = {"one": Answer((("a",), ("z",)), is_strong=True), "two": Answer((("z",), ("b",)), is_strong=True)}
    found = evaluate(parse_labelled(_QUERIES, _QRELS), answers.__getitem__)
    assert found.all.n == 2
    assert found.by_lang["en"].means == {"ndcg10": 1.0, "hit1": 1.0, "recall5": 1.0, "mrr": 1.0}
    assert found.by_lang["zh"].means == pytest.approx(
        {"ndcg10": (1 / log2(3)) / (1 + 1 / log2(3)), "hit1": 0.0, "recall5": 0.5, "mrr": 0.5}
    )
    assert found.all.means["hit1"] == 0.5
    assert found.all.errors["hit1"] == pytest.approx(0.5)
    encoded = found.encode()
    assert set(encoded) == {"all", "by_lang", "label", "queries", "nothing"}


@pytest.mark.parametrize(
    ("queries", "qrels", "where"),
    [("{", _QRELS, "queries, line 1"), (_QUERIES, "1 a", "qrels, line 1"), (_QUERIES, "9\ta\t1\n", "qids")],
)
def test_a_broken_file_is_named(queries: str, qrels: str, where: str) -> None:
    """The message says which file and line."""
    with pytest.raises(ConfigError, match=where):
        parse_labelled(queries, qrels)


def test_percentiles_are_times_that_occurred() -> None:
    """p50 and p99 of one to a hundred."""
    found = summarize_times([float(n) for n in range(100, 0, -1)])
    assert (found.n, found.p50, found.p95, found.p99) == (100, 51.0, 96.0, 100.0)


def test_edits() -> None:
    """The four kinds of typos, and two at once."""
    assert {"databse", "datbaase", "databasex", "xatabase"} <= one_edit("database")
    assert is_within_two_edits("kubernets", "kubernetes")
    assert is_within_two_edits("kuebrntes", "kubernetes")
    assert not is_within_two_edits("kubernetes", "cybernetic")


def test_a_snippet_is_cut_around_the_match() -> None:
    """A long text is shown where it matches, with both ends marked, and the places are right."""
    text = "filler " * 100 + "the needle is here " + "filler " * 100
    found = make_snippet({"description": text}, {"needl"})
    assert (found.text[0], found.text[-1]) == ("…", "…")
    assert [found.text[start:end] for start, end in found.highlights] == ["needle"]
    assert len(found.text) <= 165


def test_a_chinese_snippet_marks_whole_words() -> None:
    """Neighbouring pairs are one highlight."""
    found = make_snippet({"description": "本工具用于数据库优化。"}, {"数据", "据库"})
    assert [found.text[start:end] for start, end in found.highlights] == ["数据库"]


def test_without_a_match_the_description_begins() -> None:
    """A semantic hit has something to show too."""
    found = make_snippet({"description": "Some words.", "body": "Other words."}, {"absent"})
    assert (found.field, found.text, found.highlights) == ("description", "Some words.", ())
