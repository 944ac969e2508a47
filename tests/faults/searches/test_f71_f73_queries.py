"""Ties, hostile queries, and how many results."""

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.errors import ConfigError
from hub_index.search.index import Index
from hub_index.search.semantic.semantic import VectorScan


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A small hub."""
    return make_world(tmp_path_factory.mktemp("world"))


def test_f71_equal_rows_come_in_order_whatever_k() -> None:
    """Rows that tie at the cut are chosen by row, never by chance."""
    rng = np.random.default_rng(7)
    row = rng.normal(size=64)
    matrix = np.tile(row / np.linalg.norm(row), (1000, 1)).astype(np.float32)
    for k in (1, 5, 999, 1000, 2000):
        found = VectorScan(matrix).nearest(matrix[0], k)
        assert [number for number, _ in found] == list(range(min(k, 1000)))


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_f71_twins_are_ordered_by_id(tmp_path: Path, mode: str) -> None:
    """Skills with equal texts and vectors are shown by id, in every mode and again the same."""
    twins = {f"twin-{letter}": ("The same words.", "Same body.\n") for letter in "dbeac"}
    world = make_world(tmp_path, twins, build=False)
    for letter in "dbeac":
        world.story.hub.skill(f"twin-{letter}", "The same words.", name="twin", body="Same body.\n")
    world.story.hub.commit("one name")
    world.story.build()
    found = [ids(world.open().search("same words", mode=mode, fold=False).hits) for _ in range(2)]
    assert found == [[f"twin-{letter}" for letter in "abcde"]] * 2


_HOSTILE = [
    "", " ", "\n\t", "\x00", "\x1b]52;c;aGk=\x07", "\ud800", "\u202e\u2066", "*", "+", "-", '"', '""', "AND", "OR",
    "NOT", "AND OR NOT", "NOT NOT a", "name:", "tag:*", "path:/", "lang:", "since:", "since:9999-99-99", "+-+-",
    "-" * 1000, '"' * 999, "(" * 500, "a* b* c*", "[a-z]+(.*)*$", "\\", "' OR 1=1 --", "a" * 1_000_000, "a " * 500_000,
    "中" * 300_000, "+" + "x" * 100_000, "name:" * 10_000, "~数据", "* *cjk", "all:*", "the of and", "的 了 吗", "😀",
    "é" * 5000, "\uffff", "p* " * 3000, "tag:a " * 5000, '"a b" ' * 5000, "s* OR " * 1500, "-s* +s* " * 1000,
    "since:1 " * 1000, "since:2026 lang:zh " * 500, "+" + "-".join(["slide"] * 1500), '"' + "数据库" * 2500 + '"',
]  # fmt: skip


@pytest.mark.parametrize("query", _HOSTILE, ids=[repr(query[:12]) for query in _HOSTILE])
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_f72_any_query_has_an_answer(world: SearchWorld, query: str, mode: str) -> None:
    """Empty, huge, control characters, broken syntax: a list of hits, no error."""
    results = world.open().search(query, mode=mode, explain=True, snippets=True)
    assert len(results.hits) <= 5


@pytest.mark.parametrize("piece", ["{}* ", "+{}* ", "tag:{}* ", '"{} deck" ', "+{} ", "-{} ", "{}* OR ", "{}* AND "])
def test_f72_the_longest_query_is_answered_at_once(world: SearchWorld, piece: str) -> None:
    """Thousands of prefixes, fields and phrases cost no more than a long sentence."""
    index = world.open()
    letters = ("s", "p", "de", "sl", "x", "a1", "Po", "数") * 400
    sentence, query = " ".join(letters), "".join(piece.format(each) for each in letters)
    index.search(query, mode="keyword")
    # processor time, the best of three: other work on the machine must not decide it
    ratio = min(_cpu_s(index, query) for _ in range(3)) / min(_cpu_s(index, sentence) for _ in range(3))
    assert ratio < 50  # at most 9 where it was measured


def _cpu_s(index: Index, query: str) -> float:
    started_s = time.process_time()
    index.search(query, mode="keyword")
    return time.process_time() - started_s


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(alphabet=st.sampled_from('ab +-"*:名数据库\tANDORT namegpthlics0126\u3000“”'), max_size=40)
    | st.text()
)
def test_f72_random_queries_never_fail(world: SearchWorld, query: str) -> None:
    """Whatever is typed, keyword search answers, and the same again."""
    index = world.open()
    first = index.search(query, mode="keyword", explain=True, snippets=True)
    assert ids(first.hits) == ids(index.search(query, mode="keyword").hits)


@pytest.mark.parametrize("k", [0, -1, 10**9, True, 2.5])
def test_f73_an_impossible_k_is_a_usage_error(world: SearchWorld, k: object) -> None:
    """How many results must be a sensible whole number."""
    with pytest.raises(ConfigError) as raised:
        world.open().search("slides", k=k)  # type: ignore[arg-type]
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_f73_more_than_there_are_gives_all(world: SearchWorld, mode: str) -> None:
    """A k above the number of skills gives every skill once."""
    found = ids(world.open().search("anything at all", k=9999, mode=mode).hits)
    assert len(found) == len(set(found)) == 5
