"""A folder that a user, a program or a template names: its text, checked before it becomes a path.

`Path("")` is the current folder, so an option that was left empty or a variable that was never set would build, publish
or search whatever lies there. Imported by every search: nothing but `os` may come along.
"""

import os

from hub_index.errors import ConfigError


def named_folder(what: str, text: "str | os.PathLike[str] | None") -> str:
    """The folder's path, a leading `~` expanded. Raises ConfigError where the text names no folder."""
    path = os.fspath(text) if text is not None else ""
    if not path.strip():
        raise ConfigError(
            f"{what} is empty: name a folder (`.` is the current one), or check the variable that held it"
        )
    if "{{" in path and "$" in path:
        raise ConfigError(f"{what} is {path!a}, a variable that was never set: set it, or name a folder")
    return os.path.expanduser(path)
