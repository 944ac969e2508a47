"""`.well-known/agent-skills/` beside the page: what `export --well-known` writes, from the commit."""

from pathlib import Path

import pytest
from support.pages.page_world import PageWorld

from hub_index.export.well_known import PLACE, export_well_known
from hub_index.page import hub_page
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace


@pytest.fixture
def world(tmp_path: Path) -> PageWorld:
    """A hub with a skill of one file, one of several, one inside of another, and one whose name does not fit."""
    world = PageWorld(tmp_path)
    world.hub.skill("plain", "Does one thing.")
    world.hub.skill("folder", "Does a second thing.")
    world.hub.write("skills/folder/scripts/run.sh", "echo hello\n")
    world.hub.write("skills/folder/.secret", "not served\n")
    world.hub.skill("folder/inner", "Does a third thing.", name="inner")
    world.hub.skill("odd", "Does a fourth thing.", name="Not A Good Name")
    world.index()
    return world


def test_the_page_comes_with_the_index_that_agents_look_for(world: PageWorld, tmp_path: Path) -> None:
    """The files are byte for byte those that an export of the same skills writes; what is left out is told."""
    outcome = world.write()
    with open_service([HubPlace("hub", str(world.hub.root))], embed="never") as service:
        export_well_known(service.hubs[0], str(tmp_path / "export"))
    exported = world.files(tmp_path / "export")
    assert set(exported) >= {f"{PLACE}/index.json", f"{PLACE}/plain/SKILL.md", f"{PLACE}/folder.tar.gz"}
    assert {name: content for name, content in world.files().items() if name.startswith(PLACE)} == exported
    assert any("1 skill left out" in notice for notice in outcome.notices)


def test_uncommitted_files_are_not_served(world: PageWorld) -> None:
    """A page is of a commit: what lies in the work tree only stays there."""
    world.write()
    before = world.files()
    world.hub.write("skills/plain/notes.txt", "a draft\n")
    world.write()
    assert world.files() == before


def test_a_hub_too_large_to_stand_beside_its_page_is_left_out(
    world: PageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is made without it, and says so."""
    monkeypatch.setattr(hub_page, "MAX_PAGE_WELL_KNOWN_BYTES", 100)
    outcome = world.write()
    assert not [name for name in world.files() if name.startswith(PLACE)]
    assert any("too large" in notice for notice in outcome.notices)
