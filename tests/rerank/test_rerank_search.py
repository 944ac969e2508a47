"""Reranking over a real socket: whatever the server does, no hit is lost, and a failure leaves the fused order."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from support.models.provider_world import CANARY
from support.models.rerank_server import (
    Reply,
    RerankServer,
    drip,
    good,
    hang,
    in_input_order,
    raw,
    status,
    with_scores,
)
from support.models.tiny_onnx import write_encoder, write_reranker
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.embedding.rerank.reranker import Reranker
from hub_index.embedding.rerank.reranker_choice import make_reranker
from hub_index.errors import ConfigError
from hub_index.search.results import Results
from hub_index.settings import read_settings

SKILLS = {
    **{f"make-{number}": (f"Make slides number {number}.", "# Body\n") for number in range(8)},
    "deck-zebra": ("Make slides and a zebra deck.", "# Body\n"),
    "far-zebra": ("A zebra zebra that has little to do with it; make.", "# Body\n"),
}
QUERY = "make slides"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """Ten skills, of which two are the server's favourites."""
    return make_world(tmp_path_factory.mktemp("world"), SKILLS)


@pytest.fixture(scope="module")
def fused(world: SearchWorld) -> list[str]:
    """The order without a reranker."""
    with world.open() as index:
        return ids(index.search(QUERY, 10).hits)


@pytest.fixture(params=["tei", "cohere", "jina", "voyage"])
def server(request: pytest.FixtureRequest) -> Iterator[RerankServer]:
    """A server of each form."""
    with RerankServer(request.param) as served:
        yield served


def reranker_of(server: RerankServer, model: str = "rerank-2.5") -> Reranker:
    """The reranker as the command line would make it."""
    with patch.dict(os.environ, {"AXON_RERANK_BASE_URL": server.url, "AXON_RERANK_API_KEY": CANARY}):
        return make_reranker(f"{server.wire}:{model}", read_settings())


def search(world: SearchWorld, server: RerankServer, **options: object) -> Results:
    """One hybrid search with that server."""
    with world.open() as index:
        return index.search(QUERY, 10, rerank=reranker_of(server), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("reply", [good, in_input_order])
def test_the_first_are_in_the_servers_order(
    world: SearchWorld, fused: list[str], server: RerankServer, reply: Reply
) -> None:
    """By index, however the answer is sorted; ties stay as they were, scores and cost are shown, nothing is lost."""
    server.script = [reply]
    results = search(world, server)
    found = ids(results.hits)
    assert found[:2] == ["far-zebra", "deck-zebra"]
    assert found[2:] == [id_ for id_ in fused if "zebra" not in id_]
    assert [hit.reasons.rerank for hit in results.hits[:3]] == [1.6, 1.1, 0.1]
    assert results.notices == ()
    assert results.rerank is not None
    assert (results.rerank.count, results.rerank.problem) == (10, "")
    assert results.rerank.tokens == (None if server.wire == "tei" else 1000)
    assert results.rerank.usd is None  # a server of one's own: unknown, never 0
    (headers, body) = server.requests[0]
    assert headers["Authorization"] == f"Bearer {CANARY}"
    assert body["query"] == QUERY
    assert len(server.requests) == 1


def test_only_the_first_n_are_sent_and_moved(world: SearchWorld, fused: list[str]) -> None:
    """The rest stands as before."""
    with RerankServer("tei", favourite=fused[2]) as server:
        found = ids(search(world, server, rerank_depth=3).hits)
        assert len(server.requests[0][1]["texts"]) == 3
    assert found == [fused[2], fused[0], fused[1], *fused[3:]]


FAULTS: dict[str, list[Reply]] = {
    "timeout": [hang, hang],
    "drip": [drip, drip],
    "429": [status(429), status(429)],
    "429 for a minute": [status(429, {"Retry-After": "60"}), status(429, {"Retry-After": "60"})],
    "500": [status(500), status(503)],
    "401": [status(401, body={"detail": f"bad key {CANARY}"})],
    "redirect": [status(307, {"Location": "http://127.0.0.1:1/rerank"})],
    "too few": [with_scores(lambda pairs: pairs[:-1])],
    "too many": [with_scores(lambda pairs: [*pairs, (len(pairs), 0.1)])],
    "twice the same": [with_scores(lambda pairs: [pairs[0], *pairs[:-1]])],
    "outside": [with_scores(lambda pairs: [(-1, 0.5), *pairs[1:]])],
    "NaN": [with_scores(lambda pairs: [(0, float("nan")), *pairs[1:]])],
    "infinite": [with_scores(lambda pairs: [(0, float("inf")), *pairs[1:]])],
    "no JSON": [raw(b"<html>")],
    "other JSON": [raw(b'{"scores": [1, 2]}')],
    "huge": [raw(b" " * (1024 * 1024 + 1))],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_leaves_the_fused_order_and_says_so(world: SearchWorld, fused: list[str], fault: str) -> None:
    """The same hits in the same order, within the time, with one notice; the key is in no word of it."""
    with RerankServer("cohere") as server:
        server.script = list(FAULTS[fault])
        start_s = time.monotonic()
        results = search(world, server)
        spent_s = time.monotonic() - start_s
    assert ids(results.hits) == fused
    (notice,) = results.notices
    assert notice.startswith("not reranked, the order is the search's own: cohere:rerank-2.5")
    assert CANARY not in notice + repr(results)
    assert "AXON_EMBEDDINGS" not in notice
    assert "\n" not in notice
    assert all(hit.reasons.rerank is None for hit in results.hits)
    assert spent_s < 10  # the budget is two seconds; this machine may be busy


@pytest.mark.parametrize("fault", ["timeout", "429", "NaN", "too few"])
def test_voyages_sdk_keeps_the_same_rules(world: SearchWorld, fused: list[str], fault: str) -> None:
    """Its own retries and its missing time limit do not count."""
    with RerankServer("voyage") as server:
        server.script = list(FAULTS[fault])
        assert ids(search(world, server).hits) == fused
        assert len(server.requests) <= 2


def test_one_transient_fault_is_tried_again(world: SearchWorld) -> None:
    """A 503, then the right answer."""
    with RerankServer("jina") as server:
        server.script = [status(503)]
        assert ids(search(world, server).hits)[0] == "far-zebra"
        assert len(server.requests) == 2


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_every_mode_can_be_reranked(world: SearchWorld, mode: str) -> None:
    """A skill that the query names stays first all the same."""
    with RerankServer("tei") as server, world.open() as index:
        reranker = reranker_of(server)
        assert index.search(QUERY, 3, mode, rerank=reranker)[0].id in ("far-zebra", "deck-zebra")
        named = index.search("make-3", 3, mode, rerank=reranker)
        assert named[0].id == "make-3" or mode == "semantic"


def test_the_budget_of_characters_holds(tmp_path: Path) -> None:
    """Long descriptions are cut to their share; the query, too."""
    long = {f"make-{number}": (f"Make slides {'and more ' * 500}", "# Body\n") for number in range(20)}
    with RerankServer("tei") as server, make_world(tmp_path, long).open() as index:
        index.search("make slides " * 400, 5, rerank=reranker_of(server), rerank_depth=20)
        body = server.requests[0][1]
    assert len(body["query"]) <= 2000
    assert sum(map(len, body["texts"])) <= 64_000


@pytest.mark.parametrize("depth", [0, 1, 51, True])
def test_a_depth_that_is_not_allowed_is_an_error(world: SearchWorld, depth: int) -> None:
    """2 to 50, both of which are allowed."""
    with RerankServer("tei") as server, world.open() as index:
        with pytest.raises(ConfigError, match="2 to 50"):
            index.search(QUERY, 5, rerank=reranker_of(server), rerank_depth=depth)
        for allowed in (2, 50):
            index.search(QUERY, 5, rerank=reranker_of(server), rerank_depth=allowed)


def test_a_cross_encoder_in_a_folder(world: SearchWorld, fused: list[str], tmp_path: Path) -> None:
    """Runs here and costs nothing; an encoder in its place is a notice, and the order stays."""
    folder = write_reranker(tmp_path / "cross", {"deck": 2.0})
    with world.open() as index:
        results = index.search(QUERY, 10, rerank=make_reranker(f"onnx:{folder}", read_settings()))
        assert ids(results.hits)[0] == "deck-zebra"
        assert results.rerank is not None
        assert (results.rerank.by, results.rerank.usd) == ("onnx:cross", 0.0)
        other = write_encoder(tmp_path / "encoder")
        results = index.search(QUERY, 10, rerank=make_reranker(f"onnx:{other}", read_settings()))
        assert ids(results.hits) == fused
        assert "is not a cross-encoder" in results.notices[0]


def test_results_as_json_say_who_reordered(world: SearchWorld) -> None:
    """In the form of the schema."""
    from jsonschema import Draft202012Validator

    from hub_index.search.results import encode_results

    schema = json.loads(Path("schemas/search_result.schema.json").read_text())
    with RerankServer("cohere") as server:
        value = encode_results(search(world, server), explain=True)
        server.script = [status(429), status(429)]
        failed = encode_results(search(world, server), explain=True)
    for answer in (value, failed):
        Draft202012Validator(schema).validate(answer)
    assert value["rerank"] == {"by": "cohere:rerank-2.5", "count": 10, "tokens": 1000, "usd": None, "problem": None}
