"""The commit of a checkout, read from `.git` without a process.

Knows links to the real folder (worktrees, submodules), packed refs, and a hub that is a folder of its repository.
An unreadable commit is "unknown", never an error: the caller then looks at the files themselves.
"""

import os

from hub_index.base.safe_open import read_regular

_MAX_FILE_BYTES = 16 * 1024 * 1024  # packed-refs of a repository with 200,000 branches
_MAX_HOPS = 5  # a ref that names a ref that names a ref


def find_git_folder(hub: str) -> str:
    """The `.git` folder of the hub's checkout; empty without one."""
    root = find_root(hub)
    git = os.path.join(root, ".git") if root else ""
    if not git or os.path.isdir(git):
        return git
    named = _read(git).partition("gitdir:")[2].strip() if os.path.isfile(git) else ""
    return os.path.join(root, named) if named else ""


def find_root(hub: str) -> str:
    """The folder of the hub's checkout; empty without one."""
    folder = os.path.abspath(hub)
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def shared_folder(git: str) -> str:
    """Where branches and settings lie: another folder for a worktree."""
    common = _read(os.path.join(git, "commondir")).strip()
    return os.path.join(git, common) if common else git


def read_head(hub: str) -> str:
    """The commit's id; empty if it cannot be known."""
    git = find_git_folder(hub)
    if not git:
        return ""
    shared = shared_folder(git)
    value = _read(os.path.join(git, "HEAD")).strip()
    for _ in range(_MAX_HOPS):
        if not value.startswith("ref:"):
            return value if _is_object_id(value) else ""
        ref = value[4:].strip()
        if not ref.startswith("refs/") or ".." in ref:
            return ""
        value = (_read(os.path.join(git, ref)) or _read(os.path.join(shared, ref))).strip() or _packed(shared, ref)
    return ""


def _packed(shared: str, ref: str) -> str:
    for line in _read(os.path.join(shared, "packed-refs")).split("\n"):
        if line.endswith(f" {ref}"):
            return line.split(" ", 1)[0]
    return ""


def _is_object_id(text: str) -> bool:
    return len(text) in (40, 64) and all(sign in "0123456789abcdef" for sign in text)


def _read(path: str) -> str:
    try:
        return read_regular(path, _MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:  # missing, or a pipe, which a hub that came as an archive may hold
        return ""
