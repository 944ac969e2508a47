"""One value of hub-index.toml: what TOML gave → what a build may use, or a ConfigError that says what to write."""

import unicodedata

from hub_index.base.characters import is_hidden
from hub_index.errors import ConfigError
from hub_index.limits import MAX_ALIAS_CHARS, MAX_CONFIG_CHARS, MAX_CONFIG_ENTRIES, MAX_CONFIG_STEP_CHARS

CONFIG_FILE = "hub-index.toml"
DEFAULT_MAX_LOSS = 0.1

_STEP_SIGNS = "._-"
_ROOT_SIGNS = "._-+@&()' "  # of folders that are there already and were named by people
_MODEL_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:@+-")


def text_values(key: str, values: object) -> list[str]:
    """A short list of plain texts."""
    if not isinstance(values, list) or len(values) > MAX_CONFIG_ENTRIES:
        raise wrong_value(
            key, "is not a short list", f'write at most {MAX_CONFIG_ENTRIES} strings, as in {key} = ["skills"]'
        )
    return [text_value(key, value) for value in values]


def text_value(key: str, value: object) -> str:
    """A short plain text."""
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_CONFIG_CHARS or not value.isprintable():
        raise wrong_value(
            key, "holds a value that is not a short plain string", f'write it in quotes, as in {key} = "…"'
        )
    return value


def folder_value(key: str, value: object) -> str:
    """A folder of the hub without trailing slash; "" is the hub itself."""
    return _place_value(key, value, "folder", _STEP_SIGNS)


def root_value(key: str, value: object) -> str:
    """As `folder_value`, a folder that people may have named with spaces."""
    return _place_value(key, value, "folder", _ROOT_SIGNS)


def _place_value(key: str, value: object, what: str, signs: str) -> str:
    text = text_value(key, value)
    folder = text.removeprefix("./").rstrip("/") if not text.startswith("/") else text
    folder = "" if folder == "." else folder
    parts = folder.split("/") if folder else []
    if "\\" in folder or ":" in folder or any(part in ("", ".", "..") for part in parts):
        raise wrong_value(
            key, f"must be a {what} inside the hub", "write a relative path with /, without .. or a drive"
        )
    if any(is_git_folder(part) for part in parts):
        raise wrong_value(key, "must not lie in git's own folder", f"choose another {what}")
    if not all(_is_step(part, signs) for part in parts):
        also = "." if " " not in signs else " and spaces."
        raise wrong_value(
            key,
            f"is no plain name of a {what}",
            f"write letters, digits, dots, hyphens and underscores{also} At most {MAX_CONFIG_STEP_CHARS} between two /",
        )
    return folder


def _is_step(part: str, signs: str) -> bool:
    """Whether a part of a path is a name and no prose: messages that models read name it."""
    return len(part) <= MAX_CONFIG_STEP_CHARS and all(char in signs or _is_letter(char) for char in part)


def _is_letter(char: str) -> bool:
    """Whether a character is a letter or digit of any script, or a mark that belongs to one."""
    if char.isalnum() or char.isascii():
        return char.isalnum() and not is_hidden(char)
    return unicodedata.category(char).startswith("M") and not is_hidden(char)


def file_value(key: str, value: object) -> str:
    """A file of the hub."""
    file = _place_value(key, value, "file", _ROOT_SIGNS)
    if not file:
        raise wrong_value(key, "is the hub's root", f'name a file, as in {key} = "{key}.txt"')
    return file


def is_git_folder(part: str) -> bool:
    """Whether some file system would take this name for `.git` (case, trailing dots and spaces, short name)."""
    return part.casefold().rstrip(". ") in (".git", "git~1")


def pattern_value(key: str, value: object) -> str:
    """A path from the hub's root, with wildcards."""
    text = text_value(key, value)
    if text.startswith("/") or "\\" in text or ".." in text.split("/"):
        raise wrong_value(
            key, "holds a pattern that cannot match", "write paths from the hub's root, as in skills/old/**"
        )
    return text.removeprefix("./")


def model_value(key: str, value: object) -> str:
    """`provider:model`."""
    text = text_value(key, value)
    provider, colon, name = text.partition(":")
    if not (provider and colon and name) or "//" in text or not _MODEL_SIGNS.issuperset(text):
        raise wrong_value(
            key,
            "is not <provider>:<model>",
            'write one such as "local:usem3"; addresses are never taken from a hub',
        )
    return text


def risks_value(key: str, value: object) -> str:
    """What publishing does about risks."""
    if value not in ("warn", "refuse"):
        raise wrong_value(key, 'is neither "warn" nor "refuse"', f'write {key} = "refuse", or leave the line out')
    return str(value)


def alias_value(key: str, value: object) -> str:
    """A model_id for the published vectors."""
    text = text_value(key, value)
    if reason := why_no_alias(text):
        raise wrong_value(key, reason, 'write provider:name, as in "openai:usem3-axon"')
    return text


def why_no_alias(alias: str) -> str:
    """Why an alias is refused: no client could match it, or it names a different model. Empty if it is fine."""
    provider, colon, name = alias.partition(":")
    is_word = provider.isascii() and provider.replace("-", "").isalnum() and provider.islower()
    if not (colon and is_word and name and name.isprintable() and " " not in name and len(alias) <= MAX_ALIAS_CHARS):
        return "is not a model id"
    return "cannot begin with `local:`, which names the embedded models themselves" if provider == "local" else ""


def share_value(key: str, value: object) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:  # NaN is not
        raise wrong_value(key, "is not a number from 0 to 1", f"write a share, as in {key} = {DEFAULT_MAX_LOSS}")
    return float(value)


def format_value(key: str, value: object) -> int:
    """1 or 2."""
    if type(value) is not int or value not in (1, 2):
        raise wrong_value(key, "is not 1 or 2", f"write {key} = 2 for an index in parts, or leave it out: size decides")
    return value


def wrong_value(key: str, what: str, instead: str) -> ConfigError:
    """The error: which key, what is wrong with it, what to write."""
    return ConfigError(f"{CONFIG_FILE}: {key} {what}: {instead}")
