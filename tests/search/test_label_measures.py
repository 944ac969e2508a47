"""Queries that nothing fits, near copies in judgements, and how far the label can be relied on."""

import json
from pathlib import Path

import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SKILLS, SearchWorld, make_world

from hub_index.errors import ConfigError
from hub_index.hub.labels.labels import keep_labels, parse_labelled
from hub_index.index.reporting.report import QualityChange
from hub_index.search.measure.evaluate import Answer, ask, evaluate

_QUERIES = (
    '{"qid": "1", "text": "one"}\n{"qid": "2", "text": "two"}\n{"qid": "n1", "text": "go on", "nothing": true}\n'
    '{"qid": "n2", "text": "thanks", "nothing": true}\n{"qid": "5", "text": "unlabelled"}\n'
)
_QRELS = "1\ta\t1\n2\tb\t1\n2\tc\t1\n"


def test_queries_that_say_nothing_fits_are_kept_apart() -> None:
    """They need no line in qrels and survive any change of the hub; an unlabelled query is left out as before."""
    labelled = parse_labelled(_QUERIES, _QRELS)
    assert [(query.qid, query.is_nothing) for query in labelled] == [
        ("1", False),
        ("2", False),
        ("n1", True),
        ("n2", True),
    ]
    assert [query.qid for query in keep_labels(labelled, {"a"})] == ["1", "n1", "n2"]


@pytest.mark.parametrize(
    ("query", "qrels", "message"),
    [
        ('{"qid": "1", "text": "x", "nothing": "yes"}', "1\ta\t1\n", "queries, line 1: write an object with qid, text"),
        (
            '{"qid": "1", "text": "x", "nothing": true}',
            "1\ta\t1\n",
            "queries, line 1: nothing fits .*, and qrels names",
        ),
    ],
)
def test_a_wrong_or_contradicting_query_is_named(query: str, qrels: str, message: str) -> None:
    """`nothing` is true or false, and a query that nothing fits has no skill."""
    with pytest.raises(ConfigError, match=message):
        parse_labelled(query, qrels)


def test_a_folded_copy_of_the_labelled_skill_counts_as_it() -> None:
    """At the place of its hit; two labelled skills that are one hit are one answer."""
    labelled = parse_labelled(_QUERIES, _QRELS)
    answers: dict[str, tuple[tuple[str, ...], ...]] = {"one": (("z",), ("y", "a")), "two": (("x", "b", "c"),)}
    found = evaluate(labelled, lambda text: Answer(answers.get(text, ()), is_strong=True))
    one, two = found.queries
    assert (one.measures["hit1"], one.measures["mrr"], one.first) == (0.0, 0.5, "z")
    assert two.measures == {"ndcg10": 1.0, "hit1": 1.0, "recall5": 1.0, "mrr": 1.0}


def test_precision_and_recall_of_the_label() -> None:
    """Of the first hits called strong those that are right, and of the right first hits those called strong."""
    strong = {"one": True, "two": False, "go on": True, "thanks": False}
    found = evaluate(
        parse_labelled(_QUERIES, _QRELS), lambda text: Answer((("a",) if text == "one" else ("b",),), strong[text])
    )
    assert found.all.n == 2
    assert found.label.encode() == {
        "strong": 2,
        "right": 2,
        "strong_and_right": 1,
        "precision": 0.5,
        "recall": 0.5,
        "nothing_fits": 2,
        "nothing_fits_strong": 1,
    }
    assert [entry["qid"] for entry in found.encode()["nothing"]] == ["n1", "n2"]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub with a skill and its copy."""
    about = "Remove the signs of machine writing from a text, so that it reads as if a person wrote it by hand."
    return make_world(tmp_path_factory.mktemp("world"), SKILLS | {f"{team}/human": (about, "") for team in "ab"})


def test_ask_says_what_each_hit_stands_for_and_whether_the_first_is_strong(world: SearchWorld) -> None:
    """An answer without hits is not strong."""
    with world.open() as index:
        found, nothing = ask(index, "a/human", "keyword"), ask(index, "zzz", "keyword")
    assert (found.places[0], found.is_strong) == (("a/human", "b/human"), True)
    assert (nothing.places, nothing.is_strong) == ((), False)


def test_eval_prints_the_label(world: SearchWorld, tmp_path: Path) -> None:
    """In words and as JSON; a comparison of two runs goes on as before."""
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "q.tsv"
    queries.write_text('{"qid": "1", "text": "a/human"}\n{"qid": "n", "text": "zzz", "nothing": true}\n')
    qrels.write_text("1\tb/human\t1\n")
    command = ("eval", "--mode", "keyword", "--queries", str(queries), "--qrels", str(qrels), "--hub", str(world.hub))
    environment = {"HUB_INDEX_CACHE": str(world.cache), "AXON_HOME": str(world.home)}
    told = hub_index_here(*command, env=environment)
    printed = json.loads(hub_index_here(*command, "--json", env=environment).out)
    assert "1 of 1 right first hits called strong (recall 1.0000)" in told.out
    assert "1 of 1 first hits called strong are right (precision 1.0000)" in told.out
    assert "nothing fits 1 question: 0 called strong" in told.out
    assert printed["all"]["ndcg10"] == 1.0
    assert (printed["label"]["precision"], printed["label"]["nothing_fits_strong"]) == (1.0, 0)
    assert printed["nothing"] == [{"qid": "n", "strong": False, "first": ""}]
    before = tmp_path / "before.json"
    before.write_text(json.dumps(printed))
    assert "could be chance" in hub_index_here(*command, "--against", str(before), env=environment).out


def test_the_gate_says_how_many_questions_nothing_fits() -> None:
    """Beside the mean, which counts a strong first hit for them as a miss."""
    assert QualityChange(4, 80.0, 75.0, 1.0, nothing=1).sentence().endswith("4 questions, of which nothing fits 1)")
