"""A folder that a user, a program or a template names: its text, checked before it becomes a path.

`Path("")` is the current folder, so an option that was left empty or a variable that was never set would build, publish
or search whatever lies there. Imported by every search: nothing but `os` may come along.
"""

import os

from hub_index.errors import ConfigError


def named_folder(what: str, text: "str | os.PathLike[str] | None") -> str:
    """The folder's path, a leading `~` expanded. Raises ConfigError if the text names no folder."""
    path = os.fspath(text) if text is not None else ""
    if not path.strip():
        raise ConfigError(
            f"{what} is empty: name a folder (`.` is the current one), or check the variable that held it"
        )
    if (":" in path or "//" in path) and not os.path.exists(path):
        _check_folder(what, path)
    if "{{" in path and "$" in path:
        raise ConfigError(f"{what} is {path!a}, a variable that was never set: set it, or name a folder")
    return os.path.expanduser(path)


def _check_folder(what: str, path: str) -> None:
    from hub_index.base.shown_address import is_address, shown_address  # its patterns take 3 ms

    if is_address(path):
        raise ConfigError(
            f"{what} is {shown_address(path)!a}, an address and not a folder: clone it with `hub-index sync` or "
            "`git clone`, and name the clone's folder"
        )
