"""The owner and the writers of a cache's files and folders, and how private ones are made.

A cache is used without being made again, so it is used only if no other user could have written it.
Bottom layer and import-light: a cold keyword search keeps its notes in a private folder.
"""

import os

_OTHERS_WRITE = 0o022


def who_else_may_write(path: "str | os.PathLike[str] | int") -> str:
    """Why others may have changed this file or folder; empty if only we can have, or if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    if status.st_uid != os.geteuid():
        return f"it belongs to another user (uid {status.st_uid})"
    if status.st_mode & _OTHERS_WRITE:
        return f"others may write it (mode {status.st_mode & 0o777:04o})"
    return ""


def is_written_by_us_or_root(path: "str | os.PathLike[str] | int") -> bool:
    """True if only we and root may write here: an administrator's cache can be read.

    Check the folders above first: if others may not write these, a link is our own.
    """
    try:
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & _OTHERS_WRITE


def make_private_folder(folder: "str | os.PathLike[str]") -> None:
    """Makes the folder, and missing ones above it, for us alone with any umask. Raises OSError."""
    path = os.fspath(folder)
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        make_private_folder(parent)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def open_private_file(path: str, flags: int) -> int:
    """An `opener` for `open`: a new file is for us alone with any umask."""
    return os.open(path, flags, 0o600)
