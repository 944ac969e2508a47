"""The tokenizer and its memo against the rule in its plain words, and each document's tokens counted once."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from unicodedata import category, normalize

import pytest
from Stemmer import Stemmer

from hub_index.record import Record
from hub_index.search.lexical.build import (
    CJK_MARKER,
    CJK_TOLD_MARKER,
    FOREIGN,
    MARKER,
    REFRAIN,
    distinct_terms,
    document_terms,
)
from hub_index.search.lexical.prepared import PreparedDocument, prepare_document
from hub_index.search.words import tokens
from hub_index.search.words.stopwords import CJK_CHARACTERS, CJK_WORDS, ENGLISH
from hub_index.search.words.tokens import MAX_TOKEN_CHARS, is_cjk, tokenize

_PIECES = [
    *("PowerPoint", "XMLParser", "PDFs", "aB", "iOS", "OAuth2", "HTML5Canvas", "getURLs", "ID", "Ab", "CSVS", "s"),
    *("running", "Queries", "how", "please", "css", "bcs", "databases", "DATA", "x", "I", "2026", "0x1F", "v1.2.3"),
    *("snake_case", "__init__", "_", "a-b", "don't", "e.g.", "foo(bar)", "https://a.example/b?c=d", "```", "| - |"),
    *("Résumé", "cafe\u0301", "naïve", "ＡＰＩ", "ﬁle", "½", "…", "x²", "№5", "Ångström", "\u0301", "a\u20dd", "ñandú"),
    *("İstanbul", "DİYARBAKIR", "ıssız", "Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "ΌΣΟΣ", "Джаз", "ЁлкаИгла", "Ǆungla", "ǅ"),
    *(
        "数据库优化",
        "我的数据",
        "A股",
        "用Python写",
        "データ",
        "ﾃﾞｰﾀ",
        "데이터",
        "\u1100\u1161",
        "的",
        "𠮷野家",
        "々",
        "一个",
    ),
    *("हिन्दी", "العربية", "עברית", "ไทย", "ⅷ", "①", "𝒳y", "\u2014", "“quoted”", "don’t", "a→b", "🚀", "👩‍💻", "1️⃣"),
    *("\ud800", "a\udfffb", "\x00", "\x1f", "\x85", "\u2028", "\u00a0", "\u200b", "\ufeff", "\u00ad"),
    *("q" * 39, "q" * 40, "q" * 41, "q" * 63, "q" * 64, "q" * 65, "Ab" * 40, "数" * 90, "é" * 70, "aB" * 33),
]


def plain_tokens(text: str) -> Iterator[str]:
    """Folded, split at all that is neither letter, digit nor mark, CJK in pairs, the rest as `latin_tokens` has it."""
    loose = normalize("NFKD", text.encode("utf-8", "replace").decode())
    folded = normalize("NFC", "".join(c for c in loose if not "\u0300" <= c <= "\u036f"))
    for word in "".join(c if c.isalnum() or category(c).startswith("M") else " " for c in folded).split():
        for cjk, group in groupby(word, is_cjk):
            run = "".join(group)
            yield from pairs(run) if cjk else latin_tokens(run[:MAX_TOKEN_CHARS])


def pairs(run: str) -> Iterator[str]:
    """Neighbours without function characters and words; a character that stands alone is its own token."""
    for pair in pairwise(run) if len(run) > 1 else [tuple(run)]:
        if not CJK_CHARACTERS & set(pair) and "".join(pair) not in CJK_WORDS:
            yield "".join(pair)


def latin_tokens(word: str) -> Iterator[str]:
    """The parts at camelCase of more than one letter, and the whole; in lower case, no stop words, ASCII stemmed."""
    parts = [""]
    for at, character in enumerate(word):
        if at and character.isupper() and (not word[at - 1].isupper() or word[at + 1 : at + 2].islower()):
            parts.append("")
        parts[-1] += character
    if word.isupper() or word.istitle() or word == word.lower() or (word[-1] == "s" and word[:-1].isupper()):
        parts = [word]
    elif len(parts) > 1:
        parts = [part for part in parts if len(part) > 1] + [word]
    for part in parts:
        if part.lower() not in ENGLISH:
            yield stem(part.lower())


def stem(word: str) -> str:
    """Snowball's; of `pdfs` and the like, which it leaves alone, the s goes."""
    found: str = Stemmer("english").stemWord(word) if word.isascii() else word
    has_vowel = any(vowel in found for vowel in "aeiouy")
    return found[:-1] if word.isascii() and found.endswith("s") and len(found) > 3 and not has_vowel else found


def texts() -> list[str]:
    """Every piece alone, and pieces in a row, with and without anything between them."""
    chance = random.Random(5)
    rows = [chance.choices(_PIECES, k=30) for _ in range(200)]
    return [
        *_PIECES,
        *("".join(row[:4]) for row in rows),
        *(chance.choice((" ", "\n", "—", "_")).join(r) for r in rows),
    ]


@pytest.mark.parametrize("time", ["first", "second"])
def test_every_text_has_the_tokens_of_the_plain_rule(time: str) -> None:
    """Whether its words come for the first time or are in the memo, a text has the tokens that the rule gives it."""
    if time == "first":
        tokens._tokens_of.clear()
    for text in texts():
        assert tokenize(text) == list(plain_tokens(text)), repr(text)


def test_a_full_memo_is_emptied_and_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub with more words than the memo may hold has the same tokens."""
    monkeypatch.setattr(tokens, "_MAX_MEMO_WORDS", 3)
    tokens._tokens_of.clear()
    for text in texts():
        assert tokenize(text) == list(plain_tokens(text)), repr(text)
        assert len(tokens._tokens_of) <= 3


@pytest.mark.parametrize("size", [0, 1, 5, 40])
def test_a_document_has_each_of_its_tokens_once(size: int) -> None:
    """All that stands in name, description, keywords and body, nothing twice, tokenised just now or stored."""
    chance = random.Random(size)
    for _ in range(100):
        name, description, body = (" ".join(chance.choices(_PIECES, k=size)) for _ in range(3))
        keywords = tuple(chance.choices(_PIECES, k=size // 5))
        made = prepare_document(Record("id", "p", name, description, keywords=keywords), body)
        stored = PreparedDocument(made.record, made.tokens)
        fields = (made.name, made.description, made.keywords, made.body)
        expected = Counter({token for field in fields for token in field.split()})
        assert Counter(made.distinct.split()) == expected
        assert Counter(stored.distinct.split()) == expected


def test_the_terms_of_a_document_as_sets_are_those_in_order() -> None:
    """Each field's terms once, with the marks of CJK in a foreign body and of a word that is said too often."""
    chance = random.Random(8)
    marked: set[str] = set()
    for _ in range(300):
        name, description, body = (" ".join(chance.choices(_PIECES, k=size)) for size in (3, 12, 30))
        record = Record("an/Id", "p/Path", name, f"{description} again again again again", lang="zh-CN")
        document = prepare_document(record.replace(name="plain") if chance.random() < 0.5 else record, body)
        terms = {field: set(found) for field, found in document_terms(document).items()}
        assert distinct_terms(document) == terms
        marked |= {term for term in terms["body"] | terms["all"] | terms["description"] if not term[0].isalnum()}
    assert marked >= {FOREIGN + "数据", REFRAIN, MARKER, CJK_MARKER, CJK_TOLD_MARKER}
