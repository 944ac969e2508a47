"""The layouts of real hubs: agents, commands and workflows, at the top and in plugins; what is left out is said."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError
from hub_index.hub.config import HubConfig, parse_config
from hub_index.hub.inspection import inspect_hub
from hub_index.hub.record_file import file_type, record_file, record_type
from hub_index.hub.tree.listing import Listing, select_files
from hub_index.models import TreeEntry


def listed(*paths: str, config: HubConfig | None = None) -> Listing:
    """The listing of plain files at these paths."""
    entries = [TreeEntry("100644", f"{number:040}", 10, path) for number, path in enumerate(paths)]
    return select_files(entries, config or HubConfig())


def ids(listing: Listing) -> list[str]:
    """Their ids, in the order of the index."""
    return [file.id for file in listing.files]


PLUGIN = ("plugins/p/skills/s/SKILL.md", "plugins/p/commands/c.md", "plugins/p/agents/sub/a.md")


def test_a_plugins_skills_commands_and_agents_are_indexed() -> None:
    """An id is the path without its ending, with colons; a type follows from it."""
    listing = listed(*PLUGIN, "plugins/p/hooks/h.md", "plugins/p/README.md", "agents/b.md")
    assert [(file.id, file.path, record_type(file.id, file.path)) for file in listing.files] == [
        ("agents:b", "agents", "agent"),
        ("plugins/p/skills/s", "plugins/p/skills/s", "skill"),
        ("plugins:p:agents:sub:a", "plugins/p/agents/sub", "agent"),
        ("plugins:p:commands:c", "plugins/p/commands", "command"),
    ]
    assert [file_type(file.file) for file in listing.files] == ["agent", "skill", "agent", "command"]


def test_the_first_skill_in_skills_changes_no_id_of_a_marketplace() -> None:
    """Where plugins are declared they stay a root, whose name stays in the ids."""
    before = ids(listed(*PLUGIN, ".claude-plugin/marketplace.json"))
    after = ids(listed(*PLUGIN, ".claude-plugin/marketplace.json", "skills/new/SKILL.md"))
    assert after == ["new", *before]


def test_notes_and_texts_of_skills_among_agents_are_left_out_and_counted() -> None:
    """One advice for each reason says how many, and names some."""
    paths = ("skills/s/SKILL.md", "agents/README.md", "plugins/p/agents/CLAUDE.md", "agents/a.md", "commands/README.md")
    listing = listed(*paths, "agents/kit/SKILL.md", "agents/kit/notes.md", "agents/_draft.md")
    assert ids(listing) == ["agents:a", "commands:README", "s"]
    assert [(problem.level, problem.code, problem.reason) for problem in listing.problems] == [
        (
            "advice",
            "left-out",
            "not indexed: 3 notes about a folder of agents, commands or workflows "
            "(agents/README.md, agents/_draft.md, plugins/p/agents/CLAUDE.md)",
        ),
        (
            "advice",
            "left-out",
            "not indexed: 1 text in the folder of a skill among agents or commands (agents/kit/notes.md)",
        ),
    ]
    assert not listed(*paths, config=HubConfig(exclude=("agents/README.md", "plugins"))).problems


def test_a_template_is_no_missing_root(tmp_path: Path) -> None:
    """It is counted as a template, and no setting is advised that would take it in."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one", "Use this to do one thing after the other.", body="word " * 60)
    hub.write("template/SKILL.md", "---\nname: template\ndescription: Replace with a description of yours.\n---\n")
    hub.commit()
    inspection = inspect_hub(hub.root)
    assert inspection.outside.count == 0
    assert [problem.code for problem in inspection.problems] == ["left-out"]
    assert hub_index_here("lint", hub.root).code == 0


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (("skill",), ["plugins/p/skills/s"]),
        (("agent", "command"), ["plugins:p:agents:sub:a", "plugins:p:commands:c"]),
    ],
)
def test_a_hub_switches_types_off(types: tuple[str, ...], expected: list[str]) -> None:
    """Only the named types are indexed, and nothing advertises the others."""
    config = parse_config(f"types = {json.dumps(types)}".encode())
    listing = listed(*PLUGIN, config=config)
    assert ids(listing) == expected
    assert not listing.problems
    assert not listing.outside


def test_a_root_of_skills_is_no_folder_of_agents() -> None:
    """A hub that names `agents` as a root keeps skills there: a text among them is no agent."""
    paths = ("agents/a/SKILL.md", "agents/flat.md", "skills/s/SKILL.md")
    assert ids(listed(*paths, config=HubConfig(roots=("skills", "agents")))) == ["agents/a", "s"]


@pytest.mark.parametrize("value", ["[]", '["skills"]', '"skill"', "[1]"])
def test_types_that_are_none_are_refused(value: str) -> None:
    """The error names the setting."""
    with pytest.raises(ConfigError, match="types"):
        parse_config(f"types = {value}".encode())


def test_a_build_says_types_and_what_it_left_out(tmp_path: Path) -> None:
    """The records of agents and commands say their type; a list is filtered by it; the files are found again."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one")
    hub.write("agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews changes of code.\n---\nLook at it.\n")
    hub.write("plugins/p/commands/ship.md", "Ships a release, step by step.\n")
    hub.write("plugins/p/commands/README.md", "What these are.\n")
    hub.commit()
    built = hub_index_here("build", hub.root)
    assert "left out: 1 note about a folder of agents, commands or workflows" in built.out
    lines = map(json.loads, (hub.root / "search/skills.jsonl").read_text().splitlines())
    records = {line["id"]: line for line in lines}
    types = {id_: record.get("type") for id_, record in records.items()}
    assert types == {"agents:reviewer": "agent", "one": None, "plugins:p:commands:ship": "command"}
    assert record_file(str(hub.root), "plugins:p:commands:ship", "plugins/p/commands") == "plugins/p/commands/ship.md"
    answer = json.loads(hub_index_here("list", "--hub", hub.root, "--type", "agent", "--json").out)
    assert [(skill["id"], skill["type"]) for skill in answer["skills"]] == [("agents:reviewer", "agent")]
    shown = hub_index_here("show", "--hub", hub.root, "plugins:p:commands:ship")
    assert "Ships a release" in shown.out
