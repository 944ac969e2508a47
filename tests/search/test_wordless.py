"""Searching a big hub by meaning does not index its words, unless the query needs them."""

from pathlib import Path
from typing import Any

import pytest
from support.search_world import SearchWorld, make_world

from hub_index.search import reader
from hub_index.search.results import Results
from hub_index.search.wordless import NOTICE


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SearchWorld:
    """A hub that counts as a big one, indexed and never searched."""
    monkeypatch.setattr(reader, "MANY_RECORDS", 1)
    return make_world(tmp_path)


def ask(world: SearchWorld, query: str = "slides from an outline", **options: Any) -> Results:
    """The answer by meaning."""
    with world.open() as index:
        return index.search(query, mode="semantic", **options)


def has_words(world: SearchWorld) -> bool:
    """Whether the cache has a lexical index."""
    return (world.cache / "lexical").exists()


@pytest.mark.parametrize("options", [{}, {"k": 2}, {"diverse": True}, {"snippets": True}, {"min_score": 0.1}])
def test_plain_words_are_answered_without_a_lexical_index(world: SearchWorld, options: dict[str, Any]) -> None:
    """The same skills with the same scores as with one; only that weak hits are not marked, which is said."""
    without = ask(world, **options)
    assert not has_words(world)
    assert NOTICE in without.notices
    world.open().search("slides", mode="keyword")
    words = ask(world, **options)
    assert NOTICE not in words.notices
    assert without.hits
    assert [(hit.record, hit.score, hit.file, hit.snippet) for hit in without.hits] == [
        (hit.record, hit.score, hit.file, hit.snippet) for hit in words.hits
    ]
    assert not any(hit.weak for hit in without.hits)


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("slides -outline", {}),
        ("slides lang:en", {}),
        ('"slow queries"', {}),
        ("slides", {"explain": True}),
        ("slides", {"recency": True}),
    ],
)
def test_a_query_that_needs_words_indexes_them(world: SearchWorld, query: str, options: dict[str, Any]) -> None:
    """Syntax, filters, reasons and dates come from the lexical index."""
    answer = ask(world, query, **options)
    assert has_words(world)
    assert NOTICE not in answer.notices


def test_one_open_index_answers_in_every_mode(world: SearchWorld) -> None:
    """Without words first, then with them, then without syntax again: each answer is that of a new index."""
    with world.open() as index:
        index.search("slides", mode="semantic")
        assert not has_words(world)
        hybrid = index.search("slides", mode="hybrid")
        again = index.search("slides", mode="semantic")
    assert hybrid == world.open().search("slides", mode="hybrid")
    assert again == world.open().search("slides", mode="semantic")


def test_a_small_hub_indexes_its_words(tmp_path: Path) -> None:
    """They are tokenised in a moment, and weak hits are marked."""
    world = make_world(tmp_path)
    assert NOTICE not in ask(world).notices
    assert has_words(world)
