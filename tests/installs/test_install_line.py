"""The line that installs a skill is one function: `show` and MCP say the same, and a shell runs it."""

import shlex

import pytest
from support.installs.install_world import OLD_FILES, InstallWorld, as_read, read_folder, write_files

from hub_index.serve.mcp.texts import write_text
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.hubs.reference import install_line
from hub_index.service.requests import ReadRequest


@pytest.mark.parametrize(
    ("skill", "line"),
    [
        ("ann/db-advisor", "hub-index add ann/db-advisor"),
        ("two words", "hub-index add skill://hub/skills/two%20words/SKILL.md"),
        ("--help", "hub-index add skill://hub/skills/--help/SKILL.md"),
        ("x; touch y", "hub-index add 'skill://hub/skills/x;%20touch%20y/SKILL.md'"),
    ],
)
def test_the_line_installs_the_skill(world: InstallWorld, skill: str, line: str) -> None:
    """As `show` prints it and `read_skill` ends with it, whatever a hub calls its skills."""
    write_files(world.hub.root / "skills" / skill, OLD_FILES)
    world.hub.commit("skill")
    own = {"home": world.home, "cache_dir": world.root / "cache", "embed": "never"}
    with open_service([HubPlace("hub", str(world.hub.root))], **own) as service:  # type: ignore[arg-type]
        hit = service.show(f"hub:{skill}")
        answer = service.read(ReadRequest(hit.uri))
    assert install_line(hit.id, hit.path, hit.uri) == line
    assert line in write_text(answer, None, 10)
    assert line not in write_text(answer, None, 0)
    assert f"install:     {line}\n" in world.run("show", hit.uri).out
    assert world.run(*shlex.split(line)[1:], "--yes").code == 0
    assert read_folder(world.project / ".claude/skills" / skill.rpartition("/")[2]) == as_read(OLD_FILES)


def test_a_document_has_no_such_line() -> None:
    """A workflow is no skill."""
    assert install_line("workflows:deploy", "workflows", "skill://hub/workflows/deploy.md") == ""
