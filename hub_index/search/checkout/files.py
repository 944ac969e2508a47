"""The checkout's own files: the source of keyword search without an index, and the bodies beside an index.

Regular files only, links are never followed and no git process is started. Names and bytes go through the same
functions as in a build: `hub.tree` decides what counts, `hub.skill` parses it.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from hub_index.base.safe_open import file_stamp, read_below, walk_below
from hub_index.errors import IndexMissing
from hub_index.hub.tree.listing import select_files
from hub_index.limits import MAX_SKILL_BYTES, MAX_WALKED_FILES
from hub_index.models import SkillFile, TreeEntry
from hub_index.search.checkout.config import read_config
from hub_index.search.lexical.preparing import body_of

Progress = Callable[[int, int], object]  # how much is done, of how much

_TOLD_EVERY = 1_000


def list_checkout(hub: str, progress: Progress | None = None) -> tuple[SkillFile, ...]:
    """The files that a build would index, found by walking the folder. Raises IndexMissing if it holds too much.

    `progress` hears how many files and folders were seen, of 0, and 0 at the end.
    """
    try:
        return select_files(_walk(hub, progress), read_config(hub)).files
    finally:
        if progress is not None:
            progress(0, 0)


def digest_checkout(hub: str) -> str:
    """A digest of the files' names, sizes and times: it changes with every file that is added, edited or removed.

    For folders without git, which have no commit.
    """
    return digest_files(hub, list_checkout(hub))


def digest_files(hub: str, files: Iterable[SkillFile]) -> str:
    """The `digest_checkout` of these files."""
    digest = sha256()
    for file in files:
        stamp = file_stamp(os.path.join(hub, file.file))  # empty where git has just taken it away
        digest.update(f"{file.file}\0{stamp}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def read_body(hub: str, file: str) -> str:
    """The body of a record's file, cut to what is scored; empty if it cannot be read, or no file is given."""
    try:
        return body_of(read_below(hub, file, MAX_SKILL_BYTES)) if file else ""
    except OSError:
        return ""


def _walk(hub: str, progress: Progress | None) -> Iterator[TreeEntry]:
    """Every entry below the hub but git's own folder; a link is an entry and is not followed."""
    seen = 0
    for below, folders, files, links in walk_below(hub, ""):
        for _ in (*folders, *files, *links):
            seen += 1
            _check_seen(hub, seen, progress)
        if ".git" in folders:
            folders.remove(".git")
        place = f"{below}/" if below else ""
        for name in links:
            yield TreeEntry("120000", "", 0, place + name)
        for name, size in files.items():
            yield TreeEntry("100644", "", size, place + name)


def _check_seen(hub: str, seen: int, progress: Progress | None) -> None:
    if seen > MAX_WALKED_FILES:
        raise IndexMissing(
            f"{hub} has no index that can be used, and holds more than {MAX_WALKED_FILES:,} files and folders, too "
            "many to be searched; name the hub's own folder with --hub, or run `hub-index build` in it"
        )
    if progress is not None and seen % _TOLD_EVERY == 0:
        progress(seen, 0)
