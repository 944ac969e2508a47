"""A skill's own file is the one that git's index names, or every answer says that it is not."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp.types import CallToolResult, TextContent
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.searches.search_world import WordEncoder
from support.servers.service_world import ServiceWorld
from support.servers.serving_world import serving

from hub_index.base.characters import quote_line
from hub_index.export.well_known import export_well_known
from hub_index.serve.mcp.calls import ToolCalls
from hub_index.serve.mcp.resources import NOTICES, read_resource
from hub_index.service.budget import estimate_tokens
from hub_index.service.requests import FindRequest, ReadRequest
from hub_index.service.service import Service

_EDITED = "“skills/a/SKILL.md” is served as it stands in the checkout: its bytes are not those of git's index"
_NEVER_ADDED = "“skills/a/SKILL.md” is served as it stands in the checkout: it was never added to git"


def _read(service: Service, _: Path) -> str:
    return str(service.read(ReadRequest("a")).notices)


def _find_passages(service: Service, _: Path) -> str:
    return str(service.find(FindRequest("potatoes", include_text=True, mode="keyword")).notices)


def _ask_http(path: str) -> Callable[[Service, Path], str]:
    def ask(service: Service, _: Path) -> str:
        with serving(service=service) as world:
            return str(world.ask("GET", path).value["notices"])

    return ask


def _call_tool(service: Service, _: Path) -> str:
    result = ToolCalls(service, 10).call("read_skill", {"uri": "a"})
    notices = (result.structured_content or {}).get("notices", ())
    (text,) = _texts(result)
    assert all(quote_line(notice) in text for notice in notices)
    return str(notices)


def _texts(result: CallToolResult) -> list[str]:
    return [part.text for part in result.content if isinstance(part, TextContent)]


def _read_resource(service: Service, _: Path) -> str:
    return str((read_resource(service, "skill://one/skills/a/SKILL.md").meta or {}).get(NOTICES))


def _export(service: Service, out: Path) -> str:
    return str(export_well_known(service.hubs[0], str(out)).notices)


READERS: dict[str, Callable[[Service, Path], str]] = {
    "read": _read,
    "passages of hits": _find_passages,
    "GET skill": _ask_http("/skills/a"),
    "GET spans": _ask_http("/spans?skill=a"),
    "MCP read_skill": _call_tool,
    "MCP resource": _read_resource,
    "export --well-known": _export,
}


@pytest.fixture
def world(tmp_path: Path) -> ServiceWorld:
    """No hub yet."""
    return ServiceWorld(tmp_path, WordEncoder())


def _add_hub(world: ServiceWorld, *init: str) -> HubMaker:
    """A committed hub of two skills with its index."""
    subprocess.run(["git", "init", "-q", *init, str(world.root / "one")], check=True)
    hub = HubMaker(world.root / "one")
    hub.skill("a", "Peels potatoes.")
    hub.skill("b", "Cooks potatoes.")
    hub.commit("skills")
    BuildStory(hub, world.encoder).build()
    hub.commit("index")
    return hub


@pytest.mark.parametrize("reader", READERS)
def test_an_edited_file_is_served_and_said_to_be_edited(world: ServiceWorld, reader: str, tmp_path: Path) -> None:
    """Nothing is said before the edit, nor once it is added."""
    hub = _add_hub(world)
    with world.open("one") as service:
        ask = READERS[reader]
        assert "as it stands" not in ask(service, tmp_path / "out")
        hub.skill("a", "Peels potatoes.", body="# Edited\n")
        assert _EDITED in ask(service, tmp_path / "out")
        hub.git("add", "-A")
        assert "as it stands" not in ask(service, tmp_path / "out")


@pytest.mark.parametrize("options", [("--object-format=sha256",), ()])
def test_both_kinds_of_blobs_are_told_apart(world: ServiceWorld, options: tuple[str, ...], tmp_path: Path) -> None:
    """By the hash that the repository uses."""
    hub = _add_hub(world, *options)
    with world.open("one") as service:
        assert _read(service, tmp_path) == "()"
        hub.write("skills/a/SKILL.md", b"---\nname: a\ndescription: Peels potatoes.\n---\n\n# Edited\n")
        assert _EDITED in _read(service, tmp_path)


def test_a_file_that_git_converts_is_said_to_differ(world: ServiceWorld, tmp_path: Path) -> None:
    """Line ends are other bytes than the blob's."""
    hub = _add_hub(world)
    hub.git("config", "core.autocrlf", "true")
    (hub.root / "skills/a/SKILL.md").unlink()
    hub.git("checkout", "--", "skills/a/SKILL.md")
    assert b"\r\n" in (hub.root / "skills/a/SKILL.md").read_bytes()
    with world.open("one") as service:
        assert "or git converts it" in _read(service, tmp_path)


def test_a_file_that_git_does_not_know_is_said_so(world: ServiceWorld, tmp_path: Path) -> None:
    """Taken out of git's index, and still in the folder."""
    hub = _add_hub(world)
    hub.git("rm", "-q", "--cached", "skills/a/SKILL.md")
    with world.open("one") as service:
        assert _NEVER_ADDED in _read(service, tmp_path)


def test_without_git_nothing_is_said(world: ServiceWorld, tmp_path: Path) -> None:
    """A plain folder has no other bytes to be compared with."""
    hub = _add_hub(world)
    hub.root.joinpath(".git").rename(tmp_path / "git")
    with world.open("one", embed="never") as service:
        assert _read(service, tmp_path) == "()"


def test_files_beside_are_not_compared(world: ServiceWorld, tmp_path: Path) -> None:
    """What is promised is of a skill's own file."""
    hub = _add_hub(world)
    hub.write("skills/a/notes.md", "Notes.\n")
    with world.open("one") as service:
        assert service.read(ReadRequest("a", file="notes.md")).notices == ()


def test_a_hub_that_is_a_folder_of_its_repository_is_compared_too(world: ServiceWorld, tmp_path: Path) -> None:
    """Paths of git's index begin at the repository's root."""
    hub = HubMaker(tmp_path)
    for name in ("a", "b"):
        hub.write(f"one/skills/{name}/SKILL.md", f"---\nname: {name}\ndescription: Peels potatoes.\n---\n\n# Body\n")
    hub.git("add", "one")
    hub.git("commit", "-q", "-m", "skills")
    with world.open("one", embed="never") as service:
        assert _read(service, tmp_path) == "()"
        hub.write("one/skills/a/SKILL.md", "---\nname: a\ndescription: Peels potatoes.\n---\n\n# Edited\n")
        assert _EDITED in _read(service, tmp_path)


def test_the_notice_counts_against_the_budget(world: ServiceWorld) -> None:
    """An agent's budget holds for an edited skill as well."""
    hub = _add_hub(world)
    hub.skill("a", "Peels potatoes.", body="Long words of a body.\n" * 200)
    with world.open("one") as service:
        result = ToolCalls(service, 10).call("read_skill", {"uri": "a", "max_tokens": 400})
    said = [json.dumps(result.structured_content, ensure_ascii=False), *_texts(result)]
    assert max(map(estimate_tokens, said)) <= 400
    assert _EDITED in said[0]
    assert quote_line(_EDITED).removesuffix("”") in said[1]
