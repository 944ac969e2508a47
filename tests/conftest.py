"""Every test runs with folders of its own and without the user's git, keys, settings or cache.

Whatever the developer's environment says is taken away before the first test module is imported: fixtures of a
whole session or module run before any fixture of a single test.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from support.models.model_copy import lend_model_copy
from support.processes.made_once import RUN_FOLDER

_FOREIGN = (
    *("AXON_", "HUB_INDEX_", "OPENAI_", "AZURE_", "VOYAGE_", "HF_"),
    *("GIT_", "SSH_", "GPG_", "EMAIL", "PREFECT_", "DASK_", "XDG_", "PYTHON", "PIP_", "LC_", "LANG"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR"),
)
_PYTEST = ("PYTEST_", "PYTHON_CPU_COUNT", "PYTHONHASHSEED")  # pytest's own, and what a test run may choose
# besides an author: no housekeeping after each commit, no waiting for the disk, no sample hooks in every repository
_GIT_SETTINGS = """\
[user]
\tname = Test Person
\temail = person@example.invalid
[init]
\tdefaultBranch = main
\ttemplateDir =
[commit]
\tgpgSign = false
[core]
\tautocrlf = false
\tfsync = none
[maintenance]
\tauto = false
"""


def _enter_own_world(home: Path) -> None:
    """Leaves nothing of the developer's in the environment and puts a home of our own in its place."""
    for name in list(os.environ):
        if name.upper().startswith(_FOREIGN) and not name.startswith(_PYTEST):
            del os.environ[name]
    settings = home / "gitconfig"
    settings.write_text(_GIT_SETTINGS)
    os.environ |= {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    os.umask(0o022)
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        signal.signal(
            number, handler
        )  # a job in the background, or under nohup, ignores them, and so would every child


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Runs in the controller and in each worker, before any test module is imported."""
    if sys.getfilesystemencoding() != "utf-8":
        pytest.exit("the tests make files with Chinese names: run them with LC_ALL=C.UTF-8, as `make test` does", 2)
    home = tempfile.TemporaryDirectory(prefix="hub-index-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(home.cleanup)
    _enter_own_world(Path(home.name))
    if "PYTEST_XDIST_WORKER" not in os.environ:  # a worker is told by the process that started it
        os.environ[RUN_FOLDER] = home.name


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """What `-n auto` means: one more than there are cores, since some test always waits for a server or a clock.

    Eight at most: a worker needs some 600 MB.
    """
    return min((os.cpu_count() or 1) + 1, 8)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The folders of the longest stories begin: one of ten seconds that comes last keeps everybody waiting."""
    items.sort(key=lambda item: item.path.parent.name not in {"flow", "workflows"})


@pytest.fixture(autouse=True, scope="session")
def _shared_world() -> None:
    """Fixtures of a session or module build with a copy of the model that is there already."""
    lend_model_copy(Path(os.environ["XDG_CACHE_HOME"]) / "hub-index")


@pytest.fixture(autouse=True)
def own_world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a cache folder of the test's own; only the model's copy in it is lent."""
    home = tmp_path_factory.mktemp("home")
    lend_model_copy(home / ".cache/hub-index")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    from support.models.lent_dictionary import lend_dictionary

    lend_dictionary(home / ".cache" / "hub-index")
    return home


@pytest.fixture(autouse=True)
def _short_pauses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of a damaged index look as often as ever, but at once: nobody mends it between two looks.

    Where something writes meanwhile, the mark `patient` gives them the time that a user's would have.
    """
    if not any(request.node.get_closest_marker(name) for name in ("patient", "soak")):
        from hub_index.index.folder import retry_read as settle

        monkeypatch.setattr(settle, "_PAUSES_S", tuple(pause_s / 50 for pause_s in settle._PAUSES_S))
