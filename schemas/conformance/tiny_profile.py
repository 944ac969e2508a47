"""The profile `tiny` of docs/format.md in the plainest way: a character, a record and a word at a time."""

import math
import unicodedata
from typing import Any

STOP_WORDS = (
    "a an and are as at be by can do does for from how i if in is it me my of on or please that the this to use want "
    "what when where which with would you your"
).split()
_CJK = ((0x3005, 0x3007), (0x3041, 0x30FA), (0x30FC, 0x31FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0x20000, 0x3FFFF))

TOKEN_TEXTS = (
    "",
    "How do I analyze database performance?",
    "PowerPoint slides (.pptx), 2nd edition",
    "snake_case kebab-case CamelCase",
    "我想制作一个ppt，哪些skill可用",
    "数据库性能",
    "数",
    "数a据",
    "データベースの設計",
    "ガ",
    "한국어 문서",
    "Ｆｕｌｌ　ｗｉｄｔｈ ﬁne",
    "naïve café Ærø İstanbul ΟΔΟΣ STRASSE straße",
    "x² ½ ① Ⅳ 10.5",
    "हिन्दी",
    "emoji 😀 and\u200bzero width",
    "々〆ー・゛〇",
    "𠮷野家",
    "don't C++ C# .NET",
    "w" * 70,
)


def tokenize(text: str) -> list[str]:
    """The tokens of a text."""
    loose = "".join(char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char)[0] != "M")
    runs: list[tuple[str, str]] = []
    last = ""
    for char in unicodedata.normalize("NFC", loose).lower():
        kind = _kind(char)
        if kind and kind == last:
            runs[-1] = (kind, runs[-1][1] + char)
        elif kind:
            runs.append((kind, char))
        last = kind
    return [token for kind, run in runs for token in _run_tokens(kind, run)]


def keyword_scores(records: list[dict[str, Any]], query: str) -> list[float]:
    """BM25 of each record."""
    documents = [
        [
            token
            for text in (record["name"], record["description"], *record.get("keywords", []))
            for token in tokenize(text)
        ]
        for record in records
    ]
    terms = sorted(set(tokenize(query[:8192])))
    return [round(_bm25(terms, document, documents), 6) for document in documents]


def _bm25(terms: list[str], document: list[str], documents: list[list[str]]) -> float:
    score = 0.0
    mean = sum(len(other) for other in documents) / len(documents)
    for term in terms:
        times, holders = document.count(term), sum(term in other for other in documents)
        idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        if times:
            score += idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(document) / mean))
    return score


def _kind(char: str) -> str:
    if any(low <= ord(char) <= high for low, high in _CJK):
        return "cjk"
    return "word" if unicodedata.category(char)[0] in "LN" else ""


def _run_tokens(kind: str, run: str) -> list[str]:
    if kind == "word":
        return [] if run in STOP_WORDS else [run[:64]]
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
