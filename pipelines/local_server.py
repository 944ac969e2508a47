"""A Prefect server of our own on loopback, for schedules: the one that a plain run embeds has no scheduler."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from urllib.error import URLError
from urllib.request import urlopen

from hub_index.errors import ConfigError

_START_TIMEOUT_S = 120.0  # migrations of a new database on a busy machine
_STOP_TIMEOUT_S = 10.0


@contextmanager
def local_server() -> Iterator[str]:
    """The API address of a server that lives as long as the block. Raises ConfigError if it does not start."""
    port = free_port()
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    url = f"http://127.0.0.1:{port}/api"
    # both names of one setting: without it a browser asks Prefect's usual port, and sees no runs
    environment = os.environ | {"PREFECT_SERVER_UI_API_URL": url, "PREFECT_UI_API_URL": url}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        _wait_for(url, process)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def talk_to(url: str) -> Iterator[None]:
    """Prefect, which may have read its settings already, talks to this server inside the block; so do its runs."""
    from prefect.settings import PREFECT_API_URL, temporary_settings

    os.environ["PREFECT_API_URL"] = url
    with temporary_settings({PREFECT_API_URL: url}):
        yield


def check_scheduler() -> None:
    """Raises ConfigError if this Prefect's scheduler would fail in silence and no run would ever come.

    Seen with Prefect 3.8.8 and SQLAlchemy 2.1.8: inserting scheduled runs fails ("Can't evaluate bulk DML statement").
    """
    if version("prefect").startswith("3.8.") and not version("sqlalchemy").startswith("2.0."):
        raise ConfigError("Prefect 3.8 cannot schedule with SQLAlchemy 2.1: pip install 'sqlalchemy>=2.0,<2.1'")


def needs_server(environ: "os._Environ[str] | dict[str, str]") -> bool:
    """Whether we have to start one: the user has not named a server."""
    return not environ.get("PREFECT_API_URL")


def free_port() -> int:
    """A port of loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    end_s = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < end_s and process.poll() is None:
        try:
            with urlopen(f"{url}/health", timeout=5):  # noqa: S310 - our own loopback address
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise ConfigError("the Prefect server does not start; start one yourself and set PREFECT_API_URL")
