"""What a connection costs its client, and what connections that only stand open cost the others."""

import socket
from collections.abc import Iterator

import pytest
from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import ServingWorld, serving


@pytest.fixture(scope="module")
def world() -> Iterator[ServingWorld]:
    """A server of the model alone."""
    with serving(FakeEncoder(dim=512)) as running:
        yield running


def test_an_answer_does_not_wait_for_the_clients_acknowledgement(world: ServingWorld) -> None:
    """Head and body are two sends: with Nagle's algorithm on, the second waits 40 ms on every kept connection."""
    with socket.create_connection(("127.0.0.1", world.port), timeout=20) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        accepted = [each.transport for each in world.doors.server._server.server_state.connections]
        options = [
            each.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for each in accepted
        ]
        assert options == [1]
