"""`hub-index.toml`, the hub's own settings: bytes in, a checked HubConfig out.

The file comes with the hub and is untrusted. It may say where skills are, what to leave out, which model the hub is
published with, which folder of the hub takes the index and in which format, and how many skills may be removed at once.
It cannot name an address, a key, or a place outside the hub. A build refuses a file with a wrong value; a search
ignores that value and reports it.
"""

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.hub.config_values import (
    CONFIG_FILE,
    DEFAULT_MAX_LOSS,
    alias_value,
    file_value,
    folder_value,
    format_value,
    model_value,
    pattern_value,
    risks_value,
    root_value,
    share_value,
    text_values,
    wrong_value,
)
from hub_index.hub.record_file import TEXT_FOLDERS, TYPES
from hub_index.limits import MAX_HUB_CONFIG_BYTES

TYPE_CHECKING = False  # as typing's own: a search of a hub with settings reads them, and has no time for typing
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

DEFAULT_ROOT = "skills"
DEFAULT_OUTPUT = "search"
DEFAULT_QUERIES, DEFAULT_QRELS = "search-queries.jsonl", "search-qrels.tsv"

_REASON_CHARS = 120
_KEY_CHARS = 60


class HubConfig(FrozenValue):
    """Where a hub keeps its skills and its index; `roots` None: `skills` if there is one, else the whole hub."""

    roots: tuple[str, ...] | None = None  # folders from the hub's root; "" is the hub itself
    exclude: tuple[str, ...] = ()
    model: str | None = None
    output: str = DEFAULT_OUTPUT
    queries: str = DEFAULT_QUERIES  # labelled queries: what the hub's search is expected to answer
    qrels: str = DEFAULT_QRELS
    max_loss: float = DEFAULT_MAX_LOSS  # the share of its skills that an index may lose in one build
    format: int | None = None  # of the index: 1 or 2; None: by its size
    model_alias: str | None = None  # the model_id that its vectors are published under
    risks: str = "warn"  # or "refuse": changed skills that bring risks are not published
    types: tuple[str, ...] = TYPES  # of records


class ReadableConfig(FrozenValue):
    """The valid settings of a hub-index.toml, and the problems of the others."""

    config: HubConfig
    problems: tuple[ConfigError, ...]


def parse_config(content: bytes) -> HubConfig:
    """The settings in a hub-index.toml. Raises ConfigError, which names the key and what to write."""
    readable = parse_readable(content)
    if readable.problems:
        raise readable.problems[0]
    return readable.config


def parse_readable(content: bytes) -> ReadableConfig:
    """The settings in a hub-index.toml without the wrong ones. Raises ConfigError if it is not TOML at all."""
    table = _parse_toml(content)
    problems = [
        wrong_value(quote_line(key, _KEY_CHARS), "is not a setting of a hub", _advice_for(key))
        for key in table
        if key not in _READERS
    ]
    values: dict[str, Any] = {}
    for key, read in _READERS.items():
        try:
            if key in table:
                values[key] = read(key, table[key])
        except ConfigError as error:
            problems.append(error)
    for key, check in (("roots", _check_roots), ("output", _check_output)):
        try:
            check(HubConfig(**values))
        except ConfigError as error:
            problems.append(error)
            values.pop(key, None)
    return ReadableConfig(HubConfig(**values), tuple(problems))


def _roots(key: str, value: object) -> tuple[str, ...]:
    return tuple(root_value(key, root) for root in text_values(key, value))


def _exclude(key: str, value: object) -> tuple[str, ...]:
    return tuple(pattern_value(key, text) for text in text_values(key, value))


def _types(key: str, value: object) -> tuple[str, ...]:
    """The types of records that the hub has indexed, in our order."""
    types = text_values(key, value)
    if not types or not set(types).issubset(TYPES):
        raise wrong_value(key, "is not a list of types", f"name some of {', '.join(TYPES)}, or leave it out for all")
    return tuple([name for name in TYPES if name in types])


_READERS: "Mapping[str, Callable[[str, object], object]]" = {
    "roots": _roots,
    "exclude": _exclude,
    "model": model_value,
    "model_alias": alias_value,
    "types": _types,
    "output": folder_value,
    "queries": file_value,
    "qrels": file_value,
    "max_loss": share_value,
    "format": format_value,
    "risks": risks_value,
}


def _parse_toml(content: bytes) -> "dict[str, Any]":
    if len(content) > MAX_HUB_CONFIG_BYTES:
        raise ConfigError(f"{CONFIG_FILE} is larger than {MAX_HUB_CONFIG_BYTES} bytes: shorten it")
    import tomllib  # most hubs have no hub-index.toml, and an unchanged build is measured

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{CONFIG_FILE} is not UTF-8 (byte {error.start}): save it as UTF-8") from error
    except RecursionError as error:
        raise ConfigError(f"{CONFIG_FILE} is nested too deeply: write plain keys and lists") from error
    except ValueError as error:  # TOMLDecodeError, and numbers of absurd length; its text may quote the file
        raise ConfigError(f"{CONFIG_FILE} is not TOML: {quote_line(str(error), _REASON_CHARS)}") from error


def _check_roots(config: HubConfig) -> None:
    if config.roots is None:
        return
    if not config.roots:
        raise wrong_value(
            "roots", "is empty", 'name a folder, or leave the line out, or write roots = ["."] for the whole hub'
        )
    for place, root in enumerate(config.roots):
        for other in config.roots[place + 1 :]:
            if is_within(root, other) or is_within(other, root):
                raise wrong_value(
                    "roots", "names a folder inside another root", "name each folder once, without overlap"
                )


def _check_output(config: HubConfig) -> None:
    if not config.output:
        raise wrong_value("output", "is the hub's root", f'name a separate folder, as in output = "{DEFAULT_OUTPUT}"')
    if any(part.startswith(".") for part in config.output.split("/")):
        raise wrong_value(
            "output", "has a part that begins with a dot", f'name a plain folder, as in output = "{DEFAULT_OUTPUT}"'
        )
    if config.output.casefold() == CONFIG_FILE:
        raise wrong_value("output", "is the settings file itself", f'name a folder, as in output = "{DEFAULT_OUTPUT}"')
    for root in (*(config.roots or (DEFAULT_ROOT,)), *TEXT_FOLDERS):
        if is_within(root, config.output) or (root and is_within(config.output, root)):
            what = "holds" if is_within(root, config.output) else "lies in"
            raise wrong_value(
                "output", f"{what} a folder of skills", f'name a separate folder, as in output = "{DEFAULT_OUTPUT}"'
            )


def chosen_labels(config: HubConfig) -> tuple[str, ...]:
    """The files of labelled queries, where the hub names them itself; none if they are called as usual."""
    names = (config.queries, config.qrels)
    return names if names != (DEFAULT_QUERIES, DEFAULT_QRELS) else ()


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies in it; "" is the hub itself, which holds everything."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def _advice_for(key: str) -> str:
    if any(word in key.lower() for word in ("key", "url", "token", "secret", "host", "endpoint")):
        return "addresses and keys are never taken from a hub: set AXON_EMBEDDINGS_… in the environment"
    return f"use {', '.join(_READERS)}, or remove it"
