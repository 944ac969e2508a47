"""`hub-index.toml`, the hub's own settings: bytes in, a checked HubConfig out.

The file comes with the hub and is untrusted: it may say where skills are, what to leave out, which model the
hub is published with, which folder of the hub takes the index and in which format, and how many skills may go at once.
It cannot name an address, a key, or a place outside the hub.
"""

from dataclasses import dataclass
from typing import Any

from hub_index.errors import ConfigError
from hub_index.hub.skill.characters import short_line
from hub_index.hub.tree.record_file import DOCUMENT_FOLDERS
from hub_index.limits import MAX_CONFIG_CHARS, MAX_CONFIG_ENTRIES, MAX_HUB_CONFIG_BYTES

CONFIG_FILE = "hub-index.toml"
DEFAULT_ROOT = "skills"
DEFAULT_OUTPUT = "search"
DEFAULT_QUERIES, DEFAULT_QRELS = "search-queries.jsonl", "search-qrels.tsv"
DEFAULT_MAX_LOSS = 0.1

_REASON_CHARS = 120
_KEYS = ("roots", "exclude", "model", "output", "queries", "qrels", "max_loss", "format")
_MODEL_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:@+-")


@dataclass(frozen=True, slots=True)
class HubConfig:
    """Where a hub keeps its skills and its index; `roots` None: `skills` if there is one, else the whole hub."""

    roots: tuple[str, ...] | None = None  # folders from the hub's root; "" is the hub itself
    exclude: tuple[str, ...] = ()
    model: str | None = None
    output: str = DEFAULT_OUTPUT
    queries: str = DEFAULT_QUERIES  # labelled queries: what the hub's search is expected to answer
    qrels: str = DEFAULT_QRELS
    max_loss: float = DEFAULT_MAX_LOSS  # the share of its skills that an index may lose in one build
    format: int | None = None  # of the index: 1 or 2; None: by its size


def parse_config(content: bytes) -> HubConfig:
    """The settings in a hub-index.toml. Raises ConfigError, which names the key and what to write."""
    table = _parse_toml(content)
    for key in table:
        if key not in _KEYS:
            raise _wrong(short_line(key), "is not a setting of a hub", _advice_for(key))
    config = HubConfig(
        roots=tuple(_folder("roots", root) for root in _texts("roots", table)) if "roots" in table else None,
        exclude=tuple(_pattern(text) for text in _texts("exclude", table)) if "exclude" in table else (),
        model=_model(table["model"]) if "model" in table else None,
        output=_folder("output", _text("output", table["output"])) if "output" in table else DEFAULT_OUTPUT,
        queries=_file("queries", table["queries"]) if "queries" in table else DEFAULT_QUERIES,
        qrels=_file("qrels", table["qrels"]) if "qrels" in table else DEFAULT_QRELS,
        max_loss=_share("max_loss", table["max_loss"]) if "max_loss" in table else DEFAULT_MAX_LOSS,
        format=_format("format", table["format"]) if "format" in table else None,
    )
    _check_roots(config)
    _check_output(config)
    return config


def _parse_toml(content: bytes) -> dict[str, Any]:
    if len(content) > MAX_HUB_CONFIG_BYTES:
        raise ConfigError(f"{CONFIG_FILE} is larger than {MAX_HUB_CONFIG_BYTES} bytes: shorten it")
    import tomllib  # most hubs have no such file, and an unchanged build is measured

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{CONFIG_FILE} is not UTF-8 (byte {error.start}): save it as UTF-8") from error
    except RecursionError as error:
        raise ConfigError(f"{CONFIG_FILE} is nested too deeply: write plain keys and lists") from error
    except ValueError as error:  # TOMLDecodeError, and numbers of absurd length; its text may quote the file
        raise ConfigError(f"{CONFIG_FILE} is not TOML: {short_line(str(error), _REASON_CHARS)}") from error


def _texts(key: str, table: dict[str, Any]) -> list[str]:
    values = table[key]
    if not isinstance(values, list) or len(values) > MAX_CONFIG_ENTRIES:
        raise _wrong(
            key, "is not a short list", f'write at most {MAX_CONFIG_ENTRIES} strings, as in {key} = ["skills"]'
        )
    return [_text(key, value) for value in values]


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_CONFIG_CHARS or not value.isprintable():
        raise _wrong(key, "holds a value that is not a short plain string", f'write it in quotes, as in {key} = "…"')
    return value


def _folder(key: str, text: str) -> str:
    """A folder of the hub without trailing slash; "" is the hub itself."""
    folder = text.removeprefix("./").rstrip("/") if not text.startswith("/") else text
    folder = "" if folder == "." else folder
    parts = folder.split("/") if folder else []
    if "\\" in folder or ":" in folder or any(part in ("", ".", "..") for part in parts):
        raise _wrong(key, "must be a folder inside the hub", "write a relative path with /, without .. or a drive")
    if any(_is_git_folder(part) for part in parts):
        raise _wrong(key, "must not lie in git's own folder", "choose another folder")
    return folder


def _file(key: str, value: object) -> str:
    file = _folder(key, _text(key, value))
    if not file:
        raise _wrong(key, "is the hub's root", f'name a file, as in {key} = "{key}.txt"')
    return file


def _is_git_folder(part: str) -> bool:
    """Whether some file system would take this name for `.git` (case, trailing dots and spaces, short name)."""
    return part.casefold().rstrip(". ") in (".git", "git~1")


def _pattern(text: str) -> str:
    if text.startswith("/") or "\\" in text or ".." in text.split("/"):
        raise _wrong(
            "exclude", "holds a pattern that cannot match", "write paths from the hub's root, as in skills/old/**"
        )
    return text.removeprefix("./")


def _model(value: object) -> str:
    text = _text("model", value)
    provider, colon, name = text.partition(":")
    if not (provider and colon and name) or "//" in text or not _MODEL_SIGNS.issuperset(text):
        raise _wrong(
            "model",
            "is not <provider>:<model>",
            'write one such as "local:usem3"; addresses are never taken from a hub',
        )
    return text


def _share(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:  # NaN is not
        raise _wrong(key, "is not a number from 0 to 1", f"write a share, as in {key} = {DEFAULT_MAX_LOSS}")
    return float(value)


def _format(key: str, value: object) -> int:
    if type(value) is not int or value not in (1, 2):
        raise _wrong(key, "is not 1 or 2", f"write {key} = 2 for an index in parts, or leave it out: size decides")
    return value


def _check_roots(config: HubConfig) -> None:
    if config.roots is None:
        return
    if not config.roots:
        raise _wrong(
            "roots", "is empty", 'name a folder, or leave the line out, or write roots = ["."] for the whole hub'
        )
    for place, root in enumerate(config.roots):
        for other in config.roots[place + 1 :]:
            if is_within(root, other) or is_within(other, root):
                raise _wrong("roots", "names a folder inside another root", "name each folder once, without overlap")


def _check_output(config: HubConfig) -> None:
    if not config.output:
        raise _wrong("output", "is the hub's root", f'name a folder of its own, as in output = "{DEFAULT_OUTPUT}"')
    if any(part.startswith(".") for part in config.output.split("/")):
        raise _wrong(
            "output", "has a part that begins with a dot", f'name a plain folder, as in output = "{DEFAULT_OUTPUT}"'
        )
    if config.output.casefold() == CONFIG_FILE:
        raise _wrong("output", "is the settings file itself", f'name a folder, as in output = "{DEFAULT_OUTPUT}"')
    for root in (*(config.roots or (DEFAULT_ROOT,)), *DOCUMENT_FOLDERS):
        if is_within(root, config.output):
            raise _wrong(
                "output", "holds a folder of skills", f'name a folder of its own, as in output = "{DEFAULT_OUTPUT}"'
            )


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies in it; "" is the hub itself, which holds everything."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def _advice_for(key: str) -> str:
    if any(word in key.lower() for word in ("key", "url", "token", "secret", "host", "endpoint")):
        return "addresses and keys are never taken from a hub: set AXON_EMBEDDINGS_… in the environment"
    return f"use {', '.join(_KEYS)}, or remove it"


def _wrong(key: str, what: str, instead: str) -> ConfigError:
    return ConfigError(f"{CONFIG_FILE}: {key} {what}: {instead}")
