"""Which file a record stands for: build, search, snippets, `show` and a look for what is gone all give one answer."""

import unicodedata
from pathlib import Path

import pytest
from support.searches.search_world import make_world

_TEXT = "---\nname: {}\ndescription: How to do a thing.\n---\n\nTurn the zymurgic valve slowly.\n"
_FILES = {
    "workflows/sub/name.md": "workflows:sub:name",
    "workflows/x.MD": "workflows:x",
    "skills/a/sKILL.md": "a",
    unicodedata.normalize("NFD", "commands/é/ö.md"): "commands:é:ö",
}


@pytest.mark.parametrize("file", _FILES)
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_snippet_has_the_body_that_the_index_has(tmp_path: Path, file: str, mode: str) -> None:
    """A word that only the body holds finds the record, and the body is what the hit shows."""
    world = make_world(tmp_path, build=False)
    world.story.hub.write(file, _TEXT.format("thing"))
    world.story.hub.commit("a record")
    world.story.build()
    results = world.open().search("zymurgic", k=10, mode=mode, explain=True, snippets=True)
    snippet = next(hit.snippet for hit in results.hits if hit.id == _FILES[file])
    assert snippet is not None
    assert (snippet.field, "zymurgic valve" in snippet.text) == ("body", True)


@pytest.mark.parametrize("file", _FILES)
def test_a_record_is_found_by_its_file_and_missed_without_it(tmp_path: Path, file: str) -> None:
    """`show` takes the path as it is written; once the file is gone, it says so."""
    world = make_world(tmp_path, build=False)
    world.story.hub.write(file, _TEXT.format("thing"))
    world.story.hub.commit("a record")
    world.story.build()
    shown = world.open().show(file)
    assert (shown.id, shown.notices) == (_FILES[file], ())
    (world.hub / file).unlink()
    assert world.open().show(_FILES[file]).notices == (f"“{shown.id}” is no longer in the checkout",)


def test_of_two_spellings_the_body_is_of_the_one_that_is_indexed(tmp_path: Path) -> None:
    """SKILL.md goes before its other spellings, and of documents the first by name."""
    world = make_world(tmp_path, build=False)
    for file, name in (("skills/a/SKILL.md", "right"), ("skills/a/SKILL.MD", "wrong")):
        world.story.hub.write(file, _TEXT.format(name) + f"\n{name}\n")
    for file, name in (("workflows/x.MD", "right"), ("workflows/x.md", "wrong")):
        world.story.hub.write(file, _TEXT.format(name) + f"\n{name}\n")
    world.story.hub.commit("records")
    world.story.build()
    results = world.open().search("zymurgic valve slowly right", mode="keyword", snippets=True, fold=False)
    snippets = {hit.id: hit.snippet.text for hit in results.hits if hit.snippet}
    assert {id_: text.split()[-1] for id_, text in snippets.items()} == {"a": "right", "workflows:x": "right"}
