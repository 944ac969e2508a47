"""A folder with a model: its place, its files, and whether they have the right digests.

`onnx:NAME` is a folder that `hub-index model pull` made, `onnx:DIR` any other; only the user names a folder. Files are
hashed before each load: they must match `files` in the settings if it is there, and they are part of the space.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.embedding.onnx.model_settings import (
    SETTINGS_FILE,
    ModelSettings,
    is_model_name,
    is_plain_file_name,
    parse_model_settings,
)
from hub_index.errors import ConfigError
from hub_index.limits import MAX_MODEL_SETTINGS_BYTES, MAX_ONNX_PARTS, MAX_PULLED_BYTES, MAX_TOKENIZER_BYTES

MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"
_CHUNK_BYTES = 1024 * 1024
# A weight in a separate file is an entry {key: "location", value: <file>} of ONNX's protobuf.
_LOCATION = b"\x0a\x08location\x12"
_LOCATION_BYTES = len(_LOCATION) + 2 + 255


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a model, and its settings."""

    path: Path
    settings: ModelSettings

    @property
    def name(self) -> str:
        """The model's name in a model_id."""
        return self.settings.name or self.path.name


def is_folder_path(name: str) -> bool:
    """Whether what follows `onnx:` is a path and not the name of a pulled model."""
    return name in (".", "..", "~") or "/" in name or os.sep in name


def find_folder(name: str, models: Path) -> ModelFolder:
    """The folder of `onnx:NAME`, or of `onnx:DIR` as the user wrote it. Raises ConfigError."""
    if is_folder_path(name):
        return open_folder(Path(os.path.expanduser(name)).resolve())
    if not is_model_name(name):
        raise ConfigError(
            f"{quote_line(name)} is not the name of a model; write onnx:NAME, or a folder as onnx:./FOLDER"
        )
    path = models / name
    if not path.is_dir():
        here = f", or write {quote_line(f'onnx:./{name}')} for the folder here" if Path(name).is_dir() else ""
        raise ConfigError(
            f"the model {quote_line(name)} is not in {models}: run `hub-index model pull REPO`, which fetches one "
            f"(`hub-index model list` shows them){here}"
        )
    return open_folder(path)


def open_folder(path: Path) -> ModelFolder:
    """A folder with its settings; no weight is read yet. Raises ConfigError."""
    for name in (MODEL_FILE, TOKENIZER_FILE):
        if not (path / name).is_file():
            raise ConfigError(f"{path} has no {name}: a model's folder holds {MODEL_FILE} and {TOKENIZER_FILE}")
    folder = ModelFolder(path, _read_settings(path / SETTINGS_FILE))
    if not is_model_name(folder.name):
        raise ConfigError(f"{path}: the folder's name cannot be the model's; give one as name in {SETTINGS_FILE}")
    return folder


def check_files(folder: ModelFolder) -> dict[str, str]:
    """The sha256 of every file that decides a vector, read now. Raises ConfigError if one is not what it should be.

    A weight that lies outside of the folder is refused.
    """
    model = read_digest(folder.path / MODEL_FILE, MAX_PULLED_BYTES)
    digests = {MODEL_FILE: model.sha256}
    for name in model.locations:
        if not is_plain_file_name(name) or not (folder.path / name).is_file():
            raise ConfigError(
                f"{folder.path}: {MODEL_FILE} keeps weights in {quote_line(name)}, which is not in the folder"
            )
        digests[name] = read_digest(folder.path / name, MAX_PULLED_BYTES).sha256
    digests[TOKENIZER_FILE] = read_digest(folder.path / TOKENIZER_FILE, MAX_TOKENIZER_BYTES).sha256
    pinned = folder.settings.files
    changed = [name for name, digest in digests.items() if pinned and pinned.get(name) != digest]
    if changed:
        again = f"run `hub-index model pull {folder.settings.repo}` again" if folder.settings.repo else "copy it again"
        raise ConfigError(f"{folder.path / changed[0]} is not the file that {SETTINGS_FILE} records: {again}")
    return digests


@dataclass(frozen=True, slots=True)
class CheckedFolder:
    """A folder with files that were hashed in this process, and marks that show later changes."""

    folder: ModelFolder
    digests: dict[str, str]
    marks: tuple[tuple[int, int, int], ...]

    def is_unchanged(self) -> bool:
        """Whether every file is the one that was hashed: same inode, size and time."""
        return self.marks == _marks(self.folder, self.digests)

    def check_unchanged(self) -> None:
        """Raises ConfigError if a file was exchanged between its check and its use."""
        if not self.is_unchanged():
            raise ConfigError(f"{self.folder.path} was changed while it was read: run the command again")


def check_folder(folder: ModelFolder) -> CheckedFolder:
    """The folder, hashed now. Raises ConfigError as `check_files`."""
    digests = check_files(folder)
    return CheckedFolder(folder, digests, _marks(folder, digests))


def _marks(folder: ModelFolder, names: Iterable[str]) -> tuple[tuple[int, int, int], ...]:
    try:
        stats = [(folder.path / name).stat() for name in sorted(names)]
    except OSError:
        return ()
    return tuple((status.st_ino, status.st_size, status.st_mtime_ns) for status in stats)


@dataclass(frozen=True, slots=True)
class FileDigest:
    """A file's sha256, and the files that it says hold weights."""

    sha256: str
    locations: tuple[str, ...]


def read_digest(path: Path, max_bytes: int) -> FileDigest:
    """Reads a file once, in pieces. Raises ConfigError."""
    digest = hashlib.sha256()
    locations: dict[str, None] = {}
    try:
        if path.stat().st_size > max_bytes:
            raise ConfigError(f"{path} is larger than {max_bytes} bytes; that is not a model for here")
        with path.open("rb") as file:
            before = b""
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
                window = before + chunk
                locations.update(dict.fromkeys(_find_locations(window)))
                before = window[-_LOCATION_BYTES:]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); check its rights") from error
    if len(locations) > MAX_ONNX_PARTS:
        raise ConfigError(f"{path} keeps weights in more than {MAX_ONNX_PARTS} files; choose another export")
    return FileDigest(digest.hexdigest(), tuple(locations))


def _find_locations(content: bytes) -> Iterator[str]:
    at = content.find(_LOCATION)
    while at >= 0:
        start = at + len(_LOCATION)
        length, first = content[start] if start < len(content) else 0, start + 1
        if length >= 0x80 and first < len(content):  # a varint of two bytes
            length, first = (length & 0x7F) | content[first] << 7, first + 1
        name = content[first : first + length]
        if len(name) == length:  # else the next piece holds the rest
            yield name.decode("utf-8", "replace")
        at = content.find(_LOCATION, start)


def _read_settings(path: Path) -> ModelSettings:
    try:
        if not path.exists():
            return ModelSettings()
        with path.open("rb") as file:
            content = file.read(MAX_MODEL_SETTINGS_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); check its rights") from error
    return parse_model_settings(content, str(path))
