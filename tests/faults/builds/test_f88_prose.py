"""A sentence is text: operators are for short queries that are written as queries."""

import pytest
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.search.query.query import parse_query

_SENTENCES = [
    "pprof -alloc_space shows hundreds of megabytes",
    "pprof -alloc_space shows …",
    "go test -count=1.",
    "notify BOTH PagerDuty AND Slack",
    "I want to compare benchmarks, but benchstat complains about the samples when I use -count and -race",
    "The computation should NOT start until I trigger it",
    "what is the difference between `pprof -base` and `pprof -diff_base`",
    "Shell completions, flags, AND a file of settings. Which library?",
    "run the tests with +race -short on every machine of the team",
    "The image is called tag:latest and the name:web of the service is wrong in production",
    "请帮我把数据库的慢查询日志整理成一份报告 -mysql",
    "first line +must\nsecond line",
]
_QUERIES = [
    ("+postgres -mysql", 1, 1),
    ('+postgres -mysql "slow query" tag:database since:2026-01-01', 2, 1),
    ("pdf AND ocr", 1, 0),
    ("a AND b AND c AND d AND e AND f AND g AND h", 1, 0),
    ("IT AND security", 1, 0),
    ("slides NOT pptx", 0, 1),
    ("how do I tune slow queries +postgres", 1, 0),
    ("数据库 -mysql", 0, 1),
    ('name:"two words" tag:post*', 2, 0),
]


@pytest.mark.parametrize("text", _SENTENCES)
def test_f88_nothing_in_a_sentence_demands_or_excludes(text: str) -> None:
    """All of it scores, and it is embedded as it stands."""
    parsed = parse_query(text)
    assert not parsed.is_restricted
    assert not any(item.is_prefix or item.field for item in parsed.items)
    assert parsed.semantic_text == text
    assert " ".join(item.text for item in parsed.items) == " ".join(text.split())


@pytest.mark.parametrize(("text", "demands", "exclusions"), _QUERIES)
def test_f88_a_short_query_keeps_its_syntax(text: str, demands: int, exclusions: int) -> None:
    """What --help describes goes on meaning what it says."""
    parsed = parse_query(text)
    assert (len(parsed.required), len(parsed.excluded)) == (demands, exclusions)
    assert parsed.notices == ()


def test_f88_a_sentence_may_end_in_filters() -> None:
    """No prose says lang:zh, so a filter filters wherever it stands, and is not embedded."""
    parsed = parse_query("我想制作一个ppt，哪些skill可用？ 需要适合公众演讲的模板 lang:zh")
    assert [item.text for group in parsed.filters for items in group for item in items] == ["zh"]
    assert "lang" not in parsed.semantic_text


@pytest.mark.parametrize(
    ("text", "words"),
    [("it should NOT start.", "NOT"), ("use +must, please.", "+must"), ("pprof -alloc_space", "-alloc")],
)
def test_f88_a_user_hears_what_was_taken_as_text(text: str, words: str) -> None:
    """Whoever did mean syntax learns why it had no effect."""
    assert len(parse_query(text).notices) == 1
    assert words in parse_query(text).notices[0]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A small hub."""
    return make_world(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_f88_every_mode_finds_what_the_sentence_names(world: SearchWorld, mode: str) -> None:
    """A word behind a dash is not taken away from the answer."""
    text = "The server must answer in JSON, but go test -server=http says that it should NOT listen on a port."
    assert ids(world.open().search(text, 1, mode).hits) == ["go-server"]
