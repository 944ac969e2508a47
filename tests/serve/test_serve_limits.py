"""How much the server takes on: rates, queues, connections, turns."""

import socket
import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import serving

from hub_index.errors import ConfigError
from hub_index.limits import MAX_SERVED_CONNECTIONS
from hub_index.serve.http.gate import RateLimiter
from hub_index.serve.refusal import RequestRefused

ASK = {"model": "usem3", "input": "a"}


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
    limiter = RateLimiter(2, clock=lambda: now[0])

    def served() -> int:
        for count in range(100):
            try:
                limiter.check_rate("ann")
            except RequestRefused:
                return count
        return 100

    assert served() == 2
    limiter.check_rate("another caller")
    now[0] = 0.5
    assert served() == 1
    now[0] = 1000.0
    assert served() == 2


def test_no_more_requests_wait_than_the_model_can_soon_serve() -> None:
    """While the model is busy with all that may wait, the next one is 503; all others are answered."""
    release = threading.Event()

    class Slow(FakeEncoder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            release.wait(60)
            return super().embed_documents(texts)

    with serving(Slow(dim=512), max_waiting=3) as world:
        statuses: list[int] = []
        retries: list[str | None] = []

        def ask() -> None:
            reply = world.embed(ASK)
            statuses.append(reply.status)
            retries.append(reply.headers.get("retry-after"))

        asking = [threading.Thread(target=ask) for _ in range(5)]
        for thread in asking:
            thread.start()
        end_s = time.monotonic() + 60
        while len(statuses) < 2 and time.monotonic() < end_s:
            time.sleep(0.01)
        assert statuses == [503, 503]
        assert retries == ["1", "1"]
        release.set()
        for thread in asking:
            thread.join(60)
        assert sorted(statuses) == [200, 200, 200, 503, 503]


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
        assert begun.wait(60)
        assert world.embed({"model": "usem3", "input": "query"}).status == 200
        batch.join(60)
    assert order.index("query") < len(order) - 50


def test_connections_beyond_the_cap_are_refused_and_later_ones_served() -> None:
    """Idle connections take all threads: the next client is told so; when they have gone, clients are served."""
    with serving(FakeEncoder(dim=512), request_s=30) as world:
        idle = [socket.create_connection(("127.0.0.1", world.port)) for _ in range(MAX_SERVED_CONNECTIONS)]
        time.sleep(0.2)
        assert world.talk(b"").startswith(b"HTTP/1.1 503 ")
        for connection in idle:
            connection.close()
        end_s = time.monotonic() + 60
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
