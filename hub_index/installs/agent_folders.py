"""The folders where agents look for skills, of a project and of the user: the one table.

Import-light: a keyword search with `--installed` reads it.
"""

import os

from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.service.hubs.open_hubs import HubPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SKILLS = "skills"


class AgentFolder(FrozenValue):
    """One agent's folders: `project` from the project's root, `home` (the agent's settings) from the user's home."""

    agent: str
    project: str
    home: str
    variable: str = ""  # the variable of the environment that names another `home`

    @property
    def marker(self) -> str:
        """The folder whose presence says that the project is used with this agent."""
        first = self.project.partition("/")[0]
        return self.project if first == ".github" else first

    def user_home(self) -> str:
        """The agent's settings folder of this user; its skills lie in `skills` there."""
        named = os.environ.get(self.variable, "").strip() if self.variable else ""
        return os.path.abspath(os.path.expanduser(named or os.path.join("~", self.home)))


# `agents` is the neutral folder that Codex, Cursor, Gemini, Copilot, OpenCode and others read beside their own
AGENTS = (
    AgentFolder("agents", ".agents/skills", ".agents"),
    AgentFolder("claude", ".claude/skills", ".claude", "CLAUDE_CONFIG_DIR"),
    AgentFolder("codex", ".codex/skills", ".codex", "CODEX_HOME"),
    AgentFolder("copilot", ".github/skills", ".copilot"),
    AgentFolder("cursor", ".cursor/skills", ".cursor"),
    AgentFolder("gemini", ".gemini/skills", ".gemini"),
    AgentFolder("goose", ".goose/skills", ".config/goose"),
    AgentFolder("opencode", ".opencode/skills", ".config/opencode"),
    AgentFolder("windsurf", ".windsurf/skills", ".codeium/windsurf"),
)
AGENT_NAMES = tuple([folder.agent for folder in AGENTS])


class InstallRoot(FrozenValue):
    """A folder that may hold a hub-index.lock: a project's root, or one agent's settings folder of the user."""

    path: str
    is_project: bool
    folders: "tuple[tuple[str, str], ...]"  # agent, its skills folder from here

    def folder_of(self, agent: str) -> str:
        """The agent's skills folder from here; empty if this is another agent's root."""
        return dict(self.folders).get(agent, "")


def find_project(start: str = "") -> str:
    """The root of the project around a folder: a work tree of git, or the nearest folder with an agent's own in it.

    Empty if there is none. The user's home is no project: what lies there is the user's.
    """
    folder, home = os.path.realpath(start or os.curdir), os.path.realpath(os.path.expanduser("~"))
    markers = (".git", *[agent.marker for agent in AGENTS])
    while folder not in (home, os.path.dirname(folder)):
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in markers):
            return folder
        folder = os.path.dirname(folder)
    return ""


def project_root(folder: str) -> InstallRoot:
    """The root of a project, for every agent."""
    return InstallRoot(folder, True, tuple([(agent.agent, agent.project) for agent in AGENTS]))


def user_root(agent: AgentFolder) -> InstallRoot:
    """One agent's settings folder of the user."""
    return InstallRoot(agent.user_home(), False, ((agent.agent, _SKILLS),))


def choose_roots(scope: str = "", agent: str = "", start: str = "") -> tuple[InstallRoot, ...]:
    """The roots of a scope (`project`, `user`, or both if empty), of one agent or of all. Raises ConfigError."""
    project = find_project(start) if scope != "user" else ""
    if scope == "project" and not project:
        raise ConfigError(
            "there is no project here: neither a git work tree nor an agent's folder (.claude, .agents …) in this "
            "folder or above it; run `git init`, change to the project, or use --user"
        )
    roots = [project_root(project)] if project else []
    if scope != "project":
        roots += [user_root(folder) for folder in AGENTS if agent in ("", folder.agent)]
    return tuple(roots)


def choose_agent(root_of: "Sequence[InstallRoot]", asked: str) -> tuple[InstallRoot, str]:
    """The root and the agent to install for: the one that was asked for, else the only one that is in use here.

    Raises ConfigError if several are in use.
    """
    if asked:
        return next((root, asked) for root in root_of if root.folder_of(asked))
    present = [(root, agent) for root in root_of for agent, folder in root.folders if _is_used(root, agent, folder)]
    with_skills = [(root, agent) for root, agent in present if os.path.isdir(_join(root, agent))]
    if len(present) > 1 and len(with_skills) != 1:
        names = ", ".join(agent for _, agent in present)
        where = f"the project {root_of[0].path}" if root_of[0].is_project else "your home folder"
        raise ConfigError(f"several agents are used in {where}: {names}; choose one with --agent NAME")
    chosen = with_skills if len(present) > 1 else present
    return chosen[0] if chosen else next((root, "agents") for root in root_of if root.folder_of("agents"))


def _is_used(root: InstallRoot, agent: str, folder: str) -> bool:
    """Whether the agent's folder is there: the settings folder of the user, or the one in a project."""
    if not root.is_project:
        return os.path.isdir(root.path)
    marker = next(entry.marker for entry in AGENTS if entry.agent == agent)
    return os.path.isdir(os.path.join(root.path, marker)) or os.path.isdir(os.path.join(root.path, folder))


def _join(root: InstallRoot, agent: str) -> str:
    return os.path.join(root.path, root.folder_of(agent))


def leads_outside(root: InstallRoot, path: str) -> bool:
    """Whether links lead out of a project, which may be a stranger's; the user's own may lead anywhere."""
    place, project = os.path.realpath(path), os.path.realpath(root.path)
    return root.is_project and not place.startswith(os.path.join(project, ""))


def installed_places(taken: "Sequence[str]" = (), start: str = "") -> tuple[HubPlace, ...]:
    """The agents' folders that are there, of the project and of the user, each once, as places to search.

    Their names are the agent's, with `project-` before a project's; `taken` are names of other hubs.
    """
    names, places, seen = list(taken), [], set[str]()
    for root in choose_roots(start=start):
        for agent, _ in root.folders:
            path = _join(root, agent)
            if os.path.isdir(path) and os.path.realpath(path) not in seen and not leads_outside(root, path):
                seen.add(os.path.realpath(path))
                names.append(_unused(f"project-{agent}" if root.is_project else agent, names))
                places.append(HubPlace(names[-1], path, is_listed=True, is_installed=True))
    return tuple(places)


def _unused(name: str, taken: "Sequence[str]") -> str:
    return next(text for text in (name, *[f"{name}-{number}" for number in range(2, 99)]) if text not in taken)
