"""F43: the password of an address is in no output of any command, however the address was mangled."""

import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import CommandOutcome, hub_index_here

CANARY = "QUOKKA"
# what stands where a scheme should be: whole, cut short, mistyped, or nothing at all
STARTS = ("https://", "https:/", "https//", "https:", "http s://", " https://", "//", "/", "", "ext::https://")
STORE_STARTS = ("postgresql://", "postgres://", "postgresql:/", "postgresql//", "mysql://", "")
ENDS = ("127.0.0.1:1/x", "127.0.0.1/x", "[::1]:1/x", "127.0.0.1:1", "127.0.0.1:x", "/db?host=/nonexistent")
AROUND = st.text("aA1:/@?#%&= '\"", max_size=4)
Command = Callable[[str], CommandOutcome]


def addresses(starts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """An address with a user and a password that holds the canary, of which any sign may be a wrong one."""
    password = st.builds("{}{}{}".format, AROUND, st.just(CANARY), AROUND)
    users = st.sampled_from(("bob:", "bob@srv:", ":"))
    return st.builds("{}{}{}@{}".format, st.sampled_from(starts), users, password, st.sampled_from(ENDS))


def run(*arguments: str, **environment: str) -> Command:
    """A command line whose word ADDRESS is replaced."""

    def command(address: str) -> CommandOutcome:
        line = [argument.replace("ADDRESS", address) for argument in arguments]
        return hub_index_here(*line, env={name: text.replace("ADDRESS", address) for name, text in environment.items()})

    return command


def listed(*arguments: str) -> Command:
    """A command line beside a hubs.toml that names the address."""

    def command(address: str) -> CommandOutcome:
        with tempfile.TemporaryDirectory() as home:
            quoted = address.replace("\\", "\\\\").replace('"', '\\"')
            Path(home, "hubs.toml").write_text(f'[hubs]\nteam = "{quoted}"\n', encoding="utf-8")
            return hub_index_here(*arguments, AXON_HOME=home)

    return command


@cache
def home_with_clone() -> Path:
    """A home with a synced hub, whose remote each example names anew."""
    home = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
    hub = HubMaker(home / "repo")
    hub.skill("one")
    hub.commit()
    return home


def remote(*arguments: str) -> Command:
    """A command line on a clone whose own settings hold the address."""

    def command(address: str) -> CommandOutcome:
        home = home_with_clone()
        HubMaker(home / "repo").git("config", "remote.origin.url", address)
        return hub_index_here(*arguments, cwd=home, AXON_HOME=str(home))

    return command


HUB_COMMANDS: dict[str, Command] = {
    "sync": run("sync", "ADDRESS"),
    "sync as JSON": run("sync", "--json", "ADDRESS"),
    "sync with its traceback": run("sync", "--debug", "ADDRESS"),
    "sync with too many words": run("sync", "x", "ADDRESS"),
    "no verb": run("ADDRESS"),
    "a misspelt option": run("search", "q", "--stor=ADDRESS"),
    "a hub of a search": run("search", "q", "--debug", "--hub", "ADDRESS"),
    "a hub of a build": run("build", "ADDRESS"),
    "a hub of the doctor": run("doctor", "--hub", "ADDRESS"),
    "a hub for an agent": run("mcp", "--print-config", "claude", "--hub", "ADDRESS"),
    "a remote of publish": run("publish", ".", "--push", "--remote", "ADDRESS"),
    "the embeddings' address": run("doctor", AXON_EMBEDDINGS_BASE_URL="ADDRESS", AXON_EMBEDDINGS_PROVIDER="openai"),
    "the reranker's address": run("search", "q", "--rerank", "tei:m", "--debug", AXON_RERANK_BASE_URL="ADDRESS"),
    "hubs.toml, sync": listed("sync", "--json"),
    "hubs.toml, doctor": listed("doctor", "--json"),
    "hubs.toml, search": listed("search", "q", "--debug"),
    "hubs.toml, list": listed("list", "--json"),
    "a clone's own settings, sync": remote("sync", "--debug"),
    "a clone's own settings, publish": remote("publish", "repo", "--push", "--json"),
    "a clone's own settings, page": remote("page", "repo", "--out", "page"),
}
STORE_COMMANDS: dict[str, Command] = {
    "search": run("search", "q", "--store", "ADDRESS"),
    "search with its traceback": run("search", "q", "--debug", "--store", "ADDRESS"),
    "the variable": run("list", "--json", HUB_INDEX_STORE="ADDRESS"),
    "a misspelt option": run("search", "q", "--stor", "ADDRESS"),
    "export": run("export", "postgres", "ADDRESS"),
    "export as JSON": run("export", "postgres", "ADDRESS", "--json", "--remove", "x"),
    "an agent's settings": run("mcp", "--print-config", "claude", "--store", "ADDRESS"),
    "doctor": run("doctor", HUB_INDEX_STORE="ADDRESS"),
}


def shows_canary(command: Command, address: str) -> bool:
    done = command(address)
    return CANARY in done.out + done.err


@pytest.fixture(autouse=True, scope="module")
def _without_ssh() -> Iterator[None]:
    """No server that an address happens to name is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_SSH_COMMAND", "false")
        yield


@pytest.mark.parametrize("name", HUB_COMMANDS)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(address=addresses(STARTS))
def test_f43_no_command_shows_the_password_of_a_mangled_address(name: str, address: str) -> None:
    """The password may hold anything, and any sign of the address may be missing."""
    assert not shows_canary(HUB_COMMANDS[name], address)


@pytest.mark.parametrize("name", STORE_COMMANDS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(address=addresses(STORE_STARTS))
def test_f43_no_command_shows_the_password_of_a_mangled_store(name: str, address: str) -> None:
    """Neither our words nor those of psycopg and libpq, which quote what they cannot read."""
    assert not shows_canary(STORE_COMMANDS[name], address)
