"""`hub-index model pull|list|remove`: models in the user's data folder, one folder each.

A model is put together beside its place and moved there whole; an interrupted pull stays in a hidden folder, from which
the next try goes on.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hub_index.base.file_permissions import make_private_folder
from hub_index.base.locks import Lock
from hub_index.embedding.onnx.hugging_face import PullWatcher, RemoteRepo
from hub_index.embedding.onnx.model_folder import (
    MODEL_FILE,
    TOKENIZER_FILE,
    ModelFolder,
    check_files,
    open_folder,
    read_digest,
)
from hub_index.embedding.onnx.model_settings import (
    DEFAULT_MAX_TOKENS,
    SETTINGS_FILE,
    ModelSettings,
    encode_model_settings,
    is_model_name,
    is_plain_file_name,
)
from hub_index.errors import ConfigError, IndexBusy, ProviderRefused
from hub_index.limits import MAX_MODEL_PREFIX_CHARS, MAX_ONNX_TOKENS, MAX_PULLED_BYTES

_MODEL_PLACES = (f"onnx/{MODEL_FILE}", MODEL_FILE)
POOLING_FILE, LENGTH_FILE, PROMPTS_FILE = (
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """The repository to fetch, its revision, the model's name, and which of its ONNX files."""

    repo: str
    revision: str = ""  # empty: the newest
    name: str = ""  # empty: the repository's own
    file: str | None = None


@dataclass(frozen=True, slots=True)
class PullOutcome:
    """The folder, and whether it had to be fetched."""

    folder: ModelFolder
    is_new: bool


def pull_model(request: PullRequest, models: Path, watcher: PullWatcher) -> PullOutcome:
    """Fetches a model, or finds that it is here already. Raises ConfigError, ProviderError, OSError."""
    name = request.name or request.repo.rpartition("/")[2]
    if not is_model_name(name):
        raise ConfigError(f"{name!a} cannot be a model's name; give another with --name")
    make_private_folder(models)
    with _locked(models, name):
        remote = RemoteRepo(request.repo, request.revision)
        here = _already_here(models / name, remote, request)
        if here is not None:
            return PullOutcome(here, is_new=False)
        staging = models / f".{name}.part"
        parts = _fetch_parts(remote, request, staging, watcher)
        settings = read_repo_settings(
            request.repo, lambda file: parse_object(remote.read_small(file, staging, watcher))
        )
        digests = {part: read_digest(path, MAX_PULLED_BYTES).sha256 for part, path in parts.items()}
        written = replace(settings, name=name, repo=request.repo, revision=remote.commit, files=digests)
        fresh = _assemble(models / f".{name}.new", parts, encode_model_settings(written))
        _swap(fresh, models / name)
        shutil.rmtree(staging, ignore_errors=True)
    return PullOutcome(open_folder(models / name), is_new=True)


def list_models(models: Path) -> list[ModelFolder]:
    """The installed models, by name; other folders are left out."""
    folders = []
    for path in sorted(models.iterdir()) if models.is_dir() else ():
        if path.is_dir() and is_model_name(path.name):
            try:
                folders.append(open_folder(path))
            except ConfigError:
                continue
    return folders


def remove_model(name: str, models: Path) -> int:
    """Removes a model, and what is left of a pull that was cut off; how many bytes that were. Raises ConfigError."""
    if not is_model_name(name):
        raise ConfigError(f"{name!a} is not the name of a model; `hub-index model list` shows them")
    folders = [path for path in (models / name, models / f".{name}.part", models / f".{name}.new") if path.is_dir()]
    if not folders:
        raise ConfigError(f"there is no model {name} in {models}; `hub-index model list` shows them")
    with _locked(models, name):
        size = sum(folder_bytes(path) for path in folders)
        for path in folders:
            shutil.rmtree(path)
    return size


def folder_bytes(folder: Path) -> int:
    """The bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _already_here(place: Path, remote: RemoteRepo, request: PullRequest) -> ModelFolder | None:
    """The model if it is this commit's and whole."""
    try:
        folder = open_folder(place)
        is_same = (folder.settings.repo, folder.settings.revision) == (request.repo, remote.commit)
        if not is_same or (request.file and not _is_file(folder, remote, request.file)):
            return None
        check_files(folder)
    except ConfigError:
        return None
    return folder


def _is_file(folder: ModelFolder, remote: RemoteRepo, file: str) -> bool:
    return file in remote.files and folder.settings.files.get(MODEL_FILE) == remote.files[file].sha256


def _fetch_parts(remote: RemoteRepo, request: PullRequest, staging: Path, watcher: PullWatcher) -> dict[str, Path]:
    """The files of the model by the names that they get here: the graph, its weights, the tokenizer."""
    names = list(remote.files)
    model_file = choose_model_file(names, request.file, request.repo)
    tokenizer = choose_tokenizer(names, model_file, request.repo)
    make_private_folder(staging)
    parts = {MODEL_FILE: remote.fetch(model_file, staging, watcher)}
    locations = read_digest(parts[MODEL_FILE], MAX_PULLED_BYTES).locations
    wanted = {name: beside(model_file, name) for name in locations} | {TOKENIZER_FILE: tokenizer}
    missing = next((file for file in wanted.values() if file not in remote.files), None)
    if missing:
        raise ProviderRefused(f"{request.repo} lacks {missing}, which {model_file} needs; choose another file")
    if sum(remote.files[file].size for file in (model_file, *wanted.values())) > MAX_PULLED_BYTES:
        raise ProviderRefused(f"{request.repo} has more than {MAX_PULLED_BYTES} bytes of weights; choose a smaller one")
    for name, file in wanted.items():
        parts[name] = remote.fetch(file, staging, watcher)
    return parts


def _assemble(fresh: Path, parts: dict[str, Path], settings: bytes) -> Path:
    shutil.rmtree(fresh, ignore_errors=True)
    make_private_folder(fresh)
    for name, path in parts.items():
        os.replace(path, fresh / name)
    with (fresh / SETTINGS_FILE).open("wb") as file:
        file.write(settings)
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _swap(fresh: Path, place: Path) -> None:
    """Puts the new folder in the old one's place; readers never find half of one."""
    old = place.with_name(f".{place.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        os.rename(place, old)
    os.rename(fresh, place)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _locked(models: Path, name: str) -> Iterator[None]:
    with Lock(models / f".{name}.lock") as lock:
        if not lock.take():
            raise IndexBusy(f"another command is fetching or removing {name}; wait for it, then run this again")
        yield


ReadJson = Callable[[str], Mapping[str, Any]]  # the object in a small file of the repository, empty if it has none


def choose_model_file(names: Sequence[str], asked: str | None, repo: str) -> str:
    """The ONNX file to fetch. Raises ConfigError if it is missing, and lists the others."""
    wanted = (asked,) if asked else _MODEL_PLACES
    chosen = next((name for name in wanted if name in names), None)
    if chosen is None:
        others = sorted(name for name in names if name.endswith(".onnx"))[:5]
        offer = f"name one with --file: {', '.join(others)}" if others else "it holds no .onnx file at all"
        raise ConfigError(f"{repo} has no {wanted[0]}; {offer}")
    return chosen


def beside(model_file: str, name: str) -> str:
    """The path of a file in the model's own folder of the repository. Raises ConfigError for one elsewhere."""
    if not is_plain_file_name(name):
        raise ConfigError(f"{model_file} keeps weights in {name!a}, outside of its folder; choose another file")
    folder, slash, _ = model_file.rpartition("/")
    return f"{folder}{slash}{name}"


def choose_tokenizer(names: Sequence[str], model_file: str, repo: str) -> str:
    """The tokenizer beside the model, else the repository's. Raises ConfigError."""
    chosen = next((name for name in (beside(model_file, TOKENIZER_FILE), TOKENIZER_FILE) if name in names), None)
    if chosen is None:
        raise ConfigError(f"{repo} has no {TOKENIZER_FILE}, which is needed to cut texts; choose another repository")
    return chosen


def read_repo_settings(repo: str, read_json: ReadJson) -> ModelSettings:
    """The settings of a model: from our own table, else from the repository's files, else the usual ones."""
    entry = find_known(repo)
    if entry is not None:
        return ModelSettings(
            pooling=entry.pooling,
            query_prefix=entry.query_prefix,
            passage_prefix=entry.passage_prefix,
            max_tokens=entry.max_tokens,
        )
    prompts = read_json(PROMPTS_FILE).get("prompts")
    by_kind = prompts if isinstance(prompts, Mapping) else {}
    return ModelSettings(
        pooling=_pooling(read_json(POOLING_FILE)),
        query_prefix=_prefix(by_kind, "query"),
        passage_prefix=_prefix(by_kind, "passage", "document"),
        max_tokens=_length(read_json(LENGTH_FILE).get("max_seq_length")),
    )


def parse_object(content: bytes) -> Mapping[str, Any]:
    """The JSON object in a small file of a repository; empty if it is something else."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _pooling(config: Mapping[str, Any]) -> str:
    kinds = {"cls": "pooling_mode_cls_token", "last": "pooling_mode_lasttoken", "mean": "pooling_mode_mean_tokens"}
    return next((kind for kind, key in kinds.items() if config.get(key) is True), "")


def _prefix(prompts: Mapping[str, Any], *kinds: str) -> str:
    prefix = next((prompts[kind] for kind in kinds if isinstance(prompts.get(kind), str)), "")
    return prefix if len(prefix) <= MAX_MODEL_PREFIX_CHARS else ""


def _length(found: object) -> int:
    return found if type(found) is int and 1 <= found <= MAX_ONNX_TOKENS else DEFAULT_MAX_TOKENS


@dataclass(frozen=True, slots=True)
class KnownRepo:
    """How a model turns texts into vectors."""

    repo: str
    pooling: str
    max_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""
    about: str = ""


KNOWN_REPOS = (
    KnownRepo(
        "intfloat/multilingual-e5-small", "mean", 512, "query: ", "passage: ", "some 100 languages, 384 numbers, 470 MB"
    ),
    KnownRepo("BAAI/bge-m3", "cls", 8192, about="some 100 languages, long texts, 1024 numbers, 2.3 GB"),
    KnownRepo(
        "BAAI/bge-small-en-v1.5",
        "cls",
        512,
        "Represent this sentence for searching relevant passages: ",
        about="English, 384 numbers, 130 MB",
    ),
    KnownRepo("sentence-transformers/all-MiniLM-L6-v2", "mean", 256, about="English, 384 numbers, 90 MB"),
)


def find_known(repo: str) -> KnownRepo | None:
    """The settings of a known repository; the case of its name does not matter, as on the server."""
    return next((entry for entry in KNOWN_REPOS if entry.repo.lower() == repo.lower()), None)
