"""The rows of the model's table: parts of a file from a server that has Range, whole shards from one that has not."""

from pathlib import Path
from typing import Any

import pytest
from support.pages.page_browser import open_tab
from support.pages.page_engine import call_engine, needs_node
from support.pages.page_server import PageServer

pytestmark = needs_node

_TEXT = "analyze slow database queries"
_ASKED = [("loadModel", {}), ("vector", _TEXT), ("vector", _TEXT + " 数据库")]
_BLOCK_BYTES = 16 * 512


def _ask(site: Path, *, has_range: bool, damaged: set[str] | None = None) -> tuple[PageServer, list[Any]]:
    with PageServer(site, has_range=has_range) as server:
        server.damaged |= damaged or set()
        return server, call_engine(site, *_ASKED, address=server.address)


def _row_files(server: PageServer) -> list[str]:
    return [name for name in server.asked if name.startswith("data/model/rows/")]


def test_a_server_with_range_sends_the_blocks_of_the_querys_pieces(example_site: Path) -> None:
    """Each request is for one block, none is made twice, and the vector is the same as from whole shards."""
    with_range, answers = _ask(example_site, has_range=True)
    without, others = _ask(example_site, has_range=False)
    assert answers == others
    assert len(answers[1]) == 512
    assert len(_row_files(with_range)) == len(with_range.parts) > 2
    assert {size for _, size in with_range.parts} == {_BLOCK_BYTES}
    assert sum(size for _, size in with_range.parts) < 30 * _BLOCK_BYTES
    assert without.parts == []


def test_a_server_without_range_sends_each_shard_once(example_site: Path) -> None:
    """The first answer shows that there is no Range; from then on whole shards are asked for, and kept."""
    server, _ = _ask(example_site, has_range=False)
    files = _row_files(server)
    assert len(files) == len(set(files)) > 1


@pytest.mark.parametrize("has_range", [True, False])
def test_damaged_rows_are_not_believed(example_site: Path, *, has_range: bool) -> None:
    """A part is checked by its own digest, a shard by page.json's: either way the file is named."""
    damaged = {f"data/{name}" for name in ("model/rows/000.bin", "model/rows/001.bin")}
    _, answers = _ask(example_site, has_range=has_range, damaged=damaged)
    assert answers[1]["kind"] == "damaged"
    assert "model/rows/00" in answers[1]["error"]


@pytest.mark.page
def test_parts_that_came_by_range_answer_offline(browser: Any, example_site: Path) -> None:
    """A store takes no part of a file as what it is: the service worker keeps it under a name of its own."""
    with PageServer(example_site, has_range=True) as server, open_tab(browser, server.address) as tab:
        tab.open()
        tab.wait_for_worker()
        tab.search(_TEXT)
        tab.wait_for_model()
        assert {size for _, size in server.parts} == {_BLOCK_BYTES}
        names = tab.names()
        tab.page.context.set_offline(True)
        tab.page.reload()
        tab.wait_for_model()
        assert tab.names() == names
        assert tab.wrongs == []
