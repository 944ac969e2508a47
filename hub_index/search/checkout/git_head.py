"""Which commit a checkout stands at, read from `.git` without a process.

Knows links to the real folder (worktrees, submodules), packed refs, and a hub that is a folder of its repository.
Whatever it cannot read is "unknown", never an error: the caller then looks at the files themselves.
"""

import os

_MAX_FILE_BYTES = 16 * 1024 * 1024  # packed-refs of a repository with 200,000 branches
_MAX_HOPS = 5  # a ref that names a ref that names a ref


def find_git_folder(hub: str) -> str:
    """The `.git` folder that the hub's checkout belongs to; empty where there is none."""
    folder = os.path.abspath(hub)
    while True:
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return git
        if os.path.isfile(git):
            named = _read(git).partition("gitdir:")[2].strip()
            return os.path.join(folder, named) if named else ""
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def read_head(hub: str) -> str:
    """The commit's id; empty where it cannot be known."""
    git = find_git_folder(hub)
    if not git:
        return ""
    common = _read(os.path.join(git, "commondir")).strip()
    shared = os.path.join(git, common) if common else git
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
        with open(path, "rb") as file:
            return file.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
