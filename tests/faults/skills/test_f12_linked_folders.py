"""F12: a link in the place of a folder leads nowhere, for any reader, wherever it points."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.hubs.linked_readers import READERS, Asked, answer_of
from support.hubs.linked_world import CANARY, LINKS, make_linked_world
from support.servers.serving_world import serving

from hub_index.errors import ConfigError
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.requests import FindRequest, ReadRequest


@pytest.fixture
def linked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Asked]:
    """A synced hub that has committed a link, and all doors to it."""
    world = make_linked_world(tmp_path, *request.param)
    with world.open_service() as service, serving(service=service, mcp=True) as served:
        yield Asked(world, service, served)


def _is_wrong(reader: str, answer: str) -> bool:
    """Whether an answer shows what a link leads to, or is no answer but a fault of ours."""
    is_traceback = any(f"call last):{end}" in answer for end in ("\n", "\\n"))
    is_fault = answer.startswith(("500", "exit 1\n")) and reader != "doctor"  # whose verdict exit 1 is
    return CANARY in answer or is_traceback or is_fault


@pytest.mark.parametrize("linked", LINKS, indirect=True, ids=" ".join)
def test_f12_no_reader_follows_a_link_in_a_folders_place(linked: Asked) -> None:
    """Not a word of what it leads to gets out, and no answer is a traceback or an internal error."""
    answers = {name: answer_of(reader, linked) for name, reader in READERS.items()}
    assert {name: answer for name, answer in answers.items() if _is_wrong(name, answer)} == {}


_FOLDER_IS_LINK = "“skills/alpha” is a link; links are not followed: its hub has to hold the files themselves"
_SKILLS_IS_LINK = _FOLDER_IS_LINK.replace("/alpha", "", 1)


@pytest.mark.parametrize(
    ("linked", "path", "status", "said"),
    [
        (("skills/alpha", "absolute"), "/skills/named%3Aalpha", 400, _FOLDER_IS_LINK),
        (("skills/alpha", "absolute"), "/skills/named%3Aalpha/files/passwd", 400, _FOLDER_IS_LINK),
        (("skills", "relative"), "/spans?skill=named%3Aalpha", 400, _SKILLS_IS_LINK),
        (
            ("skills/alpha/notes", "absolute"),
            "/skills/named%3Aalpha/files/notes/deep.md",
            400,
            "“skills/alpha/notes” is",
        ),
        (("search", "absolute"), "/skills/named%3Aalpha/related", 503, "“search” is a link, which is not followed"),
        (("public", "absolute"), "/skills/named%3Aalpha/related", 503, "“public” is a link, which is not followed"),
    ],
    indirect=["linked"],
)
def test_f12_the_refusal_names_the_link(linked: Asked, path: str, status: int, said: str) -> None:
    """Which step of the path it is, and what has to be done instead."""
    reply = linked.served.ask("GET", path)
    assert reply.status == status
    assert said in reply.value["detail"]


@pytest.mark.parametrize("target", ["elsewhere", "../outside"])
def test_f12_no_index_is_written_through_a_link_of_the_hub(tmp_path: Path, target: str) -> None:
    """Neither out of the hub nor to another place of it, where no reader would look."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one")
    hub.write("hub-index.toml", 'output = "public/index"\n')
    hub.write("elsewhere/README.md", "A folder.\n")
    (tmp_path / "outside").mkdir()
    (hub.root / "public").symlink_to(target)
    hub.commit()
    with pytest.raises(ConfigError, match="through a link"):
        BuildStory(hub).build()
    assert not list(tmp_path.rglob("index_manifest.json"))


def test_f12_links_of_a_plain_folder_are_not_followed_but_the_way_to_it_is(tmp_path: Path) -> None:
    """A program's folder of skills may lie elsewhere; a link in it is not a skill, and no file beside one."""
    (tmp_path / "skills/own").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    for place in ("skills/own", "other"):
        (tmp_path / place / "SKILL.md").write_text(f"---\nname: {place[-3:]}\ndescription: Peels potatoes.\n---\n\nx\n")
        (tmp_path / place / "notes.md").write_text(CANARY)
    (tmp_path / "skills/linked").symlink_to(tmp_path / "other")
    (tmp_path / "skills/own/more").symlink_to(tmp_path / "other")
    (tmp_path / "mine").symlink_to("skills")
    places = [HubPlace("mine", str(tmp_path / "mine"), is_listed=True)]
    with open_service(places, home=tmp_path / "axon", cache_dir=tmp_path / "cache", embed="never") as service:
        assert [hit.id for hit in service.find(FindRequest("potatoes"))] == ["own"]
        read = service.read(ReadRequest("own"))
        assert ([file.path for file in read.files], read.notices) == (["SKILL.md", "notes.md"], ())
        with pytest.raises(ConfigError, match="“own/more” is a link; links are not followed"):
            service.read(ReadRequest("own", file="more/notes.md"))
