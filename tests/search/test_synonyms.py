"""Words that people use for one thing: the table, and how its spellings are weighed."""

from collections import Counter
from pathlib import Path

import pytest
import tantivy
from support.searches.search_world import make_document

from hub_index.search.lexical import synonyms
from hub_index.search.lexical.build import write_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.synonyms import MAX_FORM_WORDS, find_concepts, read_forms
from hub_index.search.options import SearchOptions
from hub_index.search.ranking.engine import Engine
from hub_index.search.words.tokens import split_words, tokenize


@pytest.fixture(scope="module")
def index() -> LexicalIndex:
    """Two skills that say Kubernetes, one of them both ways, and some others."""
    documents = [
        make_document("long", "pods", "skills/long", "Heals pods of kubernetes"),
        make_document("both", "pods", "skills/both", "Heals pods of kubernetes, k8s for short"),
        *[make_document(f"o{n}", "x", f"skills/o{n}", f"Matter {n}") for n in range(8)],
    ]
    return LexicalIndex(write_lexical(documents, None))


def test_the_table_of_spellings_is_well_formed() -> None:
    """No form stands in two groups; each group has two forms or more, none too long, and each has a word to search."""
    table = Path(synonyms.__file__).with_name("synonyms.txt").read_text("utf-8").strip().split("\n")
    groups = [[line.partition(" -> ")[0]] if " -> " in line else line.split(", ") for line in table]
    forms = Counter([form for group in groups for form in group])
    assert [form for form, count in forms.items() if count > 1] == []
    assert all(len(group) > 1 or " -> " in line for group, line in zip(groups, table, strict=True))
    assert all(form == form.strip().lower() and len(split_words(form)) <= MAX_FORM_WORDS for form in forms)
    assert all(map(tokenize, read_forms()))


def test_a_document_gets_the_best_of_the_spellings(index: LexicalIndex) -> None:
    """Not their sum: a text is not better for using two words for one thing."""
    engine = Engine(index)
    found = engine.search_keyword(engine.plan_query("kubernetes"), SearchOptions("", 9, fold=False)).candidates
    scores = {index.read_record(candidate.address).id: candidate.score for candidate in found}
    word = tantivy.Query.boolean_query([(tantivy.Occur.Should, c) for c in index.clauses_of("kubernet", 1.0)])
    alone = {index.read_record(candidate.address).id: candidate.lexical for candidate in index.search(word, 9)}
    assert scores == alone
    assert set(alone) == {"long", "both"}


def test_a_plural_and_a_form_of_several_words_are_known(index: LexicalIndex) -> None:
    """`k8s` for `kubernetes`; a file's name is no word."""
    assert [concept.said for concept in find_concepts(index, "heal k8s pods", {"k8s": 1.0})] == ["k8s"]
    assert find_concepts(index, "heal k8s.py", {"k8s": 1.0}) == []
