"""The Skills extension, plain resources, completion and the prompt, as the SDK's client meets them."""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import BlobResourceContents, ResourceTemplateReference, TextResourceContents
from support.servers.doors_world import make_odd_world, open_world
from support.servers.serving_world import ServingWorld

from hub_index.errors import ConfigError, SkillUnknown
from hub_index.serve.mcp import resources, skills_extension
from hub_index.serve.mcp.mcp_server import McpDoor
from hub_index.serve.work_queue import WorkQueue
from hub_index.service.service import Service

DB = "skill://odd/skills/ann/db"


@pytest.fixture
def service(odd_service: Service) -> Service:
    return odd_service


def with_client(world: ServingWorld, story: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
    async def run() -> Any:
        async with Client(f"{world.url}/mcp", mode=mode) as client:
            return await story(client)

    return asyncio.run(run())


def all_entries(service: Service) -> list[dict[str, Any]]:
    """Every page of skills/list."""
    entries: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = skills_extension.list_entries(service, cursor)
        assert page["ttlMs"] > 0
        entries += page["skills"]
        cursor = page.get("nextCursor", "")
        if not cursor:
            return entries


def test_skills_are_listed_with_all_their_files_and_true_digests(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page after page; what resources/read gives has the size and the digest that the entry says."""
    monkeypatch.setattr(skills_extension, "_PAGE", 3)
    entries = {entry["uri"]: entry for entry in all_entries(service)}
    files = {file["uri"]: file for file in entries[f"{DB}/SKILL.md"]["resources"]}
    assert set(files) == {f"{DB}/SKILL.md", f"{DB}/references/guide.md", f"{DB}/picture.bin"}
    assert entries[f"{DB}/SKILL.md"]["frontmatter"] == {"name": "db", "description": "Tune a database server."}
    for uri, file in files.items():
        (part,) = resources.read_resource(service, uri).contents
        content = part.text.encode() if isinstance(part, TextResourceContents) else _bytes(part)
        assert (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}") == (file["size"], file["digest"])


def test_skills_that_break_the_rule_are_plain_resources(service: Service) -> None:
    """Another name than the folder's, hidden characters, a workflow: not listed, but there."""
    listed = {entry["uri"] for entry in all_entries(service)}
    for path in ("skills/other-folder/SKILL.md", "skills/sly/SKILL.md", "workflows/release.md"):
        uri = f"skill://odd/{path}"
        assert uri not in listed
        assert resources.read_resource(service, uri).contents
        with pytest.raises(SkillUnknown):
            skills_extension.get_entry(service, uri)
    (sly,) = resources.read_resource(service, "skill://odd/skills/sly/SKILL.md").contents
    assert isinstance(sly, BlobResourceContents)  # as text it would carry what cannot be seen
    plain = {resource.uri for resource in resources.list_resources(service, "").resources}
    assert {f"{DB}/SKILL.md", "skill://odd/workflows/release.md"} <= plain


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "skill://",
        "skill://odd",
        "skill://other/skills/ann/db/SKILL.md",
        f"{DB}/secret",
        f"{DB}/../../../../etc/passwd",
        f"{DB}/%2e%2e/%2e%2e/SKILL.md",
        f"{DB}/references",
        f"{DB}/references/nope.md",
        "skill://odd/skills/%ff/SKILL.md",
        "file:///etc/passwd",
        "https://odd/skills/ann/db/SKILL.md",
        "skill://odd/" + "a" * 10_000,
    ],
)
def test_nothing_else_can_be_read(service: Service, uri: str) -> None:
    """Links, other folders, other schemes: refused as unknown."""
    with pytest.raises(ConfigError):
        resources.read_resource(service, uri)


def test_folders_are_listed_child_by_child(service: Service) -> None:
    """A folder's direct children; a file or a stranger's folder is refused."""
    top = skills_extension.read_directory(service, DB)["resources"]
    assert [(child["name"], child["mimeType"]) for child in top] == [
        ("SKILL.md", "text/markdown"),
        ("picture.bin", "application/octet-stream"),
        ("references", "inode/directory"),
    ]
    below = skills_extension.read_directory(service, f"{DB}/references")["resources"]
    assert [child["uri"] for child in below] == [f"{DB}/references/guide.md"]
    for uri in (f"{DB}/SKILL.md", f"{DB}/nope", "skill://odd/skills", "skill://odd/workflows"):
        with pytest.raises(ConfigError):
            skills_extension.read_directory(service, uri)


def test_by_the_sdks_client(odd: ServingWorld) -> None:
    """Declared, called by method, completed, prompted; an unknown skill is -32602."""
    from mcp.types import Request, RequestParams, Result

    class Params(RequestParams):
        uri: str

    class Answer(Result):
        skill: dict[str, Any]

    async def story(client: Client) -> None:
        assert client.server_capabilities.extensions == {"io.modelcontextprotocol/skills": {"directoryRead": True}}
        good = Request[Params, str](method="skills/get", params=Params(uri=f"{DB}/SKILL.md"))
        answer = await client.session.send_request(good, Answer)
        assert answer.skill["frontmatter"]["name"] == "db"
        with pytest.raises(MCPError) as caught:
            await client.read_resource("skill://odd/skills/nope/SKILL.md")
        assert caught.value.error.code == -32602
        reference = ResourceTemplateReference(uri=resources.TEMPLATE)
        found = await client.complete(reference, {"name": "path", "value": "skills/ann"})
        assert found.completion.values == ["skills/ann/db/SKILL.md"]
        by_id = await client.complete(reference, {"name": "path", "value": "ann/d"})
        assert by_id.completion.values == found.completion.values
        prompt = await client.get_prompt("look_for_a_skill", {"task": "tune it"})
        assert "find_skills" in str(prompt.messages[0].content)
        assert (await client.list_resource_templates()).resource_templates[0].uri_template == resources.TEMPLATE

    with_client(odd, story)


def test_a_client_of_2025_sees_and_uses_the_extension(odd: ServingWorld, odd_service: Service) -> None:
    """`initialize` declares it, over HTTP and on a stream, and the methods behind it answer."""
    from mcp.types import Request, RequestParams, Result

    class Page(Result):
        skills: list[dict[str, Any]]

    async def story(client: Client) -> None:
        assert client.protocol_version == "2025-11-25"
        assert client.server_capabilities.extensions == {"io.modelcontextprotocol/skills": {"directoryRead": True}}
        asked = Request[RequestParams, str](method="skills/list", params=RequestParams())
        page = await client.session.send_request(asked, Page)
        assert any(skill["uri"] == f"{DB}/SKILL.md" for skill in page.skills)

    async def on_a_stream() -> None:
        async with Client(McpDoor(odd_service, queue, 20.0).make_server(), mode="legacy") as client:
            await story(client)

    with_client(odd, story, mode="legacy")
    queue = WorkQueue("test")
    asyncio.run(on_a_stream())
    queue.close()


def test_a_hub_that_was_synced_meanwhile_is_noticed(tmp_path: Path) -> None:
    """A new skill is found, read and completed by the service that was open before it came."""
    world = make_odd_world(tmp_path)
    with open_world(world) as opened:
        completions = resources.Completions(opened)
        before = completions.complete("path", "skills/", "").total
        world.story.hub.skill("brand-new", "Juggle with flaming torches.")
        world.story.hub.commit("new")
        world.story.build()
        os.utime(world.hub / "search")
        uri = "skill://odd/skills/brand-new/SKILL.md"
        assert uri in {entry["uri"] for entry in all_entries(opened)}
        assert resources.read_resource(opened, uri).contents
        assert completions.complete("path", "skills/", "").total == (before or 0) + 1


def _bytes(part: BlobResourceContents) -> bytes:
    import base64

    return base64.b64decode(part.blob)
