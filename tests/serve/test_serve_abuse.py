"""The endpoint against hostile clients: wrong hosts, slow senders, floods, broken HTTP."""

import json
import socket
import time
from collections.abc import Iterator

import pytest
from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import ServingWorld, serving

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
        ("[::1].evil.test", 403),
        ("[::1]:80.evil.test", 403),
        ("[::1", 403),
        ("localhost:evil.test", 403),
        ("127.0.0.1:80:80", 403),
        ("192.168.0.7", 403),
        ("", 403),
    ],
)
def test_a_name_that_was_pointed_at_loopback_is_refused(world: ServingWorld, host: str, status: int) -> None:
    """DNS rebinding: the browser says which name it believed in."""
    assert world.embed(ASK, Host=host).status == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("http://[::1]:3000", 200),
        ("https://evil.example", 403),
        ("https://[::1].evil.test", 403),
        ("null", 403),
    ],
)
def test_a_web_page_of_another_site_is_refused(world: ServingWorld, origin: str, status: int) -> None:
    """A page cannot use the model behind its reader's back."""
    assert world.embed(ASK, Origin=origin).status == status


def test_a_form_is_refused(world: ServingWorld) -> None:
    """A page can send a form without asking first, but not JSON."""
    assert world.embed(ASK, Content_Type="text/plain").status == 415


@pytest.mark.parametrize(
    ("coding", "status"),
    [("gzip", 415), ("deflate", 415), ("identity, gzip", 415), ("identity", 200), ("Identity", 200)],
)
def test_a_packed_body_is_refused(world: ServingWorld, coding: str, status: int) -> None:
    """Nothing is unpacked here, so a body that is said to be packed cannot be read."""
    reply = world.embed(ASK, Content_Encoding=coding)
    assert reply.status == status
    assert status == 200 or "Content-Encoding" in reply.value["error"]["message"]


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
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"414"),
        (b"GET /" + b"a" * 70_000, b"414"),
        (b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"431"),
        (b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 70_000, b"431"),
        (b"GET /v1/models HTTP/1.1\r\n\r\n", b"400"),
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
    value = json.loads(body or said)
    assert value.get("detail") or value["error"]["message"]


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
        while not closed and time.monotonic() - began_s < 60:
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
    assert 0.2 < time.monotonic() - began_s < 30


def test_a_client_that_leaves_causes_no_traceback(world: ServingWorld, capfd: pytest.CaptureFixture[str]) -> None:
    """Half a request, then a reset: nothing on stderr, and the next one is served."""
    for _ in range(3):
        connection = socket.create_connection(("127.0.0.1", world.port))
        connection.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    assert world.embed(ASK).status == 200
    assert capfd.readouterr().err == ""
