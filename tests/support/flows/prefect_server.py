"""A real Prefect server process, one for all tests of a run (also of several pytest workers), ended with the run."""

import contextlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pipelines.local_server import local_server
from pipelines.offline import set_offline_defaults
from support.processes.shared_process import folder_of_run, serve, shared_process


@dataclass(frozen=True, slots=True)
class PrefectServer:
    """Where the server answers, and where it keeps everything that it was ever told."""

    url: str
    home: Path

    def ask(self, path: str, **filters: Any) -> list[dict[str, Any]]:
        """What `POST path` answers."""
        found: list[dict[str, Any]] = self._post(path, {"limit": 200} | filters)
        return found

    def start_run(self, deployment: str, **parameters: Any) -> str:
        """The id of a run that is started by hand, some of its parameters given as `--param` gives them."""
        body = {"state": {"type": "SCHEDULED"}, "parameters": parameters}
        return str(self._post(f"deployments/{deployment}/create_flow_run", body)["id"])

    def copy_database(self, home: Path) -> None:
        """A home with what this server knows: Prefect takes ten seconds of a processor to make a new database."""
        home.mkdir()
        with (
            contextlib.closing(sqlite3.connect(self.home / "prefect.db")) as ours,
            contextlib.closing(sqlite3.connect(home / "prefect.db")) as theirs,
        ):
            ours.backup(theirs)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        request = Request(f"{self.url}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        for pause_s in (1, 3, 9, 0):
            try:
                with urlopen(request, timeout=30) as answer:
                    return json.load(answer)
            except HTTPError as error:  # 503: its database is locked, on a machine with too much to do
                if error.code != 503 or not pause_s:
                    raise
                time.sleep(pause_s)
        raise AssertionError


def wait_until(is_so: Callable[[], Any], seconds: float = 120.0) -> Any:
    """What the question first answers with."""
    end_s = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < end_s, "it never came about"
        time.sleep(0.5)
    return found


def shared_server(factory: pytest.TempPathFactory) -> PrefectServer:
    """The run's server, started by whoever asks first."""
    folder = folder_of_run(factory, "prefect-server")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {"PREFECT_HOME": str(folder), "HOME": str(folder)}
    return PrefectServer(shared_process(folder, __file__, environment), folder)


def main(note: str, lives_with: str) -> None:
    """Serves as long as another process lives, however that one ends."""
    set_offline_defaults(os.environ)
    with local_server() as url:
        serve(url, note, lives_with)


if __name__ == "__main__":
    main(*sys.argv[1:])
