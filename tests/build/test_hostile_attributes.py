"""What the hub's own .gitattributes ask of git must not reach the index."""

from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.hubs.hub_maker import HubMaker

from hub_index.index.folder.reading import read_files
from hub_index.index.format.validate import check_index


@pytest.mark.parametrize(
    "attributes",
    ["* ident", "*.jsonl text working-tree-encoding=UTF-16LE", "* filter=shout", "* text eol=crlf", "*.f32 filter=lfs"],
)
def test_f52_a_committed_index_survives_every_attribute_of_its_hub(tmp_path: Path, attributes: str) -> None:
    """A plain `git add` and a clone keep the bytes that were built."""
    story = make_story(tmp_path / "hub")
    story.hub.git("config", "--global", "filter.shout.clean", "tr a-z A-Z")
    story.hub.git("config", "--global", "filter.shout.smudge", "tr A-Z a-z")
    story.hub.git("config", "--global", "filter.lfs.clean", "cksum")
    story.hub.skill("keyword", "Holds $Id$ and $Id: old $ in its text.")
    story.hub.commit("ident")
    story.hub.write(".gitattributes", f"{attributes}\n")
    story.build()
    story.hub.commit("index")
    clone = HubMaker(tmp_path / "clone")
    clone.git("pull", "-q", str(story.hub.root), "main")
    assert check_index(read_files(clone.root / "search")).manifest.count == 5
    assert clone.git("status", "--porcelain") == ""
