"""Every mode against every way in which meaning cannot be searched: exit code, mode and reason."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import lend_model_copy, model_cache

from hub_index.cli.main import main

_API_MODEL = "openai:some-model"
_CAN_FALL_BACK = ("auto", "hybrid")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub with a committed index by the embedded model."""
    hub = HubMaker(tmp_path_factory.mktemp("modes") / "hub")
    hub.git("config", "user.name", "Test Person")
    hub.git("config", "user.email", "person@example.invalid")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    hub.skill("slide-deck", "Make slides for a talk.")
    hub.commit("skills")
    assert main(["build", str(hub.root), "--cache", str(hub.root.parent / "cache")]) == 0
    hub.commit("index")
    return hub.root


@pytest.fixture
def hub(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HubMaker:
    """A clone of it for one test to spoil, searched as the user's synced hub."""
    home = tmp_path / "axon"
    home.mkdir()
    monkeypatch.setenv("AXON_HOME", str(home))
    monkeypatch.setenv("HUB_INDEX_CACHE", str(model_cache()))
    maker = HubMaker(home / "repo")
    maker.git("pull", "-q", str(published), "main")
    return maker


def _edit_manifest(hub: HubMaker, **fields: object) -> None:
    path = hub.root / "search/index_manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def _be_an_api_index(hub: HubMaker) -> None:
    _edit_manifest(hub, model_id=_API_MODEL, space="sha256:" + "0" * 64)


def _configure(monkeypatch: pytest.MonkeyPatch, url: str, key: str) -> None:
    monkeypatch.setenv("AXON_EMBEDDINGS_PROVIDER", "openai")
    monkeypatch.setenv("AXON_EMBEDDINGS_MODEL", _API_MODEL.partition(":")[2])
    monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", url)
    if key:
        monkeypatch.setenv("AXON_EMBEDDINGS_API_KEY", key)


class _Refuses(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing."""


def _missing_key(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    _be_an_api_index(hub)
    monkeypatch.setenv("AXON_EMBEDDINGS_PROVIDER", "openai")
    monkeypatch.setenv("AXON_EMBEDDINGS_MODEL", _API_MODEL.partition(":")[2])


def _no_network(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    _be_an_api_index(hub)
    _configure(monkeypatch, "http://127.0.0.1:9/v1", "k-123")


def _provider_error(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    _be_an_api_index(hub)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Refuses)
    Thread(target=server.serve_forever, daemon=True).start()
    _configure(monkeypatch, f"http://127.0.0.1:{server.server_port}/v1", "k-123")


def _mismatch(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    _configure(monkeypatch, "http://127.0.0.1:9/v1", "k-123")


def _missing(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (hub.root / "search").iterdir():
        path.unlink()
    (hub.root / "search").rmdir()


def _corrupt(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = hub.root.parent / "cache"  # a verified copy in the shared one would answer instead
    lend_model_copy(cache)
    monkeypatch.setenv("HUB_INDEX_CACHE", str(cache))
    path = hub.root / "search/vectors.f32"
    path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])


def _too_new(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    _edit_manifest(hub, index_version=3)


_FAULTS: dict[str, tuple[Any, int, str]] = {
    "missing key": (_missing_key, 2, "AXON_EMBEDDINGS_API_KEY"),
    "no network": (_no_network, 5, ""),
    "provider error": (_provider_error, 5, "401"),
    "model mismatch": (_mismatch, 6, "local:usem3"),
    "index missing": (_missing, 6, "hub-index s"),
    "index corrupt": (_corrupt, 6, "vectors.f32"),
    "index too new": (_too_new, 6, "pgrade"),
}


@pytest.mark.parametrize("mode", ["auto", "hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("fault", list(_FAULTS))
def test_f68_f69_modes_and_faults(
    hub: HubMaker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: str, mode: str
) -> None:
    """Keyword always answers; auto and hybrid fall back to it with the reason; semantic is an error of its own kind."""
    spoil, code, words = _FAULTS[fault]
    spoil(hub, monkeypatch)
    flags = [] if mode == "auto" else [f"--{mode}"]
    found = main(["search", "analyze slow queries", *flags, "--json"])
    shown = capsys.readouterr()
    if mode == "semantic":
        assert (found, shown.out) == (code, ""), shown.err
        assert words in shown.err
        return
    assert found == 0, shown.err
    answer = json.loads(shown.out)
    assert (answer["mode"], answer["hits"][0]["id"]) == ("keyword", "db-advisor")
    if mode in _CAN_FALL_BACK:
        assert words in answer["fallback_reason"]


@pytest.mark.parametrize("mode", ["auto", "hybrid", "keyword", "semantic"])
def test_f66_a_stale_index_is_used_with_a_notice(hub: HubMaker, capsys: pytest.CaptureFixture[str], mode: str) -> None:
    """New skills in the checkout do not take the index away, and the user hears of them."""
    hub.skill("newcomer", "Came after the index.")
    hub.commit("newer")
    assert main(["search", "analyze slow queries", *([] if mode == "auto" else [f"--{mode}"]), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["hits"][0]["id"] == "db-advisor"
    assert any("changed since" in notice for notice in answer["notices"])


def test_neither_index_nor_checkout_is_exit_6_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only with nothing to read at all does a keyword search fail."""
    monkeypatch.setenv("AXON_HOME", str(tmp_path))
    for mode in ("--keyword", "--hybrid", "--semantic"):
        assert main(["search", "anything", mode]) == 6
        assert "hub-index sync" in capsys.readouterr().err


def test_no_hits_are_no_error(hub: HubMaker, capsys: pytest.CaptureFixture[str]) -> None:
    """A query that nothing matches exits 0, and no list is announced."""
    assert main(["search", "zzzqqq", "--keyword"]) == 0
    assert capsys.readouterr().out == "No skill matches.\n"


@pytest.mark.parametrize("k", ["0", "-1", "x", "1.5"])
def test_f73_a_k_that_counts_nothing_is_a_usage_error(k: str) -> None:
    """0, negative and other than whole numbers: exit 2."""
    assert main(["search", "q", "--k", k]) == 2


def test_debug_says_what_was_used(hub: HubMaker, capsys: pytest.CaptureFixture[str]) -> None:
    """Provider, model id, index and the reason of a fall-back stand on stderr."""
    assert main(["search", "slides", "--debug"]) == 0
    shown = capsys.readouterr().err
    for line in (
        "mode: hybrid",
        "provider: local",
        "model id: local:usem3",
        f"index: {hub.root}/search",
        "fall-back: none",
    ):
        assert line in shown


@pytest.mark.parametrize("model", ["garbage", "nobody:x", "local:other", "openai:"])
def test_a_model_that_cannot_be_meant_is_a_settings_error(
    hub: HubMaker, capsys: pytest.CaptureFixture[str], model: str
) -> None:
    """That is not a mismatch of the index: exit 2, and the known providers or models are named."""
    assert main(["search", "slides", "--model", model]) == 2
    assert "local" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("query", "words"), [("slides since:yesterday", "since:yesterday"), ('"slides queries"', "slides queries")]
)
def test_what_could_not_be_taken_as_written_is_said(
    hub: HubMaker, capsys: pytest.CaptureFixture[str], query: str, words: str
) -> None:
    """A filter that cannot be read, or a phrase that nothing holds, was searched as words: a notice says so."""
    assert main(["search", "--keyword", "--json", "--", query]) == 0
    assert any(words in notice for notice in json.loads(capsys.readouterr().out)["notices"])


@pytest.mark.parametrize("name", ["AXON_EMBEDDINGS_PROVIDER", "AXON_EMBEDDINGS_MODEL"])
def test_settings_that_name_no_model_leave_the_words(
    hub: HubMaker, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a setting: a search answers by keyword and says why, `--semantic` and a wrong `--model` exit 2."""
    monkeypatch.setenv(name, "openai")
    assert main(["search", "slides", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["mode"], answer["hits"][0]["id"]) == ("keyword", "slide-deck")
    assert f"{name} is set without" in answer["fallback_reason"]
    assert main(["search", "slides", "--semantic"]) == 2
    assert f"{name} is set without" in capsys.readouterr().err
    assert main(["search", "slides", "--model", "openai"]) == 2
