"""`hub-index-model.json`, the settings of a model in a folder: bytes ↔ a checked ModelSettings.

Written by `hub-index model pull`, or by hand; every key is optional. `files` pins the sha256 of each file: with it
nothing else is ever loaded from the folder.
"""

import json
import re
from dataclasses import dataclass, field, fields

from hub_index.errors import ConfigError
from hub_index.limits import (
    MAX_MODEL_NAME_CHARS,
    MAX_MODEL_PREFIX_CHARS,
    MAX_MODEL_SETTINGS_BYTES,
    MAX_ONNX_PARTS,
    MAX_ONNX_TOKENS,
)

SETTINGS_FILE = "hub-index-model.json"
POOLINGS = ("mean", "cls", "last", "none")
DEFAULT_MAX_TOKENS = 512
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The settings of a model: its use, its source, and the digests of its files."""

    name: str = ""  # empty: the folder's name
    pooling: str = ""  # empty: the mean over the tokens, or the model's own vector where it gives only that
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = DEFAULT_MAX_TOKENS
    repo: str = ""
    revision: str = ""  # the commit, never a branch
    files: dict[str, str] = field(default_factory=dict)  # file name → sha256


def is_model_name(name: str) -> bool:
    """True if a name can be in a model_id: no path, no space, nothing that a terminal acts on."""
    return len(name) <= MAX_MODEL_NAME_CHARS and _NAME.fullmatch(name) is not None


def parse_model_settings(content: bytes, where: str) -> ModelSettings:
    """The settings of a folder. Raises ConfigError, which names the key that is wrong."""
    if len(content) > MAX_MODEL_SETTINGS_BYTES:
        raise ConfigError(f"{where} is larger than {MAX_MODEL_SETTINGS_BYTES} bytes: it should hold a few settings")
    try:
        values = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f'{where} is not JSON: write an object such as {{"pooling": "mean"}}') from error
    names = {entry.name for entry in fields(ModelSettings)}
    if not isinstance(values, dict) or not names.issuperset(values):
        raise ConfigError(f"{where} holds something besides {', '.join(sorted(names))}: take it out")
    settings = ModelSettings(**values)
    for key, is_right, advice in _checks(settings):
        if not is_right:
            raise ConfigError(f"{where}: {key} is wrong: {advice}")
    return settings


def encode_model_settings(settings: ModelSettings) -> bytes:
    """The file's bytes; what is empty is left out."""
    held = {entry.name: getattr(settings, entry.name) for entry in fields(ModelSettings)}
    written = {key: value for key, value in held.items() if value}
    return (json.dumps(written, indent=2, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _checks(settings: ModelSettings) -> list[tuple[str, bool, str]]:
    prefixes = (settings.query_prefix, settings.passage_prefix)
    is_short = all(isinstance(text, str) and len(text) <= MAX_MODEL_PREFIX_CHARS for text in prefixes)
    sources = (settings.repo, settings.revision)
    is_count = type(settings.max_tokens) is int and 1 <= settings.max_tokens <= MAX_ONNX_TOKENS
    return [
        (
            "name",
            settings.name == "" or (isinstance(settings.name, str) and is_model_name(settings.name)),
            f"write at most {MAX_MODEL_NAME_CHARS} letters, digits and ._-",
        ),
        ("pooling", settings.pooling in ("", *POOLINGS), f"write one of {', '.join(POOLINGS)}"),
        ("query_prefix or passage_prefix", is_short, f"write a text of at most {MAX_MODEL_PREFIX_CHARS} characters"),
        ("max_tokens", is_count, f"write a whole number from 1 to {MAX_ONNX_TOKENS}"),
        ("repo or revision", all(isinstance(text, str) for text in sources), "write a text"),
        ("files", _are_files(settings.files), "write the sha256 of each file by its name"),
    ]


def _are_files(files: object) -> bool:
    if not isinstance(files, dict) or len(files) > MAX_ONNX_PARTS + 2:
        return False
    return all(
        is_plain_file_name(name) and isinstance(digest, str) and _SHA256.fullmatch(digest)
        for name, digest in files.items()
    )


def is_plain_file_name(name: str) -> bool:
    """Whether this names a file of the folder itself, and nothing outside of it."""
    return bool(name) and not name.startswith(".") and not set(name) & set("/\\\0") and len(name) <= 255
