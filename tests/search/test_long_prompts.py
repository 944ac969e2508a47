"""Long prompts: what was pasted, what is a sentence of its own, and names that a query spells out."""

import numpy as np
import pytest
from support.searches.search_world import make_document

from hub_index.search.lexical.build import write_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.matching import plan_query
from hub_index.search.lexical.paste import count_prompt_terms, request_part
from hub_index.search.options import SearchOptions
from hub_index.search.query.sentences import MAX_SENTENCES, split_sentences
from hub_index.search.ranking.engine import Engine, spells_out
from hub_index.search.semantic.semantic import VectorScan, join_vectors
from hub_index.search.words.tokens import tokenize

_REQUEST = "Our nightly export stopped working last week, please find out which change broke the invoice totals."
_TRACEBACK = """Traceback (most recent call last):
  File "/srv/billing/kubernetes/rollout.py", line 31, in deploy_all
    raise DeployError("helm chart upgrade refused")
DeployError: the customer list is empty
"""
_CODE = "def total(rows):\n    return sum(row['price'] * row['qty'] for row in rows if row['kind'] != 'void')\n"


@pytest.mark.parametrize(
    "prompt",
    [
        f"{_REQUEST}\n```python\n{_CODE}```\n",
        f"{_REQUEST}\n```python\n{_CODE}",  # a fence that nobody closed
        f"{_REQUEST}\nsrc/billing/export_job.py:41: ValueError: row['qty'] = None\n/var/log/export.1.log:9 exit=1\n",
    ],
)
def test_what_was_pasted_is_not_the_request(prompt: str) -> None:
    """Fenced code, paths and logs; the words of the request keep their whole weight."""
    assert request_part(prompt * 2).strip().startswith(_REQUEST)
    counts = count_prompt_terms(prompt * 2, request_part(prompt * 2))
    assert counts["invoic"] >= 1
    assert counts[tokenize("qty")[0]] < 1


@pytest.mark.parametrize("syntax", ["", "lang:en ", "since:2026 -draft ", "A AND B "])
def test_a_pasted_traceback_is_not_the_request(syntax: str) -> None:
    """Quotes, signs and filters leave its lines apart; only its last line, which says what is wrong, counts whole."""
    documents = [make_document("a", "a", "skills/a", f"{_REQUEST} {_TRACEBACK}")]
    counts = plan_query(LexicalIndex(write_lexical(documents, None)), f"{syntax}{_REQUEST}\n{_TRACEBACK}").counts
    pasted = {token for token, times in counts.items() if times < 1}
    assert pasted >= {*tokenize("traceback recent kubernetes rollout line raise helm chart upgrade refused")}
    assert pasted.isdisjoint(tokenize("nightly export invoice totals customer list empty"))
    assert counts.keys().isdisjoint({"lang", "2026"})


def test_quotes_in_what_was_pasted_are_not_phrases() -> None:
    """A string of pasted code earns nothing for its words side by side; one that the request quotes does."""
    documents = [
        make_document("side", "side", "skills/side", "Runs srv billing kubernetes rollout py."),
        make_document("apart", "apart", "skills/apart", "Runs py rollout kubernetes billing srv."),
    ]
    index = LexicalIndex(write_lexical(documents, None))
    asked, pasted = _REQUEST.replace("export", '"srv billing kubernetes rollout py"'), f"{_REQUEST}\n{_TRACEBACK}"
    for prompt, expected in ((f"{asked}\n{_CODE}", 2), (f"{pasted}{_CODE}", 1)):
        found = index.score_rows(plan_query(index, prompt).scoring, [0, 1])
        assert len({round(candidate.lexical, 4) for candidate in found}) == expected


@pytest.mark.parametrize("text", ["x = foo(bar)", _CODE * 4, "请检查这段代码的性能问题。" * 30])
def test_where_nothing_else_is_there_the_whole_is_the_request(text: str) -> None:
    """Short queries, prompts of code alone, and prose of other scripts."""
    assert request_part(text) == text


def test_a_long_prompt_has_sentences() -> None:
    """By full stops, line feeds and Chinese stops; a version number ends none, and a short query has none."""
    assert split_sentences("Make slides. Then send them.") == []
    prompt = (
        f"{_REQUEST} Then upgrade to version 2.1 of the library.\n这是一个足够长的中文句子，请翻译它。谢谢！" + "x" * 90
    )
    assert split_sentences(prompt)[:3] == [
        _REQUEST,
        "Then upgrade to version 2.1 of the library.",
        "这是一个足够长的中文句子，请翻译它。",
    ]
    assert len(split_sentences("This is one of many sentences. " * 50)) == MAX_SENTENCES


def test_the_nearest_sentence_counts_beside_the_whole() -> None:
    """Three tenths and seven, in the scan and for single rows alike."""
    scan = VectorScan(np.eye(3, dtype=np.float32))
    query = join_vectors([np.array(v, dtype=np.float32) for v in ([0.6, 0.8, 0], [0, 0, 1], [0, 0.6, 0.8])])
    assert scan.cosines(query, [0, 1, 2]) == pytest.approx([0.42, 0.74, 0.3])
    assert [row for row, _ in scan.nearest(query, 3)] == [1, 0, 2]


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("make a mobile app for my shop", "mobile-app", True),
        ("an app that also runs on mobile", "mobile-app", False),
        ("log in with OAuth", "OAuth", False),
        ("our brand", "brand", False),
        ("数据库备份", "数据库", True),
    ],
)
def test_a_name_is_spelled_out_by_words_side_by_side(query: str, name: str, expected: bool) -> None:
    """Two words or more; one everyday word, however many tokens it has, is not a name that somebody means."""
    assert spells_out(tokenize(query), name) is expected


def test_a_description_that_repeats_a_word_does_not_stand_first_for_it() -> None:
    """Nor a name or keywords: the fourth time says nothing new, and makes the field longer."""
    documents = [
        make_document("good", "invoice-maker", "skills/good", "Makes an invoice from a list of hours."),
        make_document("spam", "best-tool", "skills/spam", "invoice " * 1000),
        *[make_document(f"x{n}", f"x{n}", f"skills/x{n}", "Other things that a hub may hold.") for n in range(9)],
    ]
    engine = Engine(LexicalIndex(write_lexical(documents, None)))
    first = engine.search_keyword(engine.plan_query("invoice"), SearchOptions("", 5)).candidates[0]
    assert engine.lexical.read_record(first.address).id == "good"
