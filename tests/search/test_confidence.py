"""How sure a hit is to fit, and the label of weak hits: on the example hub, with the embedded model."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.models.model_copy import model_cache
from support.searches.search_world import make_world

from benchmarks.small_talk import make_vectors
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.ranking import small_talk
from hub_index.search.words.foreign_words import is_foreign

_PROJECT = Path(__file__).resolve().parents[2]
_OFF_TOPIC = [json.loads(line)["text"] for line in (_PROJECT / "examples/off_topic.jsonl").read_text().splitlines()]
_FITTING = {
    "how do I analyze database perf?": "db-advisor",
    "我想制作一个ppt，哪些skill可用": "yanshi-wengao",
    "缓存": "redis-cache-review",
    "播客": "podcast-notes",
    "内存泄漏": "memory-leak-hunt",
    "容器镜像瘦身": "docker-slim",
    "自行车维修": "irregular/bike-repair",
    "メモリリーク": "memory-leak-hunt",
    "면접 준비": "interview-prep",
    "Reiseplanung": "trip-planner",
    "my bike has a flat tire": "irregular/bike-repair",
    "合同": "hetong-shencha",
}


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """The published example."""
    with open_index(_PROJECT / "artifacts", _PROJECT / "examples/hub", cache_dir=model_cache()) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
@pytest.mark.parametrize("query", list(_FITTING))
def test_a_right_first_hit_is_not_weak(index: Index, query: str, mode: str) -> None:
    """In one language and across, by a sentence and by a word."""
    best = index.search(query, 1, mode)[0]
    assert (best.id, best.weak) == (_FITTING[query], False)


def test_all_right_answers_of_the_readme_are_not_weak(index: Index) -> None:
    """The tuning guide shares a single word with the question, and the Chinese skill none: both are asked for."""
    hits = {hit.id: hit.weak for hit in index.search("how do I analyze database perf?", 5)}
    right = ("db-advisor", "sql-explain", "man-chaxun", "pg-tuning")
    assert {id_: hits.get(id_) for id_ in right} == dict.fromkeys(right, False)


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_what_fits_nothing_is_called_so(index: Index, mode: str) -> None:
    """Of twenty queries that the example hub has nothing for, all hits of nearly all are weak."""
    caught = [query for query in _OFF_TOPIC if all(hit.weak for hit in index.search(query, 5, mode))]
    assert len(_OFF_TOPIC) == 20
    assert len(caught) >= 19


def test_keyword_hits_by_a_word_beside_the_point_are_weak(index: Index) -> None:
    """Words alone know less: a hit is weak where one rare word of several was found."""
    assert index.search("learn to play the guitar", 1, "keyword")[0].weak
    assert not index.search("how do I analyze database perf?", 1, "keyword")[0].weak


def test_a_filter_alone_finds_no_weak_hits(index: Index) -> None:
    """Whoever asks for all that is Chinese gets just that."""
    assert not any(hit.weak for hit in index.search("lang:zh", 5))


def test_the_cosines_of_another_model_give_no_label(tmp_path: Path) -> None:
    """Nobody has measured what they mean."""
    world = make_world(tmp_path)
    for mode in ("hybrid", "semantic"):
        assert not any(hit.weak for hit in world.open().search("breed tropical fish", 5, mode))


@pytest.mark.parametrize(
    "prompt",
    [
        "go ahead and fix that",
        "looks good, thanks!",
        "no, undo the last change",
        "rename this variable to total",
        "can you explain what you just did?",
        "add a blank line there",
        "好的，继续",
        "merci, c'est parfait",
    ],
)
def test_small_talk_makes_no_hit_strong(index: Index, prompt: str) -> None:
    """What people say between two tasks asks for no skill; these prompts are not in the table."""
    assert prompt not in Path(small_talk.PROMPTS).read_text("utf-8").splitlines()
    assert all(hit.weak for hit in index.search(prompt, 5))


def test_the_vectors_of_small_talk_are_those_of_its_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed prompt needs `python -m benchmarks.small_talk`; another machine may round a number otherwise."""
    monkeypatch.setenv("HUB_INDEX_CACHE", str(model_cache()))
    kept, made = (
        np.frombuffer(data, np.int8).astype(int) for data in (Path(small_talk.VECTORS).read_bytes(), make_vectors())
    )
    assert kept.shape == made.shape
    assert np.abs(kept - made).max() <= 1


def test_a_word_that_stands_in_one_of_three_skills_is_a_good_match(tmp_path: Path) -> None:
    """By words alone in a tiny hub, where every word is common; what no skill holds is not found."""
    world = make_world(
        tmp_path, {"bread": ("Bakes sourdough.", ""), "kite": ("Flies a kite.", ""), "tax": ("Files it.", "")}
    )
    with world.open() as tiny:
        best = tiny.search("sourdough", 1, "keyword")[0]
        assert (best.id, best.weak) == ("bread", False)
        assert len(tiny.search("harpsichord", 1, "keyword")) == 0


def test_a_corrected_word_makes_no_hit_strong(tmp_path: Path) -> None:
    """A typo's likeliest meaning must not look like what was asked for: it is offered, not asserted."""
    world = make_world(tmp_path)
    with world.open() as index:
        found = index.search("outlnie", 1, "keyword")
        assert index.search("outline", 1, "keyword")[0].weak is False
    assert (found[0].id, found[0].weak, found.did_you_mean) == ("ppt-maker", True, "outline")


@pytest.mark.parametrize(
    "query",
    [
        "make slides for a talk",
        "ppt",
        "traduire un document pour des clients",
        "como faço uma apresentação de slides",
        "revisar código de uma aplicação",
        "résumer une réunion",
    ],
)
def test_nothing_is_corrected_where_nothing_is_wrong(index: Index, query: str) -> None:
    """Neither after a strong first hit, nor a word with another spelling in the hub, nor one of another language."""
    for mode in ("hybrid", "keyword"):
        assert index.search(query, 3, mode).did_you_mean == ""


def test_a_typo_in_english_is_still_mended(index: Index) -> None:
    """The rules above take nothing away."""
    assert index.search("postgers", 3, "keyword").did_you_mean == "postgres"


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("wie mache ich eine Präsentation", True),
        ("cuando puedo viajar", True),
        ("faire une liste", True),
        ("fazer uma lista", True),
        ("make a list of tables", False),
        ("postgers tunning", False),
        ("数据库 postgers", False),
    ],
)
def test_another_language_is_known_by_its_small_words(text: str, is_other: bool) -> None:
    """Or by a letter that English has not; Chinese words beside English ones say nothing of these."""
    assert is_foreign(text) is is_other
