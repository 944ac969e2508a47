"""A folder inside of a hub is not a hub: whoever is given one names the hub around it."""

from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError
from hub_index.hub.tree.hub_folder import check_is_hub, hub_around
from hub_index.search import open_index


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub of two skills and a workflow, with its index."""
    story = make_story(tmp_path_factory.mktemp("inside") / "hub", skills=2)
    story.hub.write("workflows/deploy.md", "# Deploy\n")
    story.hub.commit("workflow")
    story.build()
    return story.hub.root


@pytest.mark.parametrize(
    "command",
    [
        ["build"],
        ["plan"],
        ["lint"],
        ["publish"],
        ["verify", "search", "--hub"],
        ["search", "thing", "--hub"],
        ["build", "--commit"],
    ],
)
def test_every_verb_names_the_hub_around_it(hub: Path, command: list[str]) -> None:
    """`build HUB/skills` would otherwise write an index of other ids into the hub's skills."""
    command = [str(hub / word) if word == "search" and command[0] == "verify" else word for word in command]
    done = hub_index_here(*command, hub / "skills")
    assert (done.code, done.out) == (2, "")
    assert f"{hub / 'skills'} is a folder inside the hub {hub}: name that;" in done.err
    assert not (hub / "skills/search").exists()


def test_the_doctor_calls_it_bad(hub: Path) -> None:
    """One line of its table."""
    done = hub_index_here("doctor", "--hub", hub / "skills", "--json")
    assert done.code != 0
    assert "is a folder inside the hub" in done.out + done.err


@pytest.mark.parametrize("folder", ["skills", "skills/skill-00", "workflows", "search"])
def test_its_folders_are_parts_of_the_hub(hub: Path, folder: str) -> None:
    """However deep; its index too."""
    assert hub_around(str(hub / folder)) == str(hub)
    with pytest.raises(ConfigError, match="inside the hub"):
        open_index(hub=hub / folder)


def test_a_hub_in_a_folder_of_a_repository_stays_a_hub(tmp_path: Path) -> None:
    """With skills/, with a hub-index.toml, or outside of where the hub around it keeps skills."""
    repository = HubMaker(tmp_path / "all")
    repository.skill("mine")
    repository.write("hubs/first/skills/a/SKILL.md", "# A\n")
    repository.write("hubs/whole/a/SKILL.md", "# A\n")
    repository.write("skills/second/hub-index.toml", 'roots = ["."]\n')
    for folder in ("hubs/first", "hubs/whole", "hubs", "skills/second", "."):
        check_is_hub(repository.root / folder)


def test_the_hubs_own_settings_say_where_its_skills_are(tmp_path: Path) -> None:
    """A folder of `roots` is a part of the hub, another is not; broken settings are no reason to fail here."""
    repository = HubMaker(tmp_path / "all")
    repository.write("hub-index.toml", 'roots = ["plugins/good"]\n')
    for folder in ("plugins/good/x", "plugins/other"):
        repository.write(f"{folder}/a/SKILL.md", "# A\n")
    assert hub_around(str(repository.root / "plugins/good/x")) == str(repository.root)
    assert hub_around(str(repository.root / "plugins/good")) == str(repository.root)
    assert hub_around(str(repository.root / "plugins/other")) == ""
    repository.write("hub-index.toml", "roots = 3\n")
    assert hub_around(str(repository.root / "plugins/good/x")) == ""


def test_without_a_repository_nobody_can_say(tmp_path: Path) -> None:
    """A plain folder called skills is searched as it is."""
    (tmp_path / "skills/a").mkdir(parents=True)
    assert hub_around(str(tmp_path / "skills")) == ""
