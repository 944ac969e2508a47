"""For whom a skill is installed where nothing says so: the agent that the project, or else the user, works with."""

from pathlib import Path

import pytest
from support.installs.install_world import InstallWorld

from hub_index.errors import ConfigError
from hub_index.installs.agent_folders import (
    AGENT_NAMES,
    AGENTS,
    choose_agent,
    choose_roots,
    find_project,
    installed_places,
)


@pytest.fixture(autouse=True)
def _home(world: InstallWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(world.home))


def chosen(folder: Path, scope: str = "", agent: str = "") -> tuple[str, str]:
    """The folder of skills from the root, and the root."""
    roots = choose_roots(scope, agent, str(folder))
    roots = tuple(root for root in roots if root.is_project) or roots
    root, name = choose_agent(roots, agent)
    return root.path, root.folder_of(name)


def test_a_project_is_a_work_tree_or_has_an_agents_folder(world: InstallWorld) -> None:
    """The nearest one above the current folder; the home folder is none, whatever lies in it."""
    below = world.project / "src/deep"
    below.mkdir(parents=True)
    assert find_project(str(below)) == str(world.project)
    assert find_project(str(world.hub.root / "skills")) == str(world.hub.root)
    (world.home / ".claude").mkdir()
    (world.home / ".git").mkdir()
    (world.home / "notes").mkdir()
    assert find_project(str(world.home / "notes")) == ""
    assert find_project(str(world.home)) == ""
    with pytest.raises(ConfigError, match="no project here"):
        choose_roots("project", "", str(world.home))


@pytest.mark.parametrize("agent", AGENT_NAMES)
def test_each_agent_has_a_folder_in_a_project_and_at_home(world: InstallWorld, agent: str) -> None:
    """Each ends in `skills`; the project's is below a hidden folder, and no two agents share one."""
    entry = next(entry for entry in AGENTS if entry.agent == agent)
    assert chosen(world.project, agent=agent) == (str(world.project), entry.project)
    assert chosen(world.project, "user", agent) == (str(world.home / entry.home), "skills")
    assert entry.project.startswith(".")
    assert len({other.project for other in AGENTS} | {other.home for other in AGENTS}) == 2 * len(AGENTS)


def test_the_agent_in_use_is_chosen(world: InstallWorld) -> None:
    """The only one; of several the only one with skills; else the user must say; none at all is the neutral folder."""
    assert chosen(world.project) == (str(world.project), ".claude/skills")
    (world.project / ".cursor").mkdir()
    with pytest.raises(ConfigError, match=r"several agents are used in the project .*claude, cursor.*--agent"):
        chosen(world.project)
    (world.project / ".cursor/skills").mkdir()
    assert chosen(world.project) == (str(world.project), ".cursor/skills")
    assert chosen(world.project, "user") == (str(world.home / ".agents"), "skills")
    (world.home / ".codex").mkdir()
    assert chosen(world.project, "user") == (str(world.home / ".codex"), "skills")
    assert chosen(world.hub.root) == (str(world.hub.root), ".agents/skills")


def test_githubs_folder_alone_does_not_mean_its_agent(world: InstallWorld) -> None:
    """Nearly every project has `.github`; only `.github/skills` is the agent's."""
    (world.hub.root / ".github/workflows").mkdir(parents=True)
    assert chosen(world.hub.root)[1] == ".agents/skills"
    (world.hub.root / ".github/skills").mkdir()
    assert chosen(world.hub.root)[1] == ".github/skills"


def test_an_agents_own_variable_names_its_settings(world: InstallWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLAUDE_CONFIG_DIR and CODEX_HOME move the user's folders."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(world.root / "settings"))
    monkeypatch.setenv("CODEX_HOME", "~/codex")
    assert chosen(world.project, "user", "claude") == (str(world.root / "settings"), "skills")
    assert chosen(world.project, "user", "codex") == (str(world.home / "codex"), "skills")


def test_the_folders_that_are_there_are_searched_once(world: InstallWorld) -> None:
    """By the agents' names; two names of one folder are one place, and other hubs keep their names."""
    for folder in (world.project / ".claude/skills", world.home / ".claude/skills"):
        folder.mkdir(parents=True)
    (world.project / ".codex").mkdir()
    (world.project / ".codex/skills").symlink_to("../.claude/skills")
    places = installed_places(["claude"], str(world.project))
    assert [place.name for place in places] == ["project-claude", "claude-2"]
    assert all(place.is_installed and place.is_listed for place in places)
