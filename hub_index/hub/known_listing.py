"""The files of a big hub's tree as they were listed last: where only contents changed since, no path is judged again.

Which files are indexed, under which ids, and what is wrong with a tree follows from its names, modes and settings, as
long as no SKILL.md lies outside of the roots (bytes decide whether such a one is a copy). So of two trees that
differ only in the bytes of plain files, the second has the first one's listing with other blobs. One listing is kept
for each hub, in the user's own cache, and believed only where nobody else may have written it. 109,026 files: 0.5 s,
not 2.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256

from hub_index import GENERATOR
from hub_index.hub.config import HubConfig
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import ChangedEntry, is_object_id
from hub_index.hub.tree.layout import REGULAR_MODES, layout_of
from hub_index.hub.tree.record_file import is_skill_file
from hub_index.models import SkillFile, TreeEntry
from hub_index.private_place import make_private_folder, open_private_file, who_else_may_write

_KIND = "listings"
_VERSION = f"1 {GENERATOR}"  # of the rules by which files are chosen
_KEPT = 8  # hubs
_MAX_CHANGES = 1_000  # more are listed anew
_FIELDS = 6
_MAX_TREE_ID = 65  # a sha256 and what ends it


@dataclass(frozen=True, slots=True)
class KnownListing:
    """The files of a tree, sorted by id."""

    tree: str
    files: Sequence[SkillFile]

    def names_to_ask(self, changes: Sequence[ChangedEntry]) -> list[str] | None:
        """The indexed files among those that changed; None where the other tree's names have to be judged."""
        if len(changes) > _MAX_CHANGES or not all(map(is_of_bytes_only, changes)):
            return None
        changed = {change.path for change in changes}
        return [file.file for file in self.files if file.file in changed]

    def with_entries(self, entries: Iterable[TreeEntry]) -> tuple[SkillFile, ...]:
        """The files with the blobs and sizes that these entries have."""
        new = {entry.path: entry for entry in entries}
        return tuple(
            replace(file, blob=new[file.file].blob, size=new[file.file].size) if file.file in new else file
            for file in self.files
        )


class KnownListings:
    """The listings in a cache folder; an empty name remembers nothing."""

    def __init__(self, cache: str) -> None:
        self._folder = os.path.join(cache, _KIND) if cache else ""

    def find(self, hub: str) -> KnownListing | None:
        """The hub's last listing; None where there is none that may be believed."""
        if not self._folder:
            return None
        try:
            with open(self._path(hub), "rb") as file:
                if who_else_may_write(file.fileno()) or who_else_may_write(self._folder):
                    return None
                tree, *fields = file.read().decode("utf-8", "surrogateescape").split("\0")
            columns = [fields[start::_FIELDS] for start in range(_FIELDS)]
            rows = zip(*columns[:-1], map(int, columns[-1]), strict=True)
            return KnownListing(tree, [SkillFile(*row) for row in rows])
        except (OSError, ValueError, TypeError):
            return None

    def last_tree(self, hub: str) -> str:
        """The tree of the hub's last listing, whose other lines are not read; empty where there is none."""
        if not self._folder:
            return ""
        try:
            with open(self._path(hub), "rb") as file:
                tree = file.read(_MAX_TREE_ID).partition(b"\0")[0].decode("ascii")
                return tree if is_object_id(tree) else ""
        except (OSError, ValueError):
            return ""

    def remember(self, hub: str, tree: str, files: Iterable[SkillFile]) -> None:
        """Keeps a listing as the hub's last one, if that can be done."""
        if not self._folder:
            return
        path = self._path(hub)
        temporary = f"{path}-{os.getpid()}-{os.urandom(4).hex()}"
        lines = [f"{file.id}\0{file.path}\0{file.file}\0{file.kind}\0{file.blob}\0{file.size}" for file in files]
        with suppress(OSError):
            make_private_folder(self._folder)
            with open(temporary, "xb", opener=open_private_file) as file:
                file.write("\0".join((tree, *lines)).encode("utf-8", "surrogateescape"))
            os.replace(temporary, path)
            newest_first = sorted(os.scandir(self._folder), key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
            for entry in newest_first[_KEPT:]:
                os.unlink(entry.path)

    def _path(self, hub: str) -> str:
        return os.path.join(self._folder, sha256(os.fsencode(f"{_VERSION}\0{hub}")).hexdigest())


def has_skills_outside(config: HubConfig, entries: Iterable[TreeEntry]) -> bool:
    """Whether a SKILL.md lies outside of the (settled) roots: bytes then decide whether it is a copy."""
    layout = layout_of(config)
    return any(is_skill_file(entry.path) and layout.root_of(entry.path) is None for entry in entries)


def is_of_bytes_only(change: ChangedEntry) -> bool:
    """Whether a change leaves every name and every setting as it was."""
    return change.old_mode in REGULAR_MODES and change.mode in REGULAR_MODES and change.path != CONFIG_FILE
