"""`hub-index mcp`: the hubs as tools for an agent, on stdin and stdout."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence

from hub_index.base.install_hint import check_extra
from hub_index.cli.arguments import VerbParser
from hub_index.cli.terminal import notice
from hub_index.cli.user_settings import settings_from
from hub_index.cli.wiring.hub_here import places_from
from hub_index.cli.wiring.search_tools import open_search_service, recorded
from hub_index.cli.wiring.search_wiring import add_index_options, add_installed
from hub_index.errors import ConfigError, HubIndexError

_EXAMPLES = """\
  hub-index mcp                                   started by an agent's program, never by hand
  hub-index mcp --print-config claude             what to paste so that it is
  hub-index mcp --hub path/to/hub --hub ~/.claude/skills --print-config codex"""

CLIENTS = ("claude", "codex", "cursor", "vscode", "gemini")
_NAME = "skills"
_WHERE = {
    "claude": "Claude Code: save as .mcp.json in your project, or run: claude mcp add {name} -- {command}",
    "codex": "Codex: add to ~/.codex/config.toml",
    "cursor": "Cursor: save as .cursor/mcp.json in your project, or as ~/.cursor/mcp.json",
    "vscode": "VS Code: save as .vscode/mcp.json in your project",
    "gemini": "Gemini CLI: add to .gemini/settings.json in your project, or to ~/.gemini/settings.json",
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("mcp", "Offer the hubs to an agent: search, read and related as MCP tools.", _EXAMPLES)
    add_index_options(parser, several=True, store=True)
    add_installed(parser)
    parser.add_argument("--print-config", choices=CLIENTS, help="print the settings for an agent, and end")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Serves one agent until it leaves, which is how it ends: exit code 0."""
    if arguments.print_config:
        return _print_config(arguments)

    check_extra("mcp", "mcp", ("mcp",))
    from hub_index.serve.mcp.stdio import run_stdio

    settings = settings_from(arguments)
    with open_search_service(arguments, settings, embed="behind") as service, recorded(service, settings):
        run_stdio(service)
    return 0


def _print_config(arguments: argparse.Namespace) -> int:
    import shutil

    program = shutil.which("hub-index", path=os.path.dirname(sys.executable)) or shutil.which("hub-index")
    command, first = (program, ["mcp"]) if program else (sys.executable, ["-m", "hub_index", "mcp"])
    options = first + _absolute_options(arguments)
    print(write_config(arguments.print_config, command, options), flush=True)  # where it is lost, that is all to say
    notice(explain_config(arguments.print_config, command, options))
    for problem in _why_not_started(arguments):
        notice(f"note: it is not ready yet: {problem}")
    return 0


def _why_not_started(arguments: argparse.Namespace) -> Iterator[str]:
    """What is missing for the printed command to start: the extra, or a hub to search."""
    try:
        check_extra("mcp", "mcp", ("mcp",))
    except ConfigError as error:
        yield str(error)
    try:
        with open_search_service(arguments, settings_from(arguments), embed="never") as service:
            yield from (hub.reason for hub in service.status().hubs if hub.state == "unusable")
    except HubIndexError as error:
        yield str(error)


def _store_without_password(url: str) -> str:
    """The address, as it goes into a file. Raises ConfigError if it holds a password."""
    from hub_index.postgres.connection import parse_address

    if parse_address(url).has_password:
        raise ConfigError(
            "the store's address holds a password, which would be written into the agent's settings; keep it in "
            "~/.pgpass and give the address without it"
        )
    return url


def _absolute_options(arguments: argparse.Namespace) -> list[str]:
    """The options to start with; folders as absolute paths, since an agent starts us anywhere."""
    options: list[str] = []
    for hub in arguments.hub or _hub_to_name(arguments):
        options += ["--hub", os.path.abspath(hub) if os.path.isdir(hub) else hub]
    if arguments.index_dir:
        options += ["--index-dir", os.path.abspath(arguments.index_dir)]
    if arguments.store:
        options += ["--store", _store_without_password(arguments.store)]
    if arguments.installed:
        options.append("--installed")
    if arguments.model:
        options += ["--model", arguments.model]
    return options


def _hub_to_name(arguments: argparse.Namespace) -> Sequence[str]:
    """The hub that the user stands in, if the agent would not find it from elsewhere."""
    if arguments.index_dir or arguments.store:
        return ()
    places = places_from(arguments, settings_from(arguments).axon_home)
    return [place.folder for place in places if place.folder and not place.is_listed]


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
