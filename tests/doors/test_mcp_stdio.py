"""`hub-index mcp` as an agent's program starts it: an agent's whole story over stdio, its tokens counted."""

import asyncio
import json
import logging
import os
import subprocess
from pathlib import Path
from subprocess import PIPE
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index
from support.servers.doors_world import EXAMPLES, QUERIES, STDIO

from hub_index import open_index
from hub_index.service.budget import estimate_tokens

MAX_STORY_TOKENS = 2_500


def tokens_of(*results: CallToolResult) -> int:
    """Everything that could reach a model: both parts of every answer."""
    total = 0
    for result in results:
        total += estimate_tokens(json.dumps(result.structured_content, ensure_ascii=False))
        total += sum(estimate_tokens(part.text) for part in result.content if isinstance(part, TextContent))
    return total


async def tell_story(client: Client) -> dict[str, Any]:
    """Find, read the heading, related, report: what an agent does with a skill."""
    found = await client.call_tool("find_skills", {"query": QUERIES[0], "k": 3})
    uri = found.structured_content["hits"][0]["uri"]
    text = await client.call_tool("read_skill", {"uri": uri, "heading": "Collect"})
    related = await client.call_tool("related_skills", {"uri": uri, "k": 3})
    reported = {"search_id": found.structured_content["search_id"], "uri": uri, "outcome": "accept"}
    report = await client.call_tool("report_use", reported)
    wrong = await client.call_tool("read_skill", {"uri": "skill://hub/skills/nope/SKILL.md"})
    others = await client.call_tool("find_skills", {"query": QUERIES[1], "k": 5})
    tools = await client.list_tools()
    story = {"found": found, "text": text, "related": related, "report": report}
    return story | {"wrong": wrong, "others": others, "tools": tools}


def test_an_agents_story(tmp_path: Path) -> None:
    """From the task to a section of the right skill, under 2,500 tokens, tools included."""
    environment = dict(os.environ) | {"HUB_INDEX_CACHE": str(model_cache()), "AXON_HOME": str(tmp_path)}
    environment["AXON_TRACES"] = "on"
    errors = tmp_path / "stderr"

    async def run() -> dict[str, Any]:
        parameters = StdioServerParameters(command=STDIO[0], args=STDIO[1:], env=environment)
        with errors.open("w") as stderr:
            async with Client(stdio_client(parameters, errlog=stderr)) as client:
                return await tell_story(client)

    said = asyncio.run(run())
    assert said["found"].structured_content["verdict"] == "strong"
    assert said["found"].structured_content["hits"][0]["id"] == "db-advisor"
    assert said["text"].structured_content["text"].startswith("## Collect\n")
    assert "pg_stat_statements" in said["text"].content[0].text
    assert len(said["related"].structured_content["hits"]) == 3
    assert said["wrong"].is_error
    assert said["wrong"].content[0].text.startswith("SkillUnknown: ")
    schemas = [{"n": tool.name, "d": tool.description, "i": tool.input_schema} for tool in said["tools"].tools]
    assert said["report"].structured_content == {"recorded": True}
    total = tokens_of(*[said[step] for step in ("found", "text", "related", "report")]) + estimate_tokens(
        json.dumps(schemas)
    )
    logging.getLogger(__name__).info("the story: %d tokens", total)  # pytest --log-cli-level=INFO shows it
    assert total < MAX_STORY_TOKENS, total
    assert errors.read_text() == ""
    with open_index(EXAMPLES.index_dir, EXAMPLES.folder, cache_dir=model_cache(), home=tmp_path) as index:
        expected = [(hit.id, hit.score) for hit in index.search(QUERIES[1], k=5)]
    assert [(hit["id"], hit["score"]) for hit in said["others"].structured_content["hits"]] == expected


def test_a_client_that_leaves_while_it_is_answered_is_no_error(tmp_path: Path) -> None:
    """An agent's program that is killed closes its pipes: the server ends without a word."""
    environment = dict(os.environ) | {"HUB_INDEX_CACHE": str(model_cache()), "AXON_HOME": str(tmp_path)}
    call = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    with subprocess.Popen(STDIO, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdin.write(call)
        server.stdin.flush()
        server.stdout.readline()  # it runs
        server.stdout.close()
        server.stdin.write(call)
        server.stdin.close()
        assert (server.stderr.read(), server.wait(60)) == (b"", 0)


def test_calls_in_a_file_are_all_answered(tmp_path: Path) -> None:
    """stdin ends right behind the last call: what was asked before is answered, and the server ends."""
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "file", "version": "1"}}
    find = {"name": "find_skills", "arguments": {"query": QUERIES[0]}}
    calls: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": first},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": "three", "method": "tools/call", "params": find},
    ]
    environment = dict(os.environ) | {"HUB_INDEX_CACHE": str(model_cache()), "AXON_HOME": str(tmp_path)}
    lines = "".join(json.dumps({"jsonrpc": "2.0"} | call) + "\n" for call in calls)
    done = subprocess.run(STDIO, input=lines, capture_output=True, text=True, env=environment, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert all("result" in answers[call_id] for call_id in (1, 2, "three")), answers
    assert answers["three"]["result"]["structuredContent"]["hits"][0]["id"] == "db-advisor"


def test_what_to_paste_into_each_agent(tmp_path: Path) -> None:
    """Settings on stdout, where they belong on stderr; folders as absolute paths."""
    import tomllib

    hub = tmp_path / "my hub"
    skill = hub / "skills/pdf/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: pdf\ndescription: Merge PDF files.\n---\n")
    for client in ("claude", "codex", "cursor", "vscode", "gemini"):
        outcome = hub_index("mcp", "--hub", "my hub", "--print-config", client, cwd=tmp_path)
        assert outcome.code == 0, outcome.err
        value = tomllib.loads(outcome.out) if client == "codex" else json.loads(outcome.out)
        top = {"codex": "mcp_servers", "vscode": "servers"}.get(client, "mcpServers")
        server = value[top]["skills"]
        assert server["args"][-3:] == ["mcp", "--hub", str(hub)]
        assert os.path.isabs(server["command"])
        assert outcome.err.count("\n") == 1
    here = hub_index("mcp", "--print-config", "claude", cwd=hub / "skills")
    assert json.loads(here.out)["mcpServers"]["skills"]["args"][-2:] == ["--hub", str(hub)]
