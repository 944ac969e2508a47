"""The lexical score, against the formula written out by hand."""

from collections import Counter
from math import log

import pytest
from support.searches.search_world import make_document

from hub_index.search.lexical.build import LexicalDocument, write_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.options import SearchOptions
from hub_index.search.ranking.engine import Engine
from hub_index.search.words.tokens import tokenize

_DOCUMENTS = [
    make_document("a", "invoice tool", "skills/a", "Reads an invoice and an invoice again", body="invoice total"),
    make_document("b", "totals", "skills/b", "Sums numbers of an invoice", keywords=("money", "total")),
    make_document("c", "weather", "skills/c", "Says whether it rains", body="rain rain sun"),
    make_document("d", "票据", "skills/d", "识别发票并汇总金额", body="发票"),
    make_document("e", "english", "skills/e", "All English here", body="发票 发票 发票"),
]
_WEIGHTS = {"name": 1.0, "description": 1.0, "keywords": 0.5, "body": 0.6}


def open_documents(documents: list[LexicalDocument]) -> LexicalIndex:
    """A lexical index in memory."""
    return LexicalIndex(write_lexical(documents, None))


def keyword(index: LexicalIndex, query: str, k: int = 10) -> list[tuple[str, float]]:
    """(id, score) of the best documents."""
    engine = Engine(index)
    answer = engine.search_keyword(engine.plan_query(query), SearchOptions("", k, fold=False))
    return [(index.read_record(candidate.address).id, candidate.score) for candidate in answer.candidates]


def test_the_score_is_the_published_formula() -> None:
    """tantivy with our boosts gives the sum over fields that the documentation promises."""
    query = "invoice total total"
    both = [make_document(f"f{n}", "paper", f"skills/f{n}", "Files it", body="invoice total") for n in range(2)]
    documents = [*_DOCUMENTS, *both]  # four skills hold each word, so that none is a lone rare one
    fields = {
        "name": [tokenize(document.record.name) for document in documents],
        "description": [tokenize(document.record.description) for document in documents],
        "keywords": [tokenize(" ".join(document.record.keywords)) for document in documents],
        "body": [tokenize(document.body) for document in documents],
    }
    expected: dict[str, float] = {}
    for row, document in enumerate(documents):
        score = 0.0
        for token, times in Counter(tokenize(query)).items():
            known = sum(any(token in fields[f][r] for f in fields) for r in range(len(documents)))
            idf = log(1 + (len(documents) - known + 0.5) / (known + 0.5))
            for field, weight in _WEIGHTS.items():
                count = fields[field][row].count(token)
                average = sum(map(len, fields[field])) / len(documents)
                norm = 1.2 * (0.25 + 0.75 * len(fields[field][row]) / average) if average else 0
                score += 1.5 * times / (times + 0.5) * idf * weight * count * 2.2 / (count + norm) if count else 0
        expected |= {document.record.id: score} if score else {}
    found = dict(keyword(open_documents(documents), query))
    assert found == pytest.approx(expected, rel=1e-5)


def test_chinese_in_an_english_body_does_not_win() -> None:
    """A Chinese word in the body of an English skill counts for less than in a Chinese skill."""
    assert [id_ for id_, _ in keyword(open_documents(_DOCUMENTS), "发票")] == ["d", "e"]


def test_equal_documents_come_in_the_order_of_their_ids() -> None:
    """Ties go by id, at any depth."""
    twins = [make_document(f"skill-{n:03}", "twin", f"skills/{n}", "The same text") for n in range(300)]
    found = keyword(open_documents(twins), "twin text", 50)
    assert [id_ for id_, _ in found] == sorted(id_ for id_, _ in found)
    assert found[0][0] == "skill-000"


@pytest.mark.parametrize("query", ["db advisor", "DB-Advisor", "dbadvisor", "ann/db-advisor", "Database Adviser"])
def test_a_name_or_id_comes_first_in_any_spelling(query: str) -> None:
    """Case and hyphens do not matter for an exact match."""
    documents = [
        make_document("a-db", "db advisor db advisor db", "skills/a-db", "db advisor " * 5),
        make_document("ann/db-advisor", "database-adviser", "skills/ann/db-advisor", "Nothing of the kind"),
        make_document("db-advisor", "db-advisor", "skills/db-advisor", "Something else"),
        make_document("dbadvisor", "x", "skills/dbadvisor", "x"),
    ]
    first = keyword(open_documents(documents), query)[0][0]
    assert first == ("ann/db-advisor" if "/" in query or " A" in query else first)
    assert first != "a-db"


def test_a_text_that_is_an_id_is_never_taken_for_syntax() -> None:
    """Skills may be called -21risk or AND."""
    documents = [
        make_document("-risk", "-risk", "skills/-risk", "Counts what can be lost"),
        make_document("other", "other", "skills/other", "All the rest"),
    ]
    assert [id_ for id_, _ in keyword(open_documents(documents), "-risk")] == ["-risk"]


def test_a_general_word_counts_little_in_bodies_and_fully_elsewhere() -> None:
    """What every long text holds says little; in a description it is meant."""
    documents = [make_document("c", "finder", "skills/c", "A specific one")]
    for n in range(4):  # of fewer a skill would have the whole weight of a lone rare word
        documents.append(make_document(f"a{n}", "ledger", f"skills/a{n}", "Keeps accounts", body="specific"))
        documents.append(make_document(f"b{n}", "kettle", f"skills/b{n}", "Boils water", body="teapot"))
    index = open_documents(documents)
    found = dict(keyword(index, "specific"))
    in_body = dict(keyword(index, "teapot"))["b0"] * log(1 + 4.5 / 5.5) / log(1 + 5.5 / 4.5)  # where five hold it
    assert found["a0"] == pytest.approx(0.3 * in_body, rel=1e-5)
    assert found["c"] > in_body
