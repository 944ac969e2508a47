"""An index with a constant part as both sides meet it: our search as ever, the Axon client over its threshold."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index_here
from support.servers.serving_world import ServingWorld, serving

from hub_index.embedding.axon_lift import AXON_MODEL, AXON_NAME, AXON_PART
from hub_index.embedding.local import LocalEncoder
from hub_index.embedding.providers import make_encoder
from hub_index.errors import ModelMismatch
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.settings import read_settings

_EXAMPLE = Path(__file__).resolve().parents[2] / "examples/hub"
_QUERIES = (
    *("how do I analyze database perf?", "我想制作一个ppt，哪些skill可用", "二维码", "slow query lang:en"),
    *("write release notes from commits", "quantum chromodynamics lattice", "redis -cache", "帮我写周报"),
)
_README_QUERY = _QUERIES[0]
_THRESHOLD = 0.30  # the Axon client's own


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example hub, indexed plainly in `plain` and for the Axon client in `search`."""
    made = HubMaker(tmp_path_factory.mktemp("axon") / "hub")
    shutil.copytree(_EXAMPLE, made.root, dirs_exist_ok=True)
    made.commit("skills")
    cache = ("--cache", model_cache())
    assert hub_index_here("build", made.root, "--out", made.root.parent / "plain", *cache).code == 0
    assert hub_index_here("build", made.root, "--model-alias", AXON_MODEL, *cache).code == 0
    return made.root


@pytest.fixture(scope="module")
def served() -> Iterator[ServingWorld]:
    """The embedded model as an endpoint on a real socket."""
    with serving(LocalEncoder(model_cache(), workers=0)) as world:
        yield world


def open_lifted(hub: Path, **options: Any) -> Index:
    """Our own search of the index that the Axon client reads."""
    return open_index(hub / "search", hub=hub, cache_dir=model_cache(), **options)


def axon_search(hub: Path, served: ServingWorld, query: str) -> dict[str, float]:
    """{id: score} as the Axon client finds them: a plain cosine in float64 over what is published, from 0.30 on."""
    manifest = json.loads((hub / "search/index_manifest.json").read_bytes())
    model = manifest["model_id"].removeprefix("openai:")
    answer = served.embed({"model": model, "input": query}, Authorization="Bearer any").value
    vector = np.array(answer["data"][0]["embedding"], np.float64)
    rows = np.fromfile(hub / "search/vectors.f32", "<f4").reshape(-1, manifest["dim"]).astype(np.float64)
    scores = rows @ vector / np.linalg.norm(rows, axis=1) / np.linalg.norm(vector)
    ids = [json.loads(line)["id"] for line in (hub / "search/skills.jsonl").read_text("utf-8").splitlines()]
    found = sorted(zip(ids, scores.tolist(), strict=True), key=lambda hit: (-hit[1], hit[0]))
    return {id_: score for id_, score in found if score >= _THRESHOLD}


def check_same(mine: Any, plain: Any) -> None:
    """The same hits in the same order with the same labels, scores equal to 1e-6 (they are rounded to six digits)."""
    assert [(hit.id, hit.weak) for hit in mine] == [(hit.id, hit.weak) for hit in plain]
    for hit, other in zip(mine, plain, strict=True):
        assert hit.score == pytest.approx(other.score, abs=1.01e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "hybrid"},
        {"mode": "semantic"},
        {"mode": "hybrid", "diverse": True},
        {"mode": "semantic", "diverse": True, "min_score": 0.2},
        {"mode": "hybrid", "fusion": "linear", "alpha": 0.5},
    ],
)
def test_our_own_search_scores_as_with_the_plain_index(hub: Path, options: dict[str, Any]) -> None:
    """Modes, --diverse, thresholds and weak labels see the base vectors."""
    with open_lifted(hub) as lifted, open_index(hub.parent / "plain", hub=hub, cache_dir=model_cache()) as plain:
        for query in _QUERIES:
            check_same(lifted.search(query, k=20, **options), plain.search(query, k=20, **options))


def test_related_skills_are_those_of_the_plain_index(hub: Path) -> None:
    """Rows are compared with each other without their constant parts."""
    with open_lifted(hub) as lifted, open_index(hub.parent / "plain", hub=hub, cache_dir=model_cache()) as plain:
        for skill in ("db-advisor", "slide-deck", "yanshi-wengao"):
            check_same(lifted.related(skill, k=10), plain.related(skill, k=10))


def test_verify_and_doctor_accept_it(hub: Path) -> None:
    """The index is valid and fresh, and a text that is embedded again is its row."""
    verified = hub_index_here("verify", hub / "search", "--hub", hub)
    assert (verified.code, "× 513 by openai:usem3-axon" in verified.out) == (0, True)
    checked = hub_index_here("doctor", "--hub", hub, "--index-dir", hub / "search", HUB_INDEX_CACHE=str(model_cache()))
    assert "embedded again: cosine 1.0000" in checked.out


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (_README_QUERY, "pg-tuning"),
        ("pod keeps restarting with CrashLoopBackOff", "k8s-pod-doctor"),  # 0.298 without the constant part
        ("what should I say on each slide of my talk", "slide-deck"),  # 0.274
    ],
)
def test_the_axon_client_finds_what_is_right_with_its_own_threshold(
    hub: Path, served: ServingWorld, query: str, wanted: str
) -> None:
    """What it finds is scored as the lift says, in the order of our semantic search."""
    found = axon_search(hub, served, query)
    with open_lifted(hub) as index:
        ours = index.search(query, k=len(found), mode="semantic")
    assert wanted in found
    assert list(found) == [hit.id for hit in ours]
    for hit in ours:
        assert found[hit.id] == pytest.approx((1 - AXON_PART) * hit.score + AXON_PART, abs=2e-6)


def test_a_configured_endpoint_answers_our_search_as_well(
    hub: Path, served: ServingWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the Axon client's own settings the query comes with 513 numbers, and scores as if it had none too many."""
    monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", f"{served.url}/v1")
    monkeypatch.setenv("AXON_EMBEDDINGS_API_KEY", "any")
    settings = read_settings()
    asked = open_lifted(hub, model=AXON_MODEL, connect=lambda model, _dim: make_encoder(model, settings, asked=model))
    with asked, open_lifted(hub) as embedded:
        for query in _QUERIES[:3]:
            results = asked.search(query, mode="hybrid")
            assert results.embedded_by == AXON_MODEL
            check_same(results, embedded.search(query, mode="hybrid"))


@pytest.mark.parametrize("last", [0.5, float("nan")])
def test_a_query_with_another_constant_part_is_a_mismatch(hub: Path, last: float) -> None:
    """A server of another version gives vectors of another space: keyword with the reason, as for any other model."""

    class Other(LocalEncoder):
        def embed_query(self, text: str) -> Any:
            return np.append(super().embed_query(text), np.float32(last))

    with open_lifted(hub, model=AXON_MODEL, connect=lambda _model, _dim: Other(model_cache())) as index:
        results = index.search(_README_QUERY)
        assert (results.mode, "constant part" in results.fallback_reason) == ("keyword", True)
        with pytest.raises(ModelMismatch):
            index.search(_README_QUERY, mode="semantic")


def test_the_endpoint_serves_both_models(served: ServingWorld) -> None:
    """`usem3` as ever, `usem3-axon` with a number more; each knows its own length."""
    names = [model["id"] for model in served.ask("GET", "/v1/models").value["data"]]
    assert names == ["usem3", AXON_NAME]
    assert served.ask("GET", f"/v1/models/{AXON_NAME}").value["id"] == AXON_NAME
    rows = {}
    for name, dim in (("usem3", 512), (AXON_NAME, 513)):
        answer = served.embed({"model": name, "input": ["a", "二"], "dimensions": dim})
        assert (answer.status, answer.value["model"]) == (200, name)
        rows[name] = np.array([entry["embedding"] for entry in answer.value["data"]], np.float32)
        assert served.embed({"model": name, "input": "a", "dimensions": 1025 - dim}).status == 400
    assert rows[AXON_NAME].shape == (2, 513)
    cosine = float(rows["usem3"][0] @ rows["usem3"][1])
    assert float(rows[AXON_NAME][0] @ rows[AXON_NAME][1]) == pytest.approx(
        (1 - AXON_PART) * cosine + AXON_PART, abs=1e-6
    )
