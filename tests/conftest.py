"""Every test runs with folders of its own and without the user's git, keys or cache."""

import os
from pathlib import Path

import pytest

_FOREIGN = ("AXON_", "HUB_INDEX_", "OPENAI_", "AZURE_", "VOYAGE_", "GIT_", "PREFECT_")


@pytest.fixture(autouse=True)
def own_world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a cache folder of the test's own; no variable of the developer's leaks in."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(_FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test Person")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "person@example.invalid")
    return home
