"""Whichever file of words a search needs is damaged: the others still answer, and the file is named."""

from pathlib import Path
from typing import Any

import pytest
from support.pages.page_engine import call_engine, needs_node
from support.pages.page_server import PageServer
from support.pages.page_world import PageWorld

from hub_index.page.data import terms

pytestmark = needs_node

_WHOLE = frozenset({"data/page.json", "data/ids.bin", "data/documents.bin"})  # without them there is no list of skills


def _search(server: PageServer, *texts: str) -> list[Any]:
    calls = [("search", {"text": text, "mode": "keyword", "filters": {}, "k": 20}) for text in texts]
    return call_engine(server.folder, *calls, address=server.address)


def _ids(answer: Any) -> list[str]:
    return [hit["id"] for hit in answer["hits"]]


@pytest.mark.parametrize("text", ["database schma", "datab* release", '"release notes" database', "数据库 迁移"])
def test_a_search_goes_on_without_any_file_of_words(server: PageServer, text: str) -> None:
    """Each file that the search asks for is damaged once: there is an answer, it names that file, and no other."""
    [whole] = _search(server, text)
    assert whole["hits"]
    assert not whole["unread"]
    for file in sorted({*server.asked} - _WHOLE):
        server.damaged = {file}
        [answer] = _search(server, text)
        assert [(error["file"], error["kind"]) for error in answer["unread"]] == [(file, "damaged")], answer
        assert answer["hits"] or file.startswith("data/terms/")


def test_a_word_that_cannot_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hits are those of the other word, as good as they would be alone, and the lost word is not taken for a typo."""
    monkeypatch.setattr(terms, "_SHARD_BYTES", 1)  # nearly every word has its own
    world = PageWorld(tmp_path)
    world.hub.skill("zebra", "Feeds a zebra.")
    world.hub.skill("giraffe", "Combs a giraffe, and giraffes.")
    world.index()
    world.write()
    with PageServer(world.folder) as server:
        [alone] = _search(server, "zebra")
        needed = {*server.asked}
        _search(server, "giraffes")
        server.damaged = {file for file in server.asked if file.startswith("data/terms/")} - needed
        [answer] = _search(server, "zebra giraffes")
    assert answer["unread"]
    assert _ids(answer) == _ids(alone) == ["zebra"]
    assert (answer["good"], answer["didYouMean"]) == (1, "")


def test_a_file_is_asked_for_once_a_search(server: PageServer) -> None:
    """A lost file is not asked for again by each of its words, and the next search tries anew."""
    server.missing = {"data/terms/0000.bin"}
    _search(server, "database release", "database release")
    assert server.asked.count("data/terms/0000.bin") == 2
