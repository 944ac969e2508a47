"""--installed: agents' own folders are searched like plain folders, and copies of a hub's skill are that skill."""

import json
import shutil

import pytest
from support.installs.install_world import InstallWorld
from support.models.model_copy import model_cache

from hub_index.cli.verbs.mcp import parse as parse_mcp


@pytest.fixture(autouse=True)
def _own_skill(world: InstallWorld) -> None:
    """The hub's skill is installed in the project, and the user wrote another one."""
    world.add()
    own = world.home / ".agents/skills/slow-cooking"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: slow-cooking\ndescription: Cooks slow meals.\n---\n\n# Body\n")


@pytest.mark.parametrize("mode", ["--keyword", "--hybrid"])
def test_a_search_finds_them_and_folds_copies(world: InstallWorld, mode: str) -> None:
    """One hit of the hub, which names the copy's place; the user's own skill beside it."""
    shutil.copytree(model_cache(), world.root / "cache", dirs_exist_ok=True)
    hits = json.loads(world.run("search", "slow", mode, "--installed", "--json").out)["hits"]
    assert {(hit["hub"], hit["id"]) for hit in hits[:2]} == {("hub", "db-advisor"), ("agents", "slow-cooking")}
    copied = next(hit for hit in hits if hit["id"] == "db-advisor")
    assert [place["hub"] for place in copied["also_in"]] == ["project-claude"]
    without = json.loads(world.run("search", "slow", mode, "--json").out)["hits"]
    assert "slow-cooking" not in [hit["id"] for hit in without]


def test_an_edited_copy_is_a_skill_of_its_own(world: InstallWorld) -> None:
    """What the user changed is not the hub's any more: it is named as a near copy, and never as the same skill."""
    (world.skill / "SKILL.md").write_text("---\nname: db-advisor\ndescription: Finds slow queries.\n---\n\n# Mine\n")
    command = ("search", "slow queries", "--keyword", "--installed", "--json")
    hits = json.loads(world.run(*command, "--no-fold").out)["hits"]
    assert {hit["hub"] for hit in hits if hit["id"] == "db-advisor"} == {"hub", "project-claude"}
    (folded,) = [hit for hit in json.loads(world.run(*command).out)["hits"] if hit["id"] == "db-advisor"]
    assert {folded["hub"], *[place["hub"] for place in folded["also_like"]]} == {"hub", "project-claude"}
    assert "also_in" not in folded


def test_the_other_commands_search_them_too(world: InstallWorld) -> None:
    """show, list and context; without a hub the agents' folders alone, and no word about a hub that is not synced."""
    assert "slow-cooking" in world.run("list", "--installed").out
    assert "Cooks slow meals" in world.run("show", "slow-cooking", "--installed").out
    assert world.run("show", "slow-cooking").code == 2
    assert "slow-cooking" in world.run("context", "cook slow meals", "--installed").out
    alone = world.run("search", "slow", "--keyword", "--installed", hub=False)
    assert (alone.code, "slow-cooking" in alone.out) == (0, True)
    assert "sync" not in alone.err


def test_the_agent_gets_them_where_it_is_told_so(world: InstallWorld) -> None:
    """mcp takes the option, and the settings that it prints keep it."""
    assert parse_mcp(["--installed"]).installed
    printed = json.loads(world.run("mcp", "--installed", "--print-config", "claude").out)
    assert "--installed" in printed["mcpServers"]["skills"]["args"]


@pytest.mark.parametrize("command", ["serve", "page", "verify", "eval", "related"])
def test_nothing_that_is_published_or_measured_takes_them(world: InstallWorld, command: str) -> None:
    """The user's own folders are no part of what others see."""
    outcome = world.run(command, "--help", hub=False)
    assert outcome.code == 0
    assert "--installed" not in outcome.out
    assert "--installed" in world.run("search", "--help", hub=False).out


def test_a_database_is_not_searched_with_folders(world: InstallWorld) -> None:
    """One of the two, exit 2."""
    outcome = world.run("search", "slow", "--installed", "--store", "postgresql://localhost/x", hub=False)
    assert outcome.code == 2
    assert "--installed" in outcome.err
