"""Help that does not overwhelm: groups, common options first, and a word about a mistyped command."""

import json
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.publish_world import git, make_world
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

from hub_index.cli.main import COMMANDS, VERBS


def test_the_commands_stand_in_groups_the_ten_of_most_people_first() -> None:
    """Search, hub, agents, then all others; none is left out or named twice."""
    shown = hub_index_here("--help").out
    places = [shown.index(f"\n{group}:\n") for group in COMMANDS]
    assert list(COMMANDS) == ["search", "hub", "agents and integrations", "advanced"]
    assert places == sorted(places)
    assert sum(map(len, list(COMMANDS.values())[:3])) == 10
    assert sum(map(len, COMMANDS.values())) == len(VERBS)
    assert "verb" not in shown.lower()


@pytest.mark.parametrize("command", ["search", "build", "context"])
def test_common_options_stand_before_the_advanced_ones(command: str) -> None:
    """The usage is a line, and every option is explained once."""
    shown = hub_index_here(command, "--help").out
    assert shown.startswith(f"usage: hub-index {command} [OPTIONS]")
    assert shown.index("\noptions:") < shown.index("\nadvanced options:") < shown.index("\nexamples:")
    advanced = shown[shown.index("\nadvanced options:") :]
    assert "--no-cache" in advanced
    assert "--help" not in advanced.partition("\nexamples:")[0]


@pytest.mark.parametrize(("typed", "meant"), [("serch", "search"), ("instaled", "installed"), ("biuld", "build")])
def test_a_mistyped_command_is_suggested(typed: str, meant: str) -> None:
    """The nearest one; nothing is run."""
    done = hub_index_here(typed)
    assert (done.code, f"did you mean `hub-index {meant}`?" in done.err) == (2, True)
    assert "did you mean" not in hub_index_here("xyzzy").err


def test_short_options(tmp_path: Path) -> None:
    """-k for the number of results, -v for the facts, -q for no notes."""
    hub = make_story(tmp_path / "hub", skills=3).hub.root
    done = hub_index_here("search", "skill", "-k", "2", "-q", "--hub", hub)
    assert (done.code, done.err, done.out.count("skills/skill-")) == (0, "", 2)
    assert "note: keyword search only" in hub_index_here("search", "skill", "--hub", hub).err
    assert "mode: keyword" in hub_index_here("search", "skill", "-v", "--hub", hub).err
    assert "Traceback" in hub_index_here("show", "nothing", "-v", "--hub", hub).err


def test_a_least_confidence(tmp_path: Path) -> None:
    """`--min-confidence` leaves out what fits less surely, as lines and as JSON."""
    hub = HubMaker(tmp_path / "hub")
    for name, about in (("knitting", "Knit a warm scarf from wool"), ("sewing", "Mend a torn scarf"), ("maps", "Maps")):
        hub.skill(name, description=about)
    hub.commit()
    found = json.loads(hub_index_here("search", "knit scarf wool", "--hub", hub.root, "--json").out)["hits"]
    sure = [hit["confidence"] for hit in found]
    assert len(set(sure)) > 1
    least = str(max(sure))
    for options in ((), ("--json",)):
        shown = hub_index_here("search", "knit scarf wool", "--hub", hub.root, "--min-confidence", least, *options).out
        assert ("knitting" in shown, "sewing" in shown) == (True, False)
    assert hub_index_here("search", "x", "--min-confidence", "2").code == 2


def test_a_build_without_skills_advises_to_write_one(tmp_path: Path) -> None:
    """Not to write an empty index, which only makes sense where there were skills."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("README.md", "nothing yet")
    hub.commit()
    done = hub_index_here("build", hub.root)
    assert done.code != 0
    assert "--allow-shrink" not in done.err
    assert "skills/NAME/SKILL.md" in done.err


def test_check_alone_means_the_upstream_branch(tmp_path: Path) -> None:
    """What HEAD changed since the branch that it follows; without one a line says what to name."""
    world = make_world(tmp_path, skills=2)
    (world.job / "skills/fresh").mkdir()
    (world.job / "skills/fresh/SKILL.md").write_text("---\nname: fresh\ndescription: Knit a scarf\n---\nbody\n")
    git(world.job, "add", "-A")
    git(world.job, "commit", "-q", "-m", "fresh")
    done = hub_index_here("check", cwd=world.job)
    assert "fresh" in done.out, done.err
    assert done.out == hub_index_here("check", "origin/main..HEAD", cwd=world.job).out
    git(world.job, "branch", "--unset-upstream")
    done = hub_index_here("check", cwd=world.job)
    assert (done.code, "follows no upstream branch" in done.err) == (2, True)
