"""The line that installs a skill: `show`, MCP and the page say the same, and a shell runs it."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.installs.install_world import OLD_FILES, InstallWorld, as_read, read_folder, write_files
from support.pages.page_engine import needs_node

from hub_index.serve.mcp.texts import write_text
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.hubs.reference import install_line
from hub_index.service.requests import ReadRequest

WEB = Path(__file__).resolve().parents[2] / "hub_index/page/web"


@pytest.mark.parametrize(
    ("skill", "line"),
    [
        ("ann/db-advisor", "hub-index add ann/db-advisor"),
        ("two words", "hub-index add 'two words'"),
        ("--help", "hub-index add -- --help"),
        ("x; touch y", "hub-index add 'x; touch y'"),
        ("it's", "hub-index add 'it'\\''s'"),
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
    assert install_line(hit.id, hit.path) == line
    assert line in write_text(answer, None, 10)
    assert line not in write_text(answer, None, 0)
    assert f"install:     {line}\n" in world.run("show", hit.uri).out
    command, *rest = shlex.split(line)[1:]
    assert world.run(command, "--yes", "--hub", world.hub.root, *rest, hub=False).code == 0
    assert read_folder(world.project / ".claude/skills" / skill.rpartition("/")[2]) == as_read(OLD_FILES)


def test_a_document_has_no_such_line() -> None:
    """A workflow is no skill."""
    assert install_line("workflows:deploy", "workflows") == ""


@needs_node
def test_the_page_gives_the_same_line(tmp_path: Path) -> None:
    """The same function in JavaScript, for every odd id."""
    ids = ["ann/db-advisor", "two words", "--help", "it's", "$(touch gone)", "技能", "`x`", "a\\b", "root", "a:b"]
    shutil.copy(WEB / "install_line.js", tmp_path / "install_line.mjs")
    code = (
        "const { installLine } = await import(process.argv[1]);"
        "console.log(JSON.stringify(JSON.parse(process.argv[2]).map((id) => installLine({ id, kind: 'skill' }))));"
        "console.log(installLine({ id: 'workflows:deploy', kind: 'workflow' }) === '');"
    )
    command = ["node", "--input-type=module", "-e", code, str(tmp_path / "install_line.mjs"), json.dumps(ids)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines, is_empty = done.stdout.splitlines()
    assert json.loads(lines) == [install_line(id_, f"skills/{id_}") for id_ in ids]
    assert is_empty == "true"


def test_add_quotes_the_bytes_that_it_copies(world: InstallWorld) -> None:
    """Neither an older index nor an edit that is not committed says what a skill is."""
    edited = world.hub.root / "skills/other/SKILL.md"
    edited.write_text("---\nname: other\ndescription: Sharpens kitchen knives.\n---\n\n# Body\n")
    outcome = world.run("add", "other", "--yes")
    assert "says of itself: “Does something else.”" in outcome.out
    assert "knives" not in outcome.out
