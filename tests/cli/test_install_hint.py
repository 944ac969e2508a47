"""What to type for a missing extra depends on where the package came from, and works there."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hub_index.base.install_hint import _command, install_hint

_CLONE = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({}, "pip install 'hub-index[flow]'"),
        ({"url": "file:///a%20b/c", "dir_info": {"editable": True}}, "pip install --editable '/a b/c[flow]'"),
        ({"url": "file:///wheels/hub_index-1-py3-none-any.whl"}, "'/wheels/hub_index-1-py3-none-any.whl[flow]'"),
        (
            {"url": "https://u:secret@example.org/h.git", "vcs_info": {"vcs": "git", "requested_revision": "v1"}},
            "pip install 'hub-index[flow] @ git+https://example.org/h.git@v1'",
        ),
        ({"url": "https://example.org/h.tar.gz?key=secret"}, "'hub-index[flow] @ https://example.org/h.tar.gz'"),
    ],
)
def test_the_command_names_the_packages_origin(origin: dict[str, Any], command: str) -> None:
    """A registry, a clone, a wheel, a repository, an archive; no credential is repeated."""
    assert _command(origin, "flow").endswith(command)
    assert "secret" not in _command(origin, "flow")


def test_this_installation_is_named_as_it_is() -> None:
    """The development set is an editable install of the clone."""
    assert install_hint("flow") == f"pip install --editable '{_CLONE}[flow]'"


def test_a_clone_that_was_never_installed_has_a_way_too(tmp_path: Path) -> None:
    """Without any metadata of the package."""
    code = (
        f"import sys; sys.path.insert(0, {str(_CLONE)!r}); from hub_index.base.install_hint import install_hint; "
        "print(install_hint('flow'))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "pip install '.[flow]', in the clone\n"
