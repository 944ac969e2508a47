"""The settings that start `hub-index mcp` in an agent: one text for each kind of agent."""

import json
from collections.abc import Sequence

CLIENTS = ("claude", "codex", "cursor", "vscode")
_NAME = "skills"
_WHERE = {
    "claude": "Claude Code: save as .mcp.json in your project, or run: claude mcp add {name} -- {command}",
    "codex": "Codex: add to ~/.codex/config.toml",
    "cursor": "Cursor: save as .cursor/mcp.json in your project, or as ~/.cursor/mcp.json",
    "vscode": "VS Code: save as .vscode/mcp.json in your project",
}


def write_config(client: str, command: str, arguments: Sequence[str]) -> str:
    """The settings, and nothing else, so that they can go into a file."""
    if client == "codex":
        listed = ", ".join(json.dumps(argument, ensure_ascii=False) for argument in arguments)
        return f"[mcp_servers.{_NAME}]\ncommand = {json.dumps(command, ensure_ascii=False)}\nargs = [{listed}]"
    server: dict[str, object] = {"command": command, "args": list(arguments)}
    if client == "vscode":
        return json.dumps({"servers": {_NAME: {"type": "stdio", **server}}}, indent=2, ensure_ascii=False)
    return json.dumps({"mcpServers": {_NAME: server}}, indent=2, ensure_ascii=False)


def explain_config(client: str, command: str, arguments: Sequence[str]) -> str:
    """Where the settings belong."""
    from shlex import join

    return _WHERE[client].format(name=_NAME, command=join([command, *arguments]))
