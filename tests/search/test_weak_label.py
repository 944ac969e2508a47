"""The label of hits that probably do not fit: on the example hub, with the embedded model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.models.model_copy import model_cache
from support.searches.search_world import make_world

from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.ranking.weak_label import weak_below, weak_below_keyword

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


def test_a_short_query_in_chinese_may_be_farther_away() -> None:
    """The limit grows with the characters, from a word to a sentence."""
    limits = [weak_below("字" * count) for count in (1, 8, 10, 20, 400)]
    assert limits == sorted(limits)
    assert limits[0] == limits[1] < limits[2] < limits[3] == limits[4]


def test_chinese_is_asked_for_more_than_languages_whose_words_are_not_translated() -> None:
    """By both legs and by words alone: a translated word finds something almost everywhere."""
    chinese, japanese, korean = (
        "在数据库中查找执行缓慢的查询语句并给出建议",
        "データベースの遅いクエリを見つけて提案する",
        "데이터베이스의 느린 쿼리를 찾아서 제안해 줘",
    )
    assert weak_below(chinese) > weak_below(japanese) == weak_below(korean)
    assert weak_below_keyword(chinese) > weak_below_keyword(japanese) == weak_below_keyword(korean)
