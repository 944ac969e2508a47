"""F43: the key is in no file, no output, no traceback, no log and no command line, whatever goes wrong."""

import contextlib
import json
import traceback
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.provider_world import CANARY, IMPATIENT, WIRES, served_encoder
from support.models.scripted_server import (
    Handler,
    Reply,
    Request,
    ScriptedServer,
    WireFormat,
    edited,
    hang,
    ok,
    raw,
    redirect,
    reset,
    status,
)
from support.processes.cli_runner import hub_index

ECHO = {"error": {"message": f"you sent {CANARY}", "code": CANARY}, "detail": f"you sent {CANARY}"}
RUNS: dict[str, Reply | None] = {
    "good": None,
    "refused": status(401, ECHO),
    "bad request": status(400, ECHO, {"X-Echo": CANARY}),
    "too long": status(413, ECHO),
    "unknown status": status(418, ECHO),
    "another model": edited(lambda payload: {**payload, "model": CANARY}),
    "not JSON": raw(f"<html>{CANARY}</html>".encode()),
    "no list": raw(json.dumps({"data": CANARY, "model": CANARY}).encode()),
    "redirect": redirect(302, f"http://127.0.0.1:9/{CANARY}"),
}
SDK_LOGS = {"OPENAI_LOG": "debug", "VOYAGE_LOG": "debug"}


def _hub(folder: Path) -> HubMaker:
    maker = HubMaker(folder)
    maker.skills(3)
    maker.commit()
    return maker


def _bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".env")


def _run(server: ScriptedServer, hub: HubMaker, home: Path, *more: str, key_in_file: bool = False) -> str:
    """Everything that a build in a child process prints, with all logs on."""
    environment = SDK_LOGS | {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    environment["AXON_EMBEDDINGS_BASE_URL"] = server.url
    if key_in_file:
        (home / ".axon").mkdir(exist_ok=True)
        (home / ".axon" / ".env").write_text(f"AXON_EMBEDDINGS_API_KEY='{CANARY}'\n")
    else:
        environment["AXON_EMBEDDINGS_API_KEY"] = CANARY
    done = hub_index("build", hub.root, "--model", f"{server.wire}:m", "--debug", *more, env=environment)
    return done.out + done.err


@pytest.mark.parametrize("wire", ["openai", "voyage"])  # Azure goes by OpenAI's SDK; its errors are looked at below
def test_f43_no_byte_of_a_failing_run_shows_the_key(wire: WireFormat, tmp_path: Path) -> None:
    """A server that quotes the key wherever it can, all logs and --debug on: it is found in nothing written or said."""
    hub = _hub(tmp_path / "hub")
    with ScriptedServer(wire) as server:
        server.default = status(400, ECHO, {"X-Echo": CANARY})
        printed = _run(server, hub, tmp_path)
        assert any(CANARY in " ".join(request.headers.values()) for request in server.requests)  # it was really sent
    assert "Traceback" in printed
    assert CANARY not in printed
    assert CANARY.encode() not in _bytes_below(tmp_path)


def test_f43_no_byte_of_a_good_run_shows_the_key_nor_does_any_process_argument(tmp_path: Path) -> None:
    """The key is read from .env: it is in no artifact, cache file, log or command line."""
    hub = _hub(tmp_path / "hub")
    command_lines: list[bytes] = []

    def look_around(handler: Handler, request: Request) -> None:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                command_lines.append(process.read_bytes())
        ok(handler, request)

    with ScriptedServer() as server:
        server.default = look_around
        printed = _run(server, hub, tmp_path, key_in_file=True)
        assert any(CANARY in " ".join(request.headers.values()) for request in server.requests)
    assert (hub.root / "search" / "vectors.f32").exists()
    assert any(b"hub_index" in line for line in command_lines)
    assert not any(CANARY.encode() in line for line in command_lines)
    assert CANARY not in printed
    assert CANARY.encode() not in _bytes_below(tmp_path)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("run", RUNS)
def test_f43_errors_carry_no_key_even_in_their_chain(wire: WireFormat, run: str, tmp_path: Path) -> None:
    """The traceback of each error, causes and contexts included, is free of what the server quoted."""
    from hub_index.errors import HubIndexError

    with served_encoder(wire) as (server, encoder):
        server.default = RUNS[run] or server.default
        try:
            encoder.embed_documents(["a"])
            shown = ""
        except HubIndexError as error:
            shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
            chain: list[BaseException] = [error]
            while chain[-1].__cause__ is not None:
                chain.append(chain[-1].__cause__)
            assert len(chain) == 1 or all(isinstance(link, HubIndexError) for link in chain)
    assert CANARY not in shown
    assert bool(shown) == (run != "good" and (wire, run) != ("azure-openai", "another model"))
    assert CANARY not in repr(encoder.__getstate__())


@pytest.mark.parametrize("fault", [reset, hang])
def test_f43_a_broken_connection_says_nothing_of_the_key(fault: Reply) -> None:
    """Errors of the HTTP libraries hold the request; their text must not reach ours."""
    from hub_index.errors import ProviderUnavailable

    with served_encoder() as (server, encoder):
        server.default = fault
        encoder.policy = IMPATIENT
        with pytest.raises(ProviderUnavailable) as caught:
            encoder.embed_documents(["a"])
    assert CANARY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("key", [f"{CANARY}\n{CANARY}", f"“{CANARY}”", f"{CANARY} x", f"{CANARY}\x00"])
def test_f43_a_key_that_no_header_can_carry_is_refused_without_being_quoted(key: str, tmp_path: Path) -> None:
    """HTTP libraries quote an illegal header value in their error; so such a key never reaches them."""
    from hub_index.errors import ConfigError
    from hub_index.settings import read_api_key

    with pytest.raises(ConfigError, match="AXON_EMBEDDINGS_API_KEY") as caught:
        read_api_key(str(tmp_path / "none"), {"AXON_EMBEDDINGS_API_KEY": key})
    assert CANARY not in str(caught.value)
