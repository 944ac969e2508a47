"""The page's query syntax is the command line's: the same meaning of every query, and the same answers to it."""

from pathlib import Path
from typing import Any

import pytest
from support.models.lent_dictionary import lend_dictionary
from support.pages.page_engine import call_engine, needs_node

from hub_index.search import open_index
from hub_index.search.query.parsed_query import Item, ParsedQuery
from hub_index.search.query.query import parse_query

pytestmark = needs_node

_PROJECT = Path(__file__).resolve().parents[2]
_QUERIES = [
    "database",
    "+database query",
    "query -postgres",
    "slow AND query",
    "slides OR database",
    "query NOT database NOT test",
    '"pull request"',
    'review "pull request" quickly',
    '"request pull"',
    "“数据库”",
    "「演示」 OR pdf",
    "+“数据 库",
    "data*",
    "name:sql",
    "tag:database",
    "name:d* -tag:test",
    "path:skills",
    "path:irregular review",
    "PATH:skills/data*",
    "lang:zh",
    "lang:zh-CN test",
    "lang:zh OR lang:en review",
    "lang:english",
    'lang:"zh"',
    "since:2020 database",
    "since:2026-02-30",
    "since:2024-02-29 -lang:zh",
    "NOT lang:zh",
    "review NOT since:2030",
    "-secret-scan",
    "go test -count=1",
    "-5 --flag -> - + *",
    "AND OR NOT",
    "database AND",
    "NOT",
    "we must NOT delete the table when the user asks BOTH for a key AND for a password.",
    "请帮我把这个数据库的慢查询日志分析一下 -test",
    "`code` -block",
    'lang:en Review this.\n  File "a/b.py", line 3\nDone',
    "databse",
    "databse prformance",
    "prsentation",
    "ppt",
    "postgress tunning lang:en",
    '"no such phrase anywhere" ',
    '"no such phrase" lang:zh',
    "the of and",
    "+the query",
    "PowerPoint",
    '"PowerPoint slides"',
    "a:b tag: name:",
    "　全角　空格　",
    " ".join(f"+word{number}" for number in range(40)),
    " ".join(f"{letter}*" for letter in "abcdefghijk"),
    "x" * 9_000,
]


def _item(item: Item) -> dict[str, Any]:
    names = {"is_phrase": "isPhrase", "is_prefix": "isPrefix"}
    fields = ("text", "field", "sign", "is_phrase", "is_prefix", "written")
    return {names.get(field, field): getattr(item, field) for field in fields}


def _shape(parsed: ParsedQuery) -> dict[str, Any]:
    """A parsed query as the page's script writes it."""
    return {
        "text": parsed.text,
        "semanticText": parsed.semantic_text,
        "items": [_item(item) for item in parsed.items],
        "required": [[[_item(item) for item in items] for items in group] for group in parsed.required],
        "excluded": [_item(item) for item in parsed.excluded],
        "filters": [[[_item(item) for item in items] for items in group] for group in parsed.filters],
        "words": parsed.words,
        "notices": list(parsed.notices),
        "isLonePhrase": parsed.is_lone_phrase,
        "isPlain": parsed.is_plain,
    }


def test_every_query_means_the_same(example_site: Path) -> None:
    """Items, groups, exclusions, filters and notices are equal, word for word."""
    (found,) = call_engine(example_site, ("parse", _QUERIES))
    for query, parsed in zip(_QUERIES, found, strict=True):
        assert parsed == _shape(parse_query(query)), query[:80]


def test_every_query_has_the_same_answer(example_site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same hits in the same order with the same label, the same notices' number and the same offer of a word."""
    cache = tmp_path_factory.mktemp("cache")
    lend_dictionary(cache)
    index = open_index(_PROJECT / "artifacts", _PROJECT / "examples/hub", cache_dir=cache)
    calls = [("search", {"text": text, "mode": "keyword", "filters": {}, "k": 10}) for text in _QUERIES]
    for query, answer in zip(_QUERIES, call_engine(example_site, *calls), strict=True):
        results = index.search(query, 10, "keyword")
        assert [hit["id"] for hit in answer["hits"]] == [hit.id for hit in results], query[:80]
        scores = [hit.score for hit in results]
        assert [hit["score"] for hit in answer["hits"]] == pytest.approx(scores, rel=1e-5), query[:80]
        assert [hit["weak"] for hit in answer["hits"]] == [hit.weak for hit in results], query[:80]
        assert answer["didYouMean"] == results.did_you_mean, query[:80]


def test_the_pages_own_filters_restrict_as_the_syntax_does(example_site: Path) -> None:
    """Kind, language, tag, folder and date beside the box find what the same words in the box find."""
    pairs = [
        ({"lang": "zh"}, "lang:zh"),
        ({"path": "irregular"}, "path:irregular"),
        ({"since": "2020-01-01"}, "since:2020"),
    ]
    for filters, syntax in pairs:
        calls = [
            ("search", {"text": t, "mode": "keyword", "filters": f, "k": 50}) for t, f in (("", filters), (syntax, {}))
        ]
        beside, inside = call_engine(example_site, *calls)
        assert {hit["id"] for hit in beside["hits"]} == {hit["id"] for hit in inside["hits"]} != set()
    (commands,) = call_engine(
        example_site, ("search", {"text": "", "mode": "keyword", "filters": {"kind": "command"}, "k": 50})
    )
    assert {hit["kind"] for hit in commands["hits"]} == {"command"}
