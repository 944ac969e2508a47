"""Query text → meaning."""

import pytest

from hub_index.search.query import MAX_QUERY_CHARS, parse_query


def shape(text: str) -> tuple[list[str], list[list[list[str]]], list[str]]:
    """What scores, what is demanded and what is excluded, as texts."""
    parsed = parse_query(text)
    required = [[[item.text for item in items] for items in group] for group in parsed.required]
    return [item.text for item in parsed.items], required, [item.text for item in parsed.excluded]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", (["plain", "words"], [], [])),
        ("+must have", (["must", "have"], [[["must"]]], [])),
        ("have -not", (["have"], [], ["not"])),
        ('"slow query"', (["slow query"], [[["slow query"]]], [])),
        ('find "slow query"', (["find", "slow query"], [], [])),
        ('+"slow query" find', (["slow query", "find"], [[["slow query"]]], [])),
        ("a AND b OR c", (["a", "b", "c"], [[["a", "b"], ["c"]]], [])),
        ("a OR b", (["a", "b"], [], [])),
        ("a NOT b", (["a"], [], ["b"])),
        ("a AND NOT b", (["a"], [], ["b"])),
        ("name:pdf tag:office", (["pdf", "office"], [[["pdf"]], [["office"]]], [])),
        ("post*", (["post"], [], [])),
        ("“慢 查询”", (["慢 查询"], [[["慢 查询"]]], [])),
    ],
)
def test_syntax_means_this(text: str, expected: tuple[list[str], list[list[list[str]]], list[str]]) -> None:
    """Each piece of syntax has its one meaning."""
    assert shape(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'say "hello', "http://example.org", "a:b", "AND", "OR", "NOT", "a AND", "AND b", "-5 degrees", "--help me",
        "->", "* + -", "name: John", "since:yesterday", 'since:"2026-01-01', 'C++ 5"x', "lang:!", '+"open',
        'name:"open end',
    ],
)  # fmt: skip
def test_broken_syntax_is_plain_text(text: str) -> None:
    """What is not clearly syntax demands and excludes nothing, and is embedded as it stands."""
    parsed = parse_query(text)
    assert not parsed.is_restricted
    assert parsed.semantic_text == text


def test_filters_are_taken_out_of_the_text() -> None:
    """Language and date restrict the answer and are not embedded."""
    parsed = parse_query("pdf forms lang:zh since:2026-01-31")
    assert (parsed.lang, parsed.since, parsed.semantic_text) == ("zh", 20260131, "pdf forms")


def test_a_sentence_with_quotes_is_embedded_as_it_stands() -> None:
    """Only a query with signs, fields or operators is put together anew for the model."""
    assert parse_query('  what is "a query"? ').semantic_text == 'what is "a query"?'
    assert parse_query("+pdf -word forms").semantic_text == "pdf forms"


def test_a_megabyte_is_cut() -> None:
    """However long the query, only its beginning is looked at."""
    assert len(parse_query("word " * 300_000).text) <= MAX_QUERY_CHARS
