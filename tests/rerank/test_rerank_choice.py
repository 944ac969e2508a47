"""Who is asked to rerank: named by the user alone, and a key goes to nobody else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.provider_world import CANARY
from support.models.rerank_server import RerankServer, status

from hub_index.cli.main import main
from hub_index.embedding.rerank.api_reranker import rerank_usd
from hub_index.embedding.rerank.reranker_choice import make_reranker
from hub_index.errors import ConfigError
from hub_index.settings import read_settings


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[RerankServer]:
    """A server, and a key for it."""
    with RerankServer("cohere") as served:
        monkeypatch.setenv("AXON_RERANK_BASE_URL", served.url)
        monkeypatch.setenv("AXON_RERANK_API_KEY", CANARY)
        yield served


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """Three skills, one of which a server likes best."""
    maker = HubMaker(tmp_path / "hub")
    for name, text in (("one", "Read a log file."), ("two", "Read a log of a zebra."), ("three", "Read a log again.")):
        maker.skill(name, text)
    maker.commit()
    return maker


def first_hit(hub: HubMaker, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The best hit of a keyword search."""
    assert main(["search", "read log", "--hub", str(hub.root), "--keyword", "--json", *options]) == 0
    return str(json.loads(capsys.readouterr().out)["hits"][0]["id"])


def test_an_option_the_environment_and_the_file_name_a_reranker(
    hub: HubMaker,
    server: RerankServer,
    own_world: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Off by default; `none` switches off what the environment names; --diverse wins over it."""
    plain = first_hit(hub, capsys)
    assert plain != "two"
    assert server.requests == []
    assert first_hit(hub, capsys, "--rerank", "cohere:m", "--rerank-depth", "3") == "two"
    monkeypatch.setenv("AXON_RERANK", "cohere:m")
    assert first_hit(hub, capsys) == "two"
    assert first_hit(hub, capsys, "--rerank", "none") == plain
    assert first_hit(hub, capsys, "--diverse") == plain
    monkeypatch.delenv("AXON_RERANK")
    (own_world / ".axon").mkdir()
    (own_world / ".axon/.env").write_text("AXON_RERANK=cohere:m\nAXON_RERANK_DEPTH=2\n")
    assert first_hit(hub, capsys, "--k", "1") in ("one", "two", "three")
    assert len(server.requests[-1][1]["documents"]) == 2


def test_people_see_the_order_its_scores_and_its_cost(
    hub: HubMaker, server: RerankServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A note on stderr, a fact in --explain; a failure is a note, too, and exit 0."""
    ask = ["search", "read log", "--hub", str(hub.root), "--keyword", "--rerank", "cohere:m", "--explain"]
    assert main(ask) == 0
    told = capsys.readouterr()
    assert "the first 3 are in the order of cohere:m (1,000 tokens, cost unknown)" in told.err
    assert "rerank 0.600" in told.out
    server.script = [status(401)]
    assert main(ask) == 0
    told = capsys.readouterr()
    assert "not reranked" in told.err
    assert "check AXON_RERANK_API_KEY" in told.err
    assert CANARY not in told.err + told.out


def test_a_key_goes_to_the_provider_that_it_was_set_for(server: RerankServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """AXON_RERANK names cohere: an option that names another gets neither its key nor its address."""
    monkeypatch.setenv("AXON_RERANK", "cohere:m")
    with pytest.raises(ConfigError, match="names another provider than voyage"):
        make_reranker("voyage:rerank-2.5", read_settings())
    make_reranker("cohere:other", read_settings()).close()


def test_the_embeddings_key_is_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reranker has a key of its own, or none."""
    monkeypatch.setenv("AXON_EMBEDDINGS_API_KEY", CANARY)
    with RerankServer("jina") as served:
        monkeypatch.setenv("AXON_RERANK_BASE_URL", served.url)
        make_reranker("jina:m", read_settings()).rerank("q", ["a", "b"])
        assert CANARY not in str(served.requests)
    monkeypatch.delenv("AXON_RERANK_BASE_URL")
    with pytest.raises(ConfigError, match="jina needs AXON_RERANK_API_KEY"):
        make_reranker("jina:m", read_settings())


@pytest.mark.parametrize(
    ("asked", "url", "said"),
    [
        ("nobody:m", "", "one of voyage, cohere, jina, tei, onnx"),
        ("cohere", "", "write provider:model"),
        ("tei:m", "", "tei needs AXON_RERANK_BASE_URL"),
        ("cohere:m", "http://rerank.example.invalid", "AXON_RERANK_BASE_URL is plain http"),
        ("cohere:m", "https://user:pass@example.invalid", "AXON_RERANK_API_KEY"),
        ("onnx:nothing", "", "the model “nothing” is not in"),
    ],
)
def test_a_wrong_choice_is_one_line(asked: str, url: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong, and the variable to set."""
    monkeypatch.setenv("AXON_RERANK_BASE_URL", url)
    monkeypatch.setenv("AXON_RERANK_API_KEY", CANARY)
    with pytest.raises(ConfigError, match=said) as caught:
        make_reranker(asked, read_settings())
    assert CANARY not in str(caught.value)


def test_two_orders_at_once_are_a_usage_error(hub: HubMaker, capsys: pytest.CaptureFixture[str]) -> None:
    """The reranker decides, or --diverse or --recency does."""
    for option in ("--diverse", "--recency"):
        assert main(["search", "read log", "--hub", str(hub.root), "--rerank", "cohere:m", option]) == 2
        assert "a reranker decides the order" in capsys.readouterr().err


def test_known_prices_make_a_cost() -> None:
    """Voyage's by tokens; an unknown one is unknown, never 0."""
    assert rerank_usd("voyage", "rerank-2.5", 1_000_000) == 0.05
    assert rerank_usd("voyage", "rerank-2.5", None) is None
    assert rerank_usd("cohere", "rerank-v3.5", 1000) is None
