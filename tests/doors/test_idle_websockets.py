"""WebSockets that only stand open: so many of one address or token, and no other client notices."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.servers.serving_world import ServingWorld, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.http11 import Response
from websockets.sync.client import ClientConnection, connect

from hub_index.limits import MAX_SERVED_BATCH, MAX_SERVED_CONNECTIONS, MAX_SERVED_IDLE_WEBSOCKETS
from hub_index.service.service import Service

_CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "index.status"})
_ANN, _BOB = "ann-token-0123456789", "bob-token-0123456789"


@pytest.fixture
def world(odd_service: Service, tmp_path: Path) -> Iterator[ServingWorld]:
    """A server with two callers."""
    (tmp_path / "tokens").write_text(f"ann {_ANN}\nbob {_BOB}\n")
    with serving(service=odd_service, token_file=str(tmp_path / "tokens")) as running:
        yield running


def _open(world: ServingWorld, stack: ExitStack, token: str = "", count: int = 1) -> list[ClientConnection]:
    """So many WebSockets, as far as they are let in."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    opened: list[ClientConnection] = []
    refusals: list[Response] = []
    for _ in range(count):
        try:
            connection = connect(f"ws://127.0.0.1:{world.port}/ws", additional_headers=headers)
            stack.enter_context(connection)
            opened.append(connection)
        except InvalidStatus as refused:
            refusals.append(refused.response)
    assert all((refused.status_code, refused.headers["Retry-After"]) == (429, "1") for refused in refusals)
    return opened


def test_idle_websockets_of_one_address_lock_nobody_out(odd_service: Service) -> None:
    """Sixteen of 64 are let in, and all other requests are answered; one that leaves makes room for another."""
    with serving(service=odd_service) as world, ExitStack() as stack:
        opened = _open(world, stack, count=MAX_SERVED_CONNECTIONS)
        assert len(opened) == MAX_SERVED_IDLE_WEBSOCKETS
        assert [world.ask("GET", path).status for path in ("/healthz", "/search?q=database")] == [200, 200]
        opened[0].close()
        assert len(_open(world, stack)) == 1


def test_each_token_has_idle_websockets_of_its_own(world: ServingWorld) -> None:
    """Ann's do not count for Bob, though both come from one address."""
    with ExitStack() as stack:
        assert len(_open(world, stack, _ANN, MAX_SERVED_IDLE_WEBSOCKETS + 1)) == MAX_SERVED_IDLE_WEBSOCKETS
        (socket,) = _open(world, stack, _BOB)
        socket.send(_CALL)
        assert "result" in json.loads(socket.recv(20))


def test_a_websocket_that_turns_idle_as_one_too_many_is_closed(odd_service: Service) -> None:
    """While it is answered another may be opened; its answer still comes, and then the reason why it ends."""
    search = {"jsonrpc": "2.0", "id": 1, "method": "search.hybrid", "params": {"query": "database"}}
    with serving(service=odd_service) as world, ExitStack() as stack:
        (busy, *_) = _open(world, stack, count=MAX_SERVED_IDLE_WEBSOCKETS)
        busy.send(json.dumps([search] * MAX_SERVED_BATCH))
        while not _open(world, stack):
            pass
        assert len(json.loads(busy.recv(20))) == MAX_SERVED_BATCH
        with pytest.raises(ConnectionClosed) as caught:
            busy.recv(20)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1013
        assert "WebSockets" in caught.value.rcvd.reason
