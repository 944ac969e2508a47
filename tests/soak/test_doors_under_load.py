"""Minutes of mixed load on a real server: searches, syncs between, slow, broken and killed clients.

Ten minutes, or as many as SOAK_MINUTES says. Memory stays flat, no answer is wrong, nothing is left behind.
"""

import json
import logging
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index

MINUTES = float(os.environ.get("SOAK_MINUTES", "10"))
_BETWEEN_S = 0.5  # two looks at its memory
_TOPICS = ("database", "slides", "weather", "invoices", "translation", "music", "garden", "kubernetes")
_WARM_S = 20.0  # before memory is looked at: caches fill
_GROWTH = 1.10
Question = tuple[
    urllib.request.Request, Callable[[Any], list[dict[str, Any]]]
]  # and where the hits stand in its answer


class Load:
    """What the clients share: when to stop, and what went wrong."""

    def __init__(self, port: int, hub: HubMaker) -> None:
        self.port, self.hub = port, hub
        self.end_s = time.monotonic() + MINUTES * 60
        self.wrong: list[str] = []
        self.answers = 0

    def watch_memory(self, pid: int) -> list[int]:
        """What the server holds, in pages, every half second until the load ends."""
        seen = []
        while time.monotonic() < self.end_s:
            seen.append(int(Path(f"/proc/{pid}/statm").read_text().split()[1]))
            time.sleep(_BETWEEN_S)
        return seen

    def repeat(self, work: Callable[[random.Random], None], seed: int) -> None:
        chance = random.Random(seed)
        while time.monotonic() < self.end_s:
            work(chance)

    def search(self, chance: random.Random) -> None:
        """A search by one of the doors whose first hit is known, whatever is synced meanwhile."""
        topic = chance.choice(_TOPICS)
        request, read_hits = chance.choice((_by_http, _by_http, _by_rpc, _by_mcp))(topic, chance)
        request.full_url = f"http://127.0.0.1:{self.port}{request.selector}"
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                hits = read_hits(json.load(answer))
        except urllib.error.HTTPError as error:
            if error.code != 503:  # busy is an answer, too
                self.wrong.append(f"{topic}: {error.code}")
            return
        self.answers += 1
        if [hit["id"] for hit in hits][:1] != [f"topic-{topic}"]:
            self.wrong.append(f"{topic}: {hits[:1]}")

    def sync(self, chance: random.Random) -> None:
        """A commit and a new index, as a sync brings them."""
        number = chance.randrange(1000)
        self.hub.skill(f"extra-{number % 5}", f"Extra number {number}.")
        self.hub.commit(f"extra {number}")
        assert hub_index("build", self.hub.root, HUB_INDEX_CACHE=str(model_cache())).code == 0
        time.sleep(5)

    def trickle(self, _chance: random.Random) -> None:
        """Half a request, then a byte now and then."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection, _ignoring():
            connection.sendall(b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{")
            for _ in range(30):
                time.sleep(1)
                connection.sendall(b" ")

    def garble(self, chance: random.Random) -> None:
        """Bytes that are no request, and clients that leave in the middle of an answer."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection, _ignoring():
            connection.sendall(
                chance.randbytes(200)
                if chance.random() < 0.5
                else b"GET /search?q=database HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        time.sleep(0.2)

    def kill(self, _chance: random.Random) -> None:
        """A client of a process of its own that is killed while it asks."""
        url = f"http://127.0.0.1:{self.port}/search?q=slides"
        code = f"import urllib.request as u\nwhile 1: u.urlopen({url!r}).read()"
        with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as client:
            time.sleep(2)
            client.send_signal(signal.SIGKILL)
        time.sleep(3)


def _by_http(topic: str, chance: random.Random) -> Question:
    mode = chance.choice(("keyword", "auto"))
    return _request(f"/search?q=topic-{topic}&k=3&mode={mode}"), lambda answer: answer["hits"]


def _by_rpc(topic: str, _chance: random.Random) -> Question:
    call = {"jsonrpc": "2.0", "id": 1, "method": "search.hybrid", "params": {"query": f"topic-{topic}", "k": 3}}
    return _request("/rpc", call), lambda answer: answer["result"]["items"]


def _by_mcp(topic: str, _chance: random.Random) -> Question:
    params = {"name": "find_skills", "arguments": {"query": f"topic-{topic}", "k": 3}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return _request("/mcp", call), lambda answer: answer["result"]["structuredContent"]["hits"]


def _request(target: str, value: object = None) -> urllib.request.Request:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    if value is None:
        return urllib.request.Request(f"http://localhost{target}")
    headers["Content-Type"] = "application/json"
    return urllib.request.Request(f"http://localhost{target}", json.dumps(value).encode(), headers)


@contextmanager
def _ignoring() -> Iterator[None]:
    with suppress(OSError):
        yield


@contextmanager
def _serving(hub: Path, home: Path) -> Iterator[tuple[int, int]]:
    command = [sys.executable, "-m", "hub_index", "serve", "--hub", str(hub), "--port", "0"]
    environment = os.environ | {"AXON_HOME": str(home), "HUB_INDEX_CACHE": str(model_cache())}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stderr is not None
        match = re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert match is not None
        try:
            yield int(match[1]), process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert err == "hub-index: stopped\n"


def _count(pid: int, what: str) -> int:
    return len(os.listdir(f"/proc/{pid}/{what}"))


@pytest.mark.soak
def test_mixed_load_leaves_nothing_behind(tmp_path: Path) -> None:
    """Memory within 10 %, no wrong answer, no descriptor or thread left."""
    hub = HubMaker(tmp_path / "hub")
    for topic in _TOPICS:
        hub.skill(f"topic-{topic}", f"All about topic-{topic}.")
    hub.commit("topics")
    assert hub_index("build", hub.root, HUB_INDEX_CACHE=str(model_cache())).code == 0
    with _serving(hub.root, tmp_path / "home") as (port, pid):
        load = Load(port, hub)
        load.search(random.Random(0))
        idle_files, idle_threads = _count(pid, "fd"), _count(pid, "task")
        clients = [load.search] * 4 + [load.sync, load.trickle, load.trickle, load.garble, load.kill]
        threads = [threading.Thread(target=load.repeat, args=(work, seed)) for seed, work in enumerate(clients)]
        for thread in threads:
            thread.start()
        time.sleep(min(_WARM_S, MINUTES * 15))
        held = load.watch_memory(pid)
        # A search under way takes ten megabytes more or less, a new index as much: quarters tell a trend from that.
        quarter = len(held) // 4
        warm, late = statistics.median(held[:quarter]), statistics.median(held[-quarter:])
        grown = late / warm
        for thread in threads:
            thread.join()
        time.sleep(25)  # what is slow is cut off after 20 s
        files, tasks = _count(pid, "fd"), _count(pid, "task")
        logging.getLogger(__name__).info(  # pytest --log-cli-level=INFO shows it
            "%d answers, %d wrong, memory %.1f MB x %.3f, descriptors %d -> %d, threads %d -> %d",
            *(load.answers, len(load.wrong), warm * os.sysconf("SC_PAGESIZE") / 1e6, grown),
            *(idle_files, files, idle_threads, tasks),
        )
        assert not load.wrong, load.wrong[:5]
        assert load.answers > 10 * MINUTES
        assert grown < _GROWTH
        assert files <= idle_files + 2
        assert tasks <= idle_threads + 2
