"""More connections than the process may open files: one line a second of log, and clients that are told so at once."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import serving

from hub_index.limits import MAX_SERVED_CONNECTIONS
from hub_index.serve.http.assembly import WarningLines

_MAX_FILES = 48
_CONNECTIONS = 60
_SERVER = """
import resource, sys
from hub_index.cli.main import main
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(["serve", "--embeddings", "--port", "0"]))
"""


@contextmanager
def scarce_server(log: Path) -> Iterator[int]:
    """The port of a server that may open 48 files."""
    command = [sys.executable, "-c", _SERVER, str(_MAX_FILES)]
    with log.open("wb") as stderr, subprocess.Popen(command, stderr=stderr) as process:
        try:
            end_s = time.monotonic() + 60
            while not (match := re.search(r"127\.0\.0\.1:(\d+)/v1 ", log.read_text())):
                assert time.monotonic() < end_s
                time.sleep(0.05)
            yield int(match[1])
        finally:
            process.terminate()


def test_a_flood_writes_a_line_a_second_and_the_next_client_is_told(tmp_path: Path) -> None:
    """Sixty connections where 48 files may be open: a few lines, and 503 for another client instead of silence."""
    log = tmp_path / "log"
    with scarce_server(log) as port:
        before = log.stat().st_size
        with ExitStack() as stack:
            for _ in range(_CONNECTIONS):
                stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            time.sleep(2)
            with socket.create_connection(("127.0.0.1", port), timeout=10) as late:
                assert late.recv(65536).startswith(b"HTTP/1.1 503 ")
        lines = log.read_bytes()[before:].decode().splitlines()
    assert len(lines) <= 5
    assert all("too many open files" in line for line in lines)


def test_a_line_of_one_kind_is_written_once_a_second_and_says_how_many_more() -> None:
    """The first at once, the others counted until the second is over; another kind has a second of its own."""
    now = [0.0]
    written: list[str] = []
    lines = WarningLines(written.append, clock=lambda: now[0])
    for _ in range(38):
        lines.say("no room")
    lines.say("no light")
    assert written == ["no room", "no light"]
    now[0] = 1.0
    lines.say("no room")
    assert written[2:] == ["no room (and 37 more)"]
    lines.say("no room")
    lines.close()
    assert written[3:] == ["no room (and 1 more)"]


def test_a_connection_beyond_the_cap_is_closed_at_once() -> None:
    """It holds no file while its client takes its time to leave."""
    with serving(FakeEncoder(dim=512)) as world, ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", world.port), timeout=20))
            for _ in range(MAX_SERVED_CONNECTIONS + 20)
        ]
        for refused in connections[MAX_SERVED_CONNECTIONS:]:
            assert refused.recv(65536).startswith(b"HTTP/1.1 503 ")
        end_s = time.monotonic() + 1  # they used to stay for two
        while world.doors.server.connections > MAX_SERVED_CONNECTIONS and time.monotonic() < end_s:
            time.sleep(0.01)
        assert world.doors.server.connections == MAX_SERVED_CONNECTIONS
