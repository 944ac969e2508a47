"""The query syntax at work on an index."""

import pytest
from support.searches.search_world import make_document

from hub_index.search.lexical.build import write_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.options import SearchOptions
from hub_index.search.ranking.engine import Engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    """Six skills."""
    make = make_document
    documents = [
        make(
            "deck",
            "deck",
            "skills/deck",
            "Make PowerPoint slides",
            keywords=("office",),
            updated_at="2026-03-01T00:00Z",
        ),
        make("pg", "pg-tuning", "skills/data/pg", "PostgreSQL performance tuning", updated_at="2025-01-01T00:00:00Z"),
        make("slow", "slow-log", "skills/data/slow", "Find a slow query in the log", body="A query that is slow"),
        make("sql", "sql", "skills/sql", "Explain a query slowly", keywords=("database",)),
        make("zh", "数据库", "skills/zh", "分析慢查询日志", lang="zh", updated_at="2026-02-01T00:00:00Z"),
        make("en-zh", "notes", "skills/en-zh", "Keeps notes", body="查询日志 with slow query inside", lang="en"),
    ]
    return Engine(LexicalIndex(write_lexical(sorted(documents, key=lambda document: document.record.id), None)))


def found(engine: Engine, query: str) -> set[str]:
    """The ids that a query finds."""
    answer = engine.search_keyword(engine.plan_query(query), SearchOptions("", 20))
    return {engine.lexical.read_record(candidate.address).id for candidate in answer.candidates}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("slow query", {"slow", "sql", "en-zh"}),
        ('"slow query"', {"slow", "en-zh"}),
        ('"slow query" -notes', {"slow"}),
        ("+explain slow", {"sql"}),
        ("query -slow", {"sql"}),
        ("-deck", {"pg", "slow", "sql", "zh", "en-zh"}),  # though that is the name of a skill
        ("NOT pg-tuning", {"deck", "slow", "sql", "zh", "en-zh"}),
        ('-"slow log"', {"deck", "pg", "sql", "zh", "en-zh"}),
        ("query NOT log", {"sql", "en-zh"}),
        ("slow AND log", {"slow"}),
        ("tuning OR slides", {"pg", "deck"}),
        ("powerp*", {"deck"}),
        ("postgre*", {"pg"}),
        ("slid*", {"deck"}),
        ("name:pg", {"pg"}),
        ("name:tuning", {"pg"}),
        ("name:performance", set()),
        ("tag:office", {"deck"}),
        ("path:data", {"pg", "slow"}),
        ("path:skills/data/pg", {"pg"}),
        ("path:dat*", {"pg", "slow"}),
        ("lang:zh", {"zh"}),
        ("since:2026-01-01", {"deck", "zh"}),
        ("slides since:2026-03-02", set()),
        ("查询日志", {"zh", "en-zh"}),
        ('"查询日志"', {"zh", "en-zh"}),
        ('"日志查询"', {"zh", "en-zh"}),
        ('"powerpoint slides"', {"deck"}),
        ('"slides power"', {"deck"}),
        ("since:2026-02", {"deck", "zh"}),
        ("since:2026", {"deck", "zh"}),
        ("query NOT since:2026", {"slow", "sql", "en-zh"}),
        ("NOT since:2026", {"pg", "slow", "sql", "en-zh"}),
        ("NOT lang:zh", {"deck", "pg", "slow", "sql", "en-zh"}),
        ("查询 -lang:zh", {"en-zh"}),
        ("查询 NOT lang:zh", {"en-zh"}),
        ("查询 +lang:zh", {"zh"}),
        ("查询 AND lang:zh", {"zh"}),
        ("lang:zh lang:en", {"zh", "en-zh"}),
        ("lang:zh OR lang:en", {"zh", "en-zh"}),
        ("LANG:zh", {"zh"}),
        ('lang:"zh"', {"zh"}),
        ("lang:zh-CN", {"zh"}),
        ("+a", set()),
        ("-a", set()),
        ("name:the", set()),
        ("xyzzy -slow", set()),
        ("xyzzy lang:zh", set()),
    ],
)
def test_a_query_finds_these(engine: Engine, query: str, expected: set[str]) -> None:
    """Each piece of syntax restricts the answer as documented; a phrase that nobody says counts as its words."""
    assert found(engine, query) == expected


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("perfomance", "performance"), ("postgersql", "postgresql"), ("slidse", "slides"), ("pwoerpiont", "powerpoint")],
)
def test_a_typo_finds_the_word_that_was_meant(engine: Engine, typed: str, meant: str) -> None:
    """One typo, or two in a long word, is mended and said."""
    planned = engine.plan_query(f"{typed} please")
    assert planned.correction == f"{meant} please"
    assert found(engine, typed) == found(engine, meant)


def test_a_short_word_may_lack_its_last_letter_even_within_chinese(engine: Engine) -> None:
    """`sq` is left alone, `log` is known, and three letters are completed."""
    assert engine.plan_query("我要查dec好吗").correction == "我要查deck好吗"
    assert found(engine, "我要查dec好吗") >= {"deck"}
    assert engine.plan_query("sq").correction == ""


@pytest.mark.parametrize("typed", ["slow", "xyzzy", "slid", "数据酷", "tunxxxxg"])
def test_a_known_or_hopeless_word_is_left_alone(engine: Engine, typed: str) -> None:
    """Only unknown words that lie near a known one are mended."""
    assert engine.plan_query(typed).correction == ""


def test_a_region_is_not_another_region() -> None:
    """`zh-CN` finds what says so and what only says `zh`; `zh` finds them all."""
    documents = [make_document(tag, "x", tag, "x", lang=tag) for tag in ("en", "zh", "zh-CN", "zh-TW")]
    engine = Engine(LexicalIndex(write_lexical(documents, None)))
    assert found(engine, "lang:zh-cn") == {"zh", "zh-CN"}
    assert found(engine, "lang:zh-HK") == {"zh"}
    assert found(engine, "lang:zh") == {"zh", "zh-CN", "zh-TW"}


@pytest.mark.parametrize(
    "query", ["name:tuning", "tag:office", "path:data", "path:dat*", "postgre*", "name:pg*", "+tun*"]
)
def test_what_fields_and_prefixes_ask_for_is_no_weak_match(engine: Engine, query: str) -> None:
    """A hit that is just what the query demands is sure, and its score is measured against something."""
    planned = engine.plan_query(query)
    answer = engine.search_keyword(planned, SearchOptions("", 20))
    assert answer.candidates
    assert all(candidate.confidence == 1.0 for candidate in answer.candidates)
    assert planned.upper_bound > 0


def test_a_phrase_that_nobody_says_is_relaxed_and_said(engine: Engine) -> None:
    """The words are searched instead, and the user learns it; a phrase that is found needs no word."""
    assert engine.plan_query('"slides power"').notices == (
        'no skill holds the phrase "slides power"; its words were searched',
    )
    assert engine.plan_query('"slow query"').notices == ()


def test_a_wrong_filter_is_said_and_its_field_is_no_typo(engine: Engine) -> None:
    """`lang:` is not mended into a word of the hub."""
    matching = engine.plan_query("slog:! lang:! tuning")
    assert matching.notices == ("lang:! is not a language (en, zh, zh-CN); it was searched as words",)
    assert "lang:!" in (matching.correction or "lang:!")


def test_a_minus_that_is_read_as_part_of_a_name_is_told(engine: Engine) -> None:
    """`slow -log` spells a skill's name: that one is found, and a notice says that nothing was excluded."""
    assert "slow" in found(engine, "slow -log")
    (notice,) = engine.plan_query("slow -log").notices
    assert notice.startswith("-log was read as part of a skill's name")
    assert not engine.plan_query("slow-log").notices
    assert not engine.plan_query("query -slow").notices
