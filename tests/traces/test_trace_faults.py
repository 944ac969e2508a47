"""Whatever happens to the traces, every answer comes out, and a line says what was not recorded."""

import contextlib
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes.cli_runner import CommandOutcome
from support.searches.trace_world import TraceWorld

from hub_index.errors import TracesUnusable
from hub_index.service.service import Service
from hub_index.service.trace_recorder import TraceRecorder
from hub_index.traces.database import open_traces
from hub_index.traces.recording import record_open
from hub_index.traces.trace_history import read_events

_KILLED = """
import os, signal, sys
from hub_index.traces.database import open_traces
with open_traces(sys.argv[1]) as connection:
    connection.execute("PRAGMA cache_size = 1")  # pages go to the file before the commit: a hot journal stays
    insert = "INSERT INTO events (session, at, hub, kind, skill) VALUES ('s', 1, 'h', 'use', ?)"
    connection.executemany(insert, [("x" * 500,)] * 500)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def check_answer(found: CommandOutcome, note: str = "") -> None:
    """The whole answer and exit 0; on stderr nothing but the one line."""
    assert found.code == 0
    assert "db-advisor" in found.out
    assert found.out.splitlines()[-1].strip().startswith("search ")
    lines = found.err.splitlines()
    assert len(lines) == bool(note), found.err
    assert note in found.err


def search(traces: TraceWorld, **environment: str) -> CommandOutcome:
    """A tracked search by words."""
    return traces.command("search", "slow queries", "--keyword", "--track", **environment)


def test_a_locked_database_is_waited_for_a_moment(traces: TraceWorld) -> None:
    """Then the answer stands without a trace; learning does without, too."""
    traces.record("slow queries", "db-advisor")
    with sqlite3.connect(traces.database, isolation_level=None) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        check_answer(search(traces), "not recorded: traces: ")
        learning = traces.command("search", "slow queries", "--keyword", AXON_LEARN="on")
        assert "searched without what was learnt" in learning.err
        assert "db-advisor" in learning.out
        assert traces.command("use", "db-advisor").code == 7
        holder.execute("ROLLBACK")
    holder.close()
    check_answer(search(traces))


def test_a_state_folder_that_cannot_be_made(traces: TraceWorld) -> None:
    """A file stands in its place."""
    Path(traces.folder).parent.mkdir()
    Path(traces.folder).write_text("")
    check_answer(search(traces), "check the folder and its rights")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
def test_a_read_only_folder(traces: TraceWorld) -> None:
    """And a read-only file in a folder of ours."""
    traces.record("slow queries")
    os.chmod(traces.database, 0o400)
    os.chmod(traces.folder, 0o500)
    check_answer(search(traces), "not recorded")
    os.chmod(traces.folder, 0o700)


def test_a_file_that_others_may_write_is_not_believed(traces: TraceWorld) -> None:
    """Whoever writes there would decide what is found first; mere readers are locked out again."""
    traces.record("slow queries")
    os.chmod(traces.database, 0o644)
    check_answer(search(traces))
    assert os.stat(traces.database).st_mode & 0o777 == 0o600
    os.chmod(traces.database, 0o666)
    check_answer(search(traces), "others may write it")
    assert os.stat(traces.database).st_mode & 0o777 == 0o666  # made ours in silence, the next search would believe it
    os.chmod(traces.database, 0o600)
    os.chmod(traces.folder, 0o777)
    check_answer(search(traces), "others may write it")


def test_a_full_disk(traces: TraceWorld) -> None:
    """No byte more fits: the answer is out, the old traces stay readable."""
    traces.record("slow queries")
    search(traces)  # the lexical cache is there now
    before = len(read_events(traces.folder))
    command = [sys.executable, "-m", "hub_index", "search", "slow queries", "--keyword", "--track"]
    line = f"ulimit -f 0; exec {shlex.join([*command, '--hub', str(traces.search.hub)])}"
    environment = os.environ | traces.environment()
    done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=False)
    check_answer(CommandOutcome(done.returncode, done.stdout, done.stderr), "not recorded")
    assert len(read_events(traces.folder)) == before


@pytest.mark.parametrize("damage", ["noise", "middle", "tables"])
def test_a_damaged_database_is_set_aside(traces: TraceWorld, damage: str) -> None:
    """The search that met the damage says so, and the one after it begins a new file."""
    traces.record("slow queries")
    if damage == "noise":
        traces.database.write_bytes(b"not a database" * 1000)
    elif damage == "middle":
        content = bytearray(traces.database.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
        traces.database.write_bytes(content)
    else:
        with sqlite3.connect(traces.database) as connection:
            connection.execute("DROP TABLE shown")
        connection.close()
    check_answer(search(traces), "it was damaged and is now traces.sqlite.damaged; ")
    check_answer(search(traces))
    assert Path(f"{traces.database}.damaged").exists()
    assert len(read_events(traces.folder)) == 1
    assert traces.command("traces", "forget", "--all").code == 0
    assert os.listdir(traces.folder) == []


def test_what_was_damaged_before_is_kept_too(traces: TraceWorld) -> None:
    """A second damage does not overwrite the first; of many the last ones share a name."""
    for number in range(5):
        traces.record("slow queries")
        traces.database.write_bytes(b"damage %d" % number * 1000)
        check_answer(search(traces), "it was damaged and is now traces.sqlite.damaged")
    kept = sorted(path for path in Path(traces.folder).iterdir() if ".damaged" in path.name)
    assert [path.read_bytes()[:8] for path in kept] == [b"damage 0", b"damage 1", b"damage 4"]


def test_a_service_says_at_its_end_what_it_could_not_record(traces: TraceWorld) -> None:
    """Also where later searches were recorded again."""
    traces.record("slow queries")
    traces.database.write_bytes(b"not a database" * 1000)
    recorder = TraceRecorder(Service(()), traces.folder)
    for _ in range(2):
        recorder._later(lambda: record_open(traces.folder, "hub", "db-advisor"))
    recorder.close()
    assert "it was damaged" in recorder.trouble
    assert len(read_events(traces.folder)) == 1


def test_a_newer_file_is_left_alone(traces: TraceWorld) -> None:
    """What a later version wrote is neither read nor set aside."""
    traces.record("slow queries")
    with sqlite3.connect(traces.database) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    check_answer(search(traces), "newer hub-index")
    assert sorted(os.listdir(traces.folder)) == [traces.database.name]


def test_a_database_that_is_deleted_while_it_is_open(traces: TraceWorld) -> None:
    """The one who wrote there loses the trace, or is told; the next one begins anew."""
    traces.record("slow queries")
    with contextlib.suppress(TracesUnusable), open_traces(traces.folder) as connection:
        traces.database.unlink()
        connection.execute("DELETE FROM searches")
    check_answer(search(traces))
    assert len(read_events(traces.folder)) == 1


def test_many_processes_record_at_once(traces: TraceWorld) -> None:
    """Every answer is whole, and each is recorded or says that it is not."""
    children = [traces.start_search("slow queries") for _ in range(4)]
    outcomes = [child.communicate(timeout=60) for child in children]
    assert [child.returncode for child in children] == [0] * 4
    assert all(b"db-advisor" in out for out, _ in outcomes)
    told = sum(b"not recorded" in err for _, err in outcomes)
    assert len(read_events(traces.folder)) == 4 - told


def test_a_writer_that_is_killed_leaves_no_half_of_a_trace(traces: TraceWorld) -> None:
    """Its transaction is rolled back by whoever comes next."""
    traces.record("slow queries")
    done = subprocess.run([sys.executable, "-c", _KILLED, traces.folder], check=False)
    assert done.returncode == -signal.SIGKILL
    assert Path(f"{traces.database}-journal").exists()
    check_answer(search(traces))
    assert [event["kind"] for event in read_events(traces.folder)] == ["query", "query"]
