"""Settings of a search from the environment and .env: each is named in --help, and an option wins over it."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache

from hub_index.cli.main import main
from hub_index.errors import ConfigError
from hub_index.search.options import SearchOptions
from hub_index.settings import read_settings


def hits(capsys: pytest.CaptureFixture[str], hub: HubMaker, *options: str) -> list[str]:
    """The ids that a keyword search finds."""
    assert main(["search", "skill thing", "--hub", str(hub.root), "--keyword", "--json", *options]) == 0
    return [hit["id"] for hit in json.loads(capsys.readouterr().out)["hits"]]


@pytest.fixture
def many(tmp_path: Path) -> HubMaker:
    """Eight skills that a query finds."""
    maker = HubMaker(tmp_path / "many")
    maker.skills(8)
    maker.commit()
    return maker


def test_options_win_over_the_environment_and_that_over_the_file(
    many: HubMaker, own_world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many, and from which score on."""
    assert len(hits(capsys, many)) == 5
    (own_world / ".axon").mkdir()
    (own_world / ".axon/.env").write_text("AXON_SEARCH_K=7\n")
    assert len(hits(capsys, many)) == 7
    monkeypatch.setenv("AXON_SEARCH_K", "6")
    assert len(hits(capsys, many)) == 6
    assert len(hits(capsys, many, "--k", "3")) == 3
    monkeypatch.setenv("AXON_SEARCH_MIN_SCORE", "1000")
    assert hits(capsys, many) == []
    assert len(hits(capsys, many, "--min-score", "0")) == 6


def test_alpha_of_the_settings_is_for_searches_with_two_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request's own alpha wins."""
    monkeypatch.setenv("AXON_SEARCH_ALPHA", "0.3")
    usual = SearchOptions("", alpha=read_settings().alpha)
    assert SearchOptions("x").completed(usual).alpha == 0.3
    assert SearchOptions("x", alpha=0.9).completed(usual).alpha == 0.9
    assert SearchOptions("x", mode="keyword").completed(usual).alpha is None


@pytest.fixture
def dated(tmp_path: Path, own_world: Path) -> HubMaker:
    """An old skill and a new one with the same words, and their index."""
    maker = HubMaker(tmp_path / "dated")
    maker.skill("old", "Thing of a skill.")
    maker.commit(when="2024-01-01T00:00:00+00:00")
    maker.skill("new", "Thing of a skill.")
    maker.commit(when="2026-01-01T00:00:00+00:00")
    assert main(["build", str(maker.root)]) == 0
    return maker


@pytest.mark.parametrize("mode", ["--keyword", "--hybrid", "--semantic"])
@pytest.mark.parametrize(
    ("variable", "options", "gain"),
    [
        ("", ("--recency",), 1.15),
        ("", ("--recency-weight", "1"), 2.0),
        ("1", (), 2.0),
        ("1", ("--recency",), 2.0),
        ("1", ("--recency-weight", "0.5"), 1.5),
        ("1", ("--recency-weight", "0"), 1.0),
        ("1", ("--recency", "--recency-weight", "0"), 1.0),
    ],
)
def test_the_weight_of_recency_holds_in_every_mode(  # noqa: PLR0917 - fixtures
    dated: HubMaker,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mode: str,
    variable: str,
    options: tuple[str, ...],
    gain: float,
) -> None:
    """Of the option and of the environment alike; --recency without a weight is 0.15."""

    def score(*more: str) -> float:
        capsys.readouterr()
        assert main(["search", "thing skill", "--hub", str(dated.root), "--json", mode, *more]) == 0
        return {hit["id"]: float(hit["score"]) for hit in json.loads(capsys.readouterr().out)["hits"]}["new"]

    plain = score()
    monkeypatch.setenv("AXON_SEARCH_RECENCY_WEIGHT", variable)
    assert score(*options) == pytest.approx(plain * gain, abs=1e-5)


def test_no_cache_leaves_nothing_behind(
    many: HubMaker, own_world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a search nor a build writes into the cache folder; both answer as ever."""

    def kept() -> list[str]:
        names = (path.name for path in (own_world / ".cache/hub-index").glob("*"))
        return [name for name in names if not name.startswith(("usem3", "dictionary"))]  # which the tests put there

    assert len(hits(capsys, many, "--no-cache")) == 5
    assert kept() == []
    monkeypatch.setenv("AXON_NO_CACHE", "1")
    assert main(["build", str(many.root)]) == 0
    assert kept() == []
    monkeypatch.delenv("AXON_NO_CACHE")
    capsys.readouterr()
    assert len(hits(capsys, many)) == 5
    assert kept()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("AXON_SEARCH_K", "many"),
        ("AXON_SEARCH_ALPHA", "1.5"),
        ("AXON_SEARCH_MIN_SCORE", "nan"),
        ("AXON_SEARCH_RECENCY_WEIGHT", "-1"),
        ("AXON_EMBEDDINGS_DEVICE", "tpu"),
        ("AXON_NO_CACHE", "perhaps"),
        ("AXON_RERANK_DEPTH", "-7"),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, wrong: str, tmp_path: Path) -> None:
    """And does not repeat the value."""
    with pytest.raises(ConfigError, match=name) as caught:
        read_settings({"AXON_HOME": str(tmp_path), name: wrong})
    assert wrong not in str(caught.value)


def test_a_switch_is_explained_in_the_words_of_the_documentation(tmp_path: Path) -> None:
    """`AXON_TRACES=on` is what docs/traces.md says."""
    with pytest.raises(ConfigError, match="AXON_TRACES must be on or off"):
        read_settings({"AXON_HOME": str(tmp_path), "AXON_TRACES": "maybe"})


def test_every_setting_stands_in_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Threshold, alpha, k, recency, device, model, no cache, reranker; a build names those that concern it."""
    assert main(["search", "--help"]) == 0
    told = capsys.readouterr().out
    names = "SEARCH_K SEARCH_ALPHA SEARCH_MIN_SCORE SEARCH_RECENCY_WEIGHT EMBEDDINGS_DEVICE EMBEDDINGS_MODEL NO_CACHE"
    rerank = "RERANK RERANK_DEPTH RERANK_API_KEY RERANK_BASE_URL"
    assert [name for name in f"{names} {rerank}".split() if f"AXON_{name}" not in told] == []
    assert main(["build", "--help"]) == 0
    told = capsys.readouterr().out
    assert [name for name in ("EMBEDDINGS_DEVICE", "EMBEDDINGS_MODEL", "NO_CACHE") if f"AXON_{name}" not in told] == []


def test_a_device_that_nothing_runs_on_is_said(
    many: HubMaker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The embedded model has no use for a GPU: whoever asks for one learns so, by a build and by a search."""
    monkeypatch.setenv("HUB_INDEX_CACHE", str(model_cache()))
    for command in (["build", str(many.root)], ["search", "skill thing", "--hub", str(many.root)]):
        for device, said in (("gpu", True), ("cpu", False), ("auto", False)):
            assert main([*command, "--device", device]) == 0
            assert ("--device gpu is for onnx: models; local:usem3 " in capsys.readouterr().err) is said
