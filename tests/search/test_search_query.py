"""Query text → meaning."""

import pytest

from hub_index.limits import MAX_QUERY_CHARS, MAX_QUERY_DEMANDS, MAX_QUERY_PREFIXES
from hub_index.search.query.parsed_query import ParsedQuery
from hub_index.search.query.query import parse_query


def shape(text: str) -> tuple[list[str], list[list[list[str]]], list[str]]:
    """What scores, what is demanded and what is excluded, as texts."""
    parsed = parse_query(text)
    required = [[[item.text for item in items] for items in group] for group in parsed.required]
    return [item.text for item in parsed.items], required, [item.text for item in parsed.excluded]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", (["plain", "words"], [], [])),
        ("+pdf forms", (["pdf", "forms"], [[["pdf"]]], [])),
        ("pdf -forms", (["pdf"], [], ["forms"])),
        ('"slow query"', (["slow query"], [[["slow query"]]], [])),
        ('find "slow query"', (["find", "slow query"], [], [])),
        ('+"slow query" find', (["slow query", "find"], [[["slow query"]]], [])),
        ("pdf AND b OR c", (["pdf", "b", "c"], [[["pdf", "b"], ["c"]]], [])),
        ("a OR b", (["a", "b"], [], [])),
        ("a NOT b", (["a"], [], ["b"])),
        ("a AND NOT b", (["a"], [], ["b"])),
        ("name:pdf tag:office", (["pdf", "office"], [[["pdf"]], [["office"]]], [])),
        ("Name:pdf", (["pdf"], [[["pdf"]]], [])),
        ("+the forms", (["the", "forms"], [], [])),
        ("forms -the", (["forms"], [], [])),
        ("+pdf +pdf pdf", (["pdf", "pdf", "pdf"], [[["pdf"]]], [])),
        ("post*", (["post"], [], [])),
        ("post* post*", (["post"], [], [])),
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
    assert filters(parsed) == [[["since:20260131"]], [["lang:zh"]]]
    assert (parsed.required, parsed.excluded, parsed.semantic_text) == ((), (), "pdf forms")


def filters(parsed: ParsedQuery) -> list[list[list[str]]]:
    """The groups of filters, as texts."""
    return [[[f"{item.field}:{item.text}" for item in items] for items in group] for group in parsed.filters]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+lang:zh", [[["lang:zh"]]]),
        ("LANG:ZH", [[["lang:zh"]]]),
        ('lang:"zh"', [[["lang:zh"]]]),
        ("lang:zh_CN", [[["lang:zh-cn"]]]),
        ("lang:zh lang:en", [[["lang:zh"], ["lang:en"]]]),
        ("lang:zh OR lang:en", [[["lang:zh"], ["lang:en"]]]),
        ("lang:zh OR since:2026", [[["lang:zh"], ["since:20260101"]]]),
        ("since:2026-03", [[["since:20260301"]]]),
        ("since:2024-02-29", [[["since:20240229"]]]),
    ],
)
def test_a_filter_has_these_forms(text: str, expected: list[list[list[str]]]) -> None:
    """Any case, quoted or not, a year or a month alone; two languages mean either."""
    parsed = parse_query(text)
    assert (filters(parsed), parsed.items, parsed.excluded) == (expected, (), ())


@pytest.mark.parametrize("text", ["-lang:zh", "NOT lang:zh", '-lang:"zh"', "NOT +lang:zh", "NOT -lang:zh"])
def test_a_negated_filter_excludes(text: str) -> None:
    """It never becomes the filter itself."""
    parsed = parse_query(f"forms {text}")
    assert parsed.filters == ()
    assert [(item.field, item.text) for item in parsed.excluded] == [("lang", "zh")]
    assert parsed.semantic_text == "forms"


@pytest.mark.parametrize(
    "text",
    [
        "since:yesterday",
        "since:2026-13-45",
        "since:2026-02-30",
        "since:2023-02-29",
        "since:20260101",
        "lang:english",
        "-lang:!",
        'since:"last week"',
    ],
)
def test_a_filter_without_a_value_is_plain_text_and_said(text: str) -> None:
    """A user learns that a wrong filter was searched as words."""
    parsed = parse_query(text)
    assert not parsed.is_restricted
    assert parsed.semantic_text == text
    assert len(parsed.notices) == 1
    assert "searched as words" in parsed.notices[0]
    assert parse_query("2026 lang since").notices == ()


@pytest.mark.parametrize("piece", ["+w{}", "-w{}", "tag:w{}", '"w{} x"', "w{}* ", "w{} AND", "-w{}*", "lang:a{}"])
def test_a_long_query_demands_no_more_than_its_caps(piece: str) -> None:
    """Each kind of syntax is capped, what is left over is said, and no word is lost."""
    parsed = parse_query(" ".join(piece.format(chr(97 + n // 26) + chr(97 + n % 26)) for n in range(400)) + " end")
    groups = [item for group in (*parsed.required, *parsed.filters) for items in group for item in items]
    costly = [item for item in parsed.items if item.is_phrase or item.is_prefix or item.field]
    assert len(groups) + len(parsed.excluded) <= MAX_QUERY_DEMANDS
    assert len(costly) <= MAX_QUERY_DEMANDS
    assert len({item.text for item in [*groups, *parsed.excluded, *costly] if item.is_prefix}) <= MAX_QUERY_PREFIXES
    assert "too many" in parsed.notices[0]


def test_a_sentence_with_quotes_is_embedded_as_it_stands() -> None:
    """Only a query with signs, fields or operators is put together anew for the model."""
    assert parse_query('  what is "a query"? ').semantic_text == 'what is "a query"?'
    assert parse_query("+pdf -word forms").semantic_text == "pdf forms"


def test_a_megabyte_is_cut() -> None:
    """However long the query, only its beginning is looked at."""
    parsed = parse_query("word " * 300_000)
    assert len(parsed.text) <= MAX_QUERY_CHARS
    assert "longer than" in parsed.notices[0]
