"""The contents of a commit's tree, remembered by the tree's id: a build without changes lists no file.

A tree's id names every byte below it, so a result for one stays true while the rules do. A note holds the hub's
settings, the digest and number of its files and the problems of the tree; the files themselves are listed on demand.
For a big tree the note also has a digest of the names in each folder of skills: if a checkout's folders hold the same
names, git does not search every folder for new files. The notes are in the user's own cache, sealed, and used only if
no other user could have written them.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, overload

from hub_index import GENERATOR
from hub_index.base.checksummed_file import read_sealed, write_sealed
from hub_index.hub.config import HubConfig
from hub_index.hub.tree.known_listing import KnownListings, has_skills_outside
from hub_index.hub.tree.layout import PLACES
from hub_index.models import Problem, SkillFile, Snapshot, TreeEntry

_KIND = "trees"
_VERSION = f"2 {GENERATOR}"  # of the rules by which files are chosen
_MAX_PROBLEMS = 1_000  # of a tree that is remembered: a note is read whole
_KEPT = 64  # notes: some branches of some hubs
MANY_FILES = 1_000  # from here on folders are compared by their names: git takes 0.1 s for new files in 6,793 folders


class ListedLater(Sequence[SkillFile]):
    """Files with a known number; they are listed when the first of them is read."""

    def __init__(self, count: int, read: Callable[[], Sequence[SkillFile]]) -> None:
        self._count = count
        self._read = read
        self._files: Sequence[SkillFile] | None = None

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> SkillFile: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[SkillFile]: ...
    def __getitem__(self, place: int | slice) -> SkillFile | Sequence[SkillFile]:
        return self.listed()[place]

    def __iter__(self) -> Iterator[SkillFile]:
        return iter(self.listed())

    def listed(self) -> Sequence[SkillFile]:
        """The files, listed on the first call."""
        if self._files is None:
            self._files = self._read()
        return self._files


class KnownTrees:
    """The notes in a cache folder; an empty name remembers nothing."""

    def __init__(self, cache: str) -> None:
        self._folder = os.path.join(cache, _KIND) if cache else ""
        self.listings = KnownListings(cache)

    @property
    def is_kept(self) -> bool:
        """Whether anything can be remembered."""
        return bool(self._folder)

    def find(
        self, tree: str, revision: str, *, shallow: bool, read: Callable[[], Sequence[SkillFile]]
    ) -> tuple[Snapshot, HubConfig] | None:
        """The snapshot of a remembered tree at this revision; None if the tree has to be listed."""
        note = self._read_note(tree)
        if note is None:
            return None
        try:
            config = HubConfig(**{name: _tuple(value) for name, value in note["config"].items()})
            problems = tuple(Problem(*fields) for fields in note["problems"])
            files = ListedLater(int(note["count"]), read)
            return Snapshot(revision, files, problems, str(note["source_digest"]), shallow), config
        except (KeyError, TypeError, ValueError, AttributeError):  # not one of ours: it is written anew
            return None

    def find_folders(self, tree: str) -> dict[str, str]:
        """{folder: digest of the names in it} of a big tree's folders of skills; nothing if they are not known."""
        note = self._read_note(tree) or {}
        folders = note.get("folders")
        return folders if isinstance(folders, dict) else {}

    def remember(
        self, tree: str, snapshot: Snapshot, config: HubConfig, entries: Sequence[TreeEntry], hub: str
    ) -> None:
        """Keeps what was found, if that can be done. Skills outside of the roots are judged by all of the files."""
        if not self._folder or snapshot.outside or len(snapshot.problems) > _MAX_PROBLEMS:
            return
        if len(snapshot.files) < MANY_FILES:
            self._write_note(tree, snapshot, config)
            return
        self._write_note(tree, snapshot, config, _folders_of_skills(snapshot.files, config, entries))
        if not has_skills_outside(config, entries):
            self.listings.remember(hub, tree, snapshot.files)

    def remember_changed(self, old: str, tree: str, snapshot: Snapshot, config: HubConfig, hub: str) -> None:
        """Keeps what was found of a tree with the names of the old one, which was remembered with its listing."""
        self._write_note(tree, snapshot, config, self.find_folders(old))
        self.listings.remember(hub, tree, snapshot.files)

    def _write_note(
        self, tree: str, snapshot: Snapshot, config: HubConfig, folders: dict[str, str] | None = None
    ) -> None:
        problems = [
            (problem.level, problem.path, problem.line, problem.code, problem.reason, problem.fix)
            for problem in snapshot.problems
        ]
        settings = {name: getattr(config, name) for name in HubConfig.__annotations__}
        note = {"config": settings, "problems": problems, "count": len(snapshot.files)}
        note |= {"source_digest": snapshot.source_digest}
        if folders is not None:
            note["folders"] = folders
        write_sealed(self._path(tree), json.dumps(note).encode("ascii"), _KEPT)

    def _read_note(self, tree: str) -> dict[str, Any] | None:
        data = read_sealed(self._path(tree)) if self._folder else None
        note = None if data is None else json.loads(data)
        return note if isinstance(note, dict) else None

    def _path(self, tree: str) -> str:
        return os.path.join(self._folder, sha256(f"{_VERSION}\0{tree}".encode()).hexdigest())


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def names_digest(names: Iterable[bytes]) -> str:
    """A digest of the names in a folder, in any order."""
    return sha256(b"\0".join(sorted(names))).hexdigest()


def _folders_of_skills(files: Sequence[SkillFile], config: HubConfig, entries: Sequence[TreeEntry]) -> dict[str, str]:
    """The folders in which a new skill would appear, but for what is inside of a skill's own; nothing without them."""
    roots = config.roots or ("",)
    places = tuple(f"{folder}/" for folder in (*roots, *PLACES))
    own = {file.path for file in files if file.kind == "skill"}
    names: dict[str, set[bytes]] = {}
    for entry in entries:
        folder, _, name = entry.path.rpartition("/")
        if not entry.path.startswith(places):
            continue
        while folder:  # upwards, until a folder has been seen with this name
            folder_names = names.setdefault(folder, set())
            encoded = name.encode("utf-8", "surrogateescape")
            if encoded in folder_names:
                break
            folder_names.add(encoded)
            folder, _, name = folder.rpartition("/")
    above = {folder for path in own for folder in _folders_above(path)}
    wanted = [
        folder
        for folder in names
        if f"{folder}/".startswith(places)
        and folder not in own
        and (folder in above or own.isdisjoint(_folders_above(folder)))
    ]
    return {folder: names_digest(names[folder]) for folder in wanted} if set(roots).issubset(wanted) else {}


def _folders_above(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[:end]) for end in range(1, len(steps))]


NOTHING_KNOWN: KnownTrees = KnownTrees("")
