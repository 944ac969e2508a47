"""Text → tokens."""

import pytest

from hub_index.search.words.tokens import MAX_TOKEN_CHARS, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("PowerPoint", ["power", "point", "powerpoint"]),
        ("XMLParser", ["xml", "parser", "xmlparser"]),
        ("snake_case-word.py", ["snake", "case", "word", "py"]),
        ("PDFs and pdfs", ["pdf", "pdf"]),
        ("Running queries", ["run", "queri"]),
        ("how do I use it please?", []),
        ("Go", ["go"]),
        ("python3 OAuth2", ["python3", "auth2", "oauth2"]),
        ("Résumé ＡＰＩ ﬁle", ["resum", "api", "file"]),
        ("数据库优化", ["数据", "据库", "库优", "优化"]),
        ("我的数据", ["数据"]),
        ("A股 用Python写", ["股", "用", "python", "写"]),
        ("データ ベース", ["デー", "ータ", "ベー", "ース"]),
        ("데이터", ["데이", "이터"]),
        ("हिन्दी", ["हिन्दी"]),
        ("", []),
        ("!!! --- \x00\u200b", []),
    ],
)
def test_a_text_has_these_tokens(text: str, tokens: list[str]) -> None:
    """Words are split, folded, stemmed and freed of stop words; CJK comes in pairs."""
    assert tokenize(text) == tokens


def test_a_very_long_word_is_cut_and_found_again() -> None:
    """A word of any length gives one token of bounded length, the same each time."""
    token = tokenize("q" * 10_000)
    assert len(token[0]) <= MAX_TOKEN_CHARS
    assert token == tokenize("q" * 10_000)


def test_decomposed_and_composed_spellings_are_one() -> None:
    """A text gives the same tokens in every normal form."""
    assert tokenize("cafe\u0301 가") == tokenize("caf\u00e9 \u1100\u1161")
