"""The typed client: values as `open_index` and the service give them, errors by their names, sync and async."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from support.models.fake_encoder import FakeEncoder
from support.servers.service_world import make_service_world
from support.servers.serving_world import ServingWorld, serving

from hub_index.client import AsyncHubClient, HubClient
from hub_index.client.answers import decode_list, decode_results, decode_status, decode_text
from hub_index.errors import ConfigError, SkillUnknown, SourceError
from hub_index.search.results import RerankNote, encode_results
from hub_index.service.answers import encode_list, encode_status, encode_text
from hub_index.service.requests import FindRequest, ListRequest, ReadRequest, RelatedRequest
from hub_index.service.service import Service

ASKED: dict[str, Any] = {"k": 3, "explain": True, "snippets": True, "include_text": True}


def test_answers_are_those_of_the_service(odd: ServingWorld, odd_service: Service) -> None:
    """Value for value, but for what is only known inside: who embedded, and the bound of the words' score."""
    with HubClient(odd.url) as hubs:
        inside = odd_service.find(FindRequest("database", **ASKED)).replace(
            embedded_by="", upper_bound=0.0, query_vector=None
        )
        outside = hubs.search("database", **ASKED)
        assert outside == inside
        assert [hit.uri for hit in outside] == [hit.uri for hit in inside]
        assert hubs.read("ann/db", heading="Two") == odd_service.read(ReadRequest("ann/db", heading="Two"))
        assert hubs.read("ann/db", file="references/guide.md").text == "# Guide\nRead me."
        assert hubs.list(limit=4) == odd_service.list(ListRequest(limit=4))
        assert hubs.status() == odd_service.status()
        related = odd_service.related(RelatedRequest("ann/db", k=2))
        assert [hit.id for hit in hubs.related("ann/db", k=2)] == [hit.id for hit in related]


def _as_of_a_newer_server(found: object) -> Any:
    """An answer with a field more in each of its objects."""
    if isinstance(found, dict):
        return {name: _as_of_a_newer_server(value) for name, value in found.items()} | {"new_field": 1}
    return [_as_of_a_newer_server(value) for value in found] if isinstance(found, list) else found


def test_fields_that_a_newer_server_adds_are_left_out(odd_service: Service) -> None:
    """Values refuse a field that they do not have, so the client takes out of an answer what it knows."""
    results = odd_service.find(FindRequest("database", **ASKED))
    assert any(hit.spans and hit.snippet for hit in results)
    results = results.replace(rerank=RerankNote("tei:any", 1, problem="It is busy."))
    encoded = encode_results(results, explain=True)
    assert decode_results(_as_of_a_newer_server(encoded)) == decode_results(encoded)
    text, listed, status = (
        odd_service.read(ReadRequest("ann/db")),
        odd_service.list(ListRequest()),
        odd_service.status(),
    )
    assert (text.headings, text.files) != ((), ())
    assert decode_text(_as_of_a_newer_server(encode_text(text))) == text
    assert decode_list(_as_of_a_newer_server(encode_list(listed))) == listed
    assert decode_status(_as_of_a_newer_server(encode_status(status))) == status


def test_a_skill_that_stands_in_two_hubs_comes_with_both_places(tmp_path: Path) -> None:
    """The client names where else a folded hit stands, as the service does."""
    world = make_service_world(tmp_path)
    with world.open("left", "right") as service, serving(service=service) as running, HubClient(running.url) as hubs:
        inside = service.find(FindRequest("sql-explain", k=1))[0]
        assert inside.also_in
        assert hubs.search("sql-explain", k=1)[0].also_in == inside.also_in


def test_the_async_client_gives_the_same(odd: ServingWorld) -> None:
    """Operation for operation."""

    async def ask() -> None:
        async with AsyncHubClient(odd.url) as hubs:
            with HubClient(odd.url) as other:
                assert await hubs.search("slides", k=2) == other.search("slides", k=2)
                assert await hubs.read("ann/db") == other.read("ann/db")
                assert await hubs.list(("odd",), type="workflow") == other.list(("odd",), type="workflow")
                assert await hubs.related("ann/db") == other.related("ann/db")
                assert await hubs.status() == other.status()
            with pytest.raises(SkillUnknown):
                await hubs.read("nope")

    asyncio.run(ask())


def test_errors_come_back_by_their_names(odd: ServingWorld) -> None:
    """As if the service had been called."""
    with HubClient(odd.url) as hubs:
        with pytest.raises(SkillUnknown, match="nope"):
            hubs.read("nope")
        with pytest.raises(ConfigError, match="k must"):
            hubs.search("a", k=0)
        with pytest.raises(ConfigError, match="empty"):
            hubs.search("")
        with pytest.raises(ConfigError):
            hubs.search("a", hub="nope")


def test_no_server_another_server_and_no_token(tmp_path: Path) -> None:
    """One line, and no secret in it."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with HubClient(f"http://127.0.0.1:{port}", token="secret-token", timeout_s=2) as hubs:
        with pytest.raises(SourceError, match="hub-index serve") as caught:
            hubs.search("a")
        assert "secret-token" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"'https://127\.0\.0\.1:1'") as refused:
        HubClient("https://bob:canary/x@127.0.0.1:1")
    assert "canary" not in str(refused.value)
    with pytest.raises(ConfigError, match="http"):
        HubClient("localhost:1")
    tokens = tmp_path / "tokens"
    tokens.write_text("ann 0123456789abcdef\n")
    with (
        serving(FakeEncoder(), token_file=str(tokens)) as world,
        HubClient(world.url) as hubs,
        pytest.raises(ConfigError, match="Bearer"),
    ):
        hubs.status()


@pytest.mark.parametrize("client", [HubClient, AsyncHubClient])
def test_a_token_goes_over_plain_http_only_where_that_is_allowed(client: type[HubClient]) -> None:
    """This machine, an encrypted address, no token at all, or a private network that the caller vouches for."""
    with pytest.raises(ConfigError, match="unencrypted") as refusal:
        client("http://example.invalid", token="secret")
    assert "secret" not in str(refusal.value)
    for url, options in (
        ("http://127.0.0.1:1", {"token": "secret"}),
        ("http://[::1]:1", {"token": "secret"}),
        ("https://example.invalid", {"token": "secret"}),
        ("http://example.invalid", {}),
        ("http://example.invalid", {"token": "secret", "allow_http": True}),
    ):
        client(url, **options)


def test_a_closed_client_says_so_in_our_words() -> None:
    """Whoever asks after close() gets our error, sync and async; closing twice is nothing."""
    hubs = HubClient("http://127.0.0.1:1")
    hubs.close()
    hubs.close()
    with pytest.raises(ConfigError, match="is closed"):
        hubs.status()

    async def ask() -> None:
        later = AsyncHubClient("http://127.0.0.1:1")
        await later.aclose()
        await later.status()

    with pytest.raises(ConfigError, match="is closed"):
        asyncio.run(ask())
