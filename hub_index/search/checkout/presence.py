"""Whether a record's skill still stands in the checkout: a stale index knows skills that are gone.

No link is followed: what became one counts as gone, as a build would leave it out.
"""

import os

_SKILL = "SKILL.md"
_DOCUMENT_ENDS = (".md", ".MD", ".Md", ".mD")


def is_gone(hub: str, fields: dict[str, str]) -> bool:
    """Whether the checkout has no regular file any more for this record."""
    path, id_ = fields["path"], fields["id"]
    if ":" in id_ and not path.endswith(id_):  # a document of workflows or commands, whose path is its folder
        *steps, name = id_.split(":")
        folder = _plain_folder(hub, steps)
        return not folder or not any(_is_regular(f"{folder}/{name}{end}") for end in _DOCUMENT_ENDS)
    folder = _plain_folder(hub, [] if path == "." else path.split("/"))
    return not folder or not (_is_regular(f"{folder}/{_SKILL}") or _has_other_spelling(folder))


def _plain_folder(hub: str, steps: list[str]) -> str:
    """The folder, if every step below the hub is a folder and none a link; else an empty string."""
    folder = hub
    for step in steps:
        folder = f"{folder}/{step}"  # a third of what os.path.join takes, for every hit of every query
        if _mode(folder) != 0o040000:
            return ""
    return folder


def _has_other_spelling(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(
                entry.name.isascii() and entry.name.lower() == "skill.md" and entry.is_file(follow_symlinks=False)
                for entry in entries
            )
    except OSError:
        return False


def _is_regular(path: str) -> bool:
    return _mode(path) == 0o100000


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode & 0o170000
    except (OSError, ValueError):
        return 0
