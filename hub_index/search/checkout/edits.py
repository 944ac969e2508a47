"""Saved edits: files of skills that differ from git's index, and new skills that git does not know.

A look is an `lstat` of each file and of each folder that holds skills, compared with what the last look noted in the
user's cache. Only a file whose times or size differ is read and compared with git's blob, so that a copied checkout is
read once. No process is started. Every search of a named hub looks: what only an edit or a first look needs is imported
where it is used.
"""

import os
import stat
import time
from array import array
from hashlib import sha256

from hub_index.base.checksummed_file import read_sealed, write_sealed
from hub_index.base.safe_open import file_stamp, open_folder_below, read_below
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_OPEN_HUBS, MAX_SKILL_BYTES
from hub_index.search.checkout.state import read_state

_KIND = "edits"
_VERSION = b"1"
_MOST_EDITS = 1_000  # more are another checkout than the one that git's index describes
_MOST_NEW_FOLDERS = 1_000
_NEW_DEPTH = 2  # folders below a new folder in which a SKILL.md is looked for
_SETTLED_S = 2  # a folder that changed later may change again within the same tick of its clock
_IDLE_SHARE = 20  # a long-lived reader looks for a twentieth of its time at most
_LEAST_PAUSE_S = 1.0


class Edits(FrozenValue):
    """The edited files and the new ones, as paths from the hub's root; `stamp` tells one state from another."""

    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    stamp: str = ""
    is_too_much: bool = False

    @property
    def count(self) -> int:
        """How many files were found."""
        return len(self.changed) + len(self.new)


def _as_skills(hub: str, files: list[str]) -> list[str]:
    """Those that a build would index after `git add`."""
    from hub_index.hub.tree.listing import select_files
    from hub_index.models import TreeEntry
    from hub_index.search.checkout.config import read_config
    from hub_index.search.checkout.git_index import read_git_entries

    entries = read_git_entries(hub)
    known = set() if entries is None else {os.fsdecode(path) for path in entries.paths}
    first = next((path for path in known if path.startswith("skills/") and path.endswith("/SKILL.md")), "")
    tree = [
        TreeEntry("100644", "", 0, path) for path in (first, *files) if path and (path not in known or path == first)
    ]
    return [file.file for file in select_files(tree, read_config(hub)).files if file.file != first]


class EditWatch:
    """The saved edits of one checkout; a look is repeated after a pause, so that many requests cost few looks."""

    def __init__(self, hub: str, cache: str) -> None:
        self._hub = hub
        self._cache = cache
        self._last = Edits()
        self._state = ""
        self._next_s = 0.0

    def look(self) -> Edits:
        """The edits now, or those of a moment ago."""
        started_s = time.monotonic()
        state = read_state(self._hub).stamp
        if state != self._state or started_s >= self._next_s:
            self._last = find_edits(self._hub, self._cache, state)
            took_s = time.monotonic() - started_s
            self._state, self._next_s = state, started_s + max(_LEAST_PAUSE_S, took_s * _IDLE_SHARE)
        return self._last


def find_edits(hub: str, cache: str, state: str) -> Edits:
    """The saved edits of a checkout whose git state is `state`; none where git's index cannot be read."""
    if not state:
        return Edits()
    name = sha256(os.fsencode(os.path.realpath(hub))).hexdigest()
    place = os.path.join(cache, _KIND, name) if cache else ""
    noted = _read_known(place, state)
    known = noted or _known_from(hub, cache)
    if known is None:
        return Edits()
    look = _Look(hub, known)
    changed, new = look.changed_files(), look.new_files()
    if place and (look.is_learnt or noted is None):
        write_sealed(place, known.encode(state), MAX_OPEN_HUBS)
    if len(changed) > _MOST_EDITS:
        return Edits(is_too_much=True)
    if new:
        new = _as_skills(hub, new)
    stamps = [f"{file}\0{file_stamp(os.path.join(hub, file))}" for file in (*changed, *new)]
    stamp = sha256("\n".join(stamps).encode("utf-8", "surrogateescape")).hexdigest() if stamps else ""
    return Edits(tuple(changed), tuple(new), stamp)


class _Known:
    """What was last seen: files with blobs and three numbers each, folders with the time of their last change."""

    __slots__ = ("blobs", "folders", "hash_name", "paths", "seen", "times")

    def __init__(self, paths: list[bytes], blobs: list[bytes], hash_name: str, folders: list[bytes]) -> None:
        self.paths = paths
        self.blobs = blobs
        self.hash_name = hash_name
        self.folders = folders
        self.seen = [array("q") for _ in range(3)]  # of each file: both times of change in ns, and the size
        self.times = array("q")

    def encode(self, state: str) -> bytes:
        """The bytes that `_read_known` takes apart."""
        parts = (
            os.fsencode(state),
            self.hash_name.encode(),
            b"\0".join(self.paths),
            b"\0".join(self.folders),
            b"".join(self.blobs),
            self.times.tobytes(),
            *(numbers.tobytes() for numbers in self.seen),
        )
        sizes = b" ".join(str(len(part)).encode() for part in parts)
        return b"\n".join((_VERSION, sizes, b"".join(parts)))


def _read_known(place: str, state: str) -> _Known | None:
    body = read_sealed(place) if place else None
    version, _, rest = (body or b"").partition(b"\n")
    if version != _VERSION:
        return None
    sizes, _, joined = rest.partition(b"\n")
    parts: list[bytes] = []
    at = 0
    for size in map(int, sizes.split()):
        parts.append(joined[at : at + size])
        at += size
    if parts[0] != os.fsencode(state):
        return None
    paths, folders, blobs = parts[2].split(b"\0"), parts[3].split(b"\0"), parts[4]
    width = len(blobs) // len(paths)
    each = [blobs[start : start + width] for start in range(0, len(blobs), width)]
    known = _Known(paths, each, parts[1].decode(), folders)
    for numbers, part in zip((known.times, *known.seen), parts[5:], strict=True):
        numbers.frombytes(part)
    return known


def _known_from(hub: str, cache: str) -> _Known | None:
    """What git's index says of the hub's files."""
    from hub_index.search.checkout.listing import read_listing

    listing = read_listing(hub, cache)
    if listing is None or not listing.is_tracked or not listing.paths:
        return None
    known = _Known(listing.paths, listing.blobs, listing.hash_name, list(_folders_of(listing.paths)))
    known.times = array("q", bytes(8 * len(known.folders)))
    for head in listing.heads:
        number = [int.from_bytes(head[at : at + 4], "big") for at in (0, 4, 8, 12, 36)]
        facts = (number[0] * 10**9 + number[1], number[2] * 10**9 + number[3], number[4])
        for column, fact in zip(known.seen, facts, strict=True):
            column.append(fact)
    return known


def _folders_of(paths: list[bytes]) -> dict[bytes, set[bytes]]:
    """The folders that hold the skills' folders, with the names that are known in each."""
    known: dict[bytes, set[bytes]] = {}
    for path in paths:
        if not path.lower().endswith(
            b"/skill.md"
        ):  # a workflow or a command lies beside others, in no folder of its own
            continue
        place, _, name = path.rpartition(b"/")[0].rpartition(b"/")
        known.setdefault(place, set()).add(name)
    for place in list(known):  # skills/ of skills/OWNER/, and so on
        above = place
        while b"/" in above:
            above, _, name = above.rpartition(b"/")
            known.setdefault(above, set()).add(name)
    return known


class _Look:
    """One look at a checkout; what is learnt goes into `known`."""

    def __init__(self, hub: str, known: _Known) -> None:
        self._hub = hub
        self._known = known
        self.is_learnt = False

    def changed_files(self) -> list[str]:
        """The files whose bytes are not those of git's index."""
        root, lstat = os.fsencode(self._hub) + b"/", os.lstat
        odd: list[int] = []
        for place, (path, ctime, mtime, size) in enumerate(zip(self._known.paths, *self._known.seen, strict=True)):
            try:
                status = lstat(root + path)
            except OSError:  # gone: search leaves it out anyway
                continue
            if status.st_ctime_ns != ctime or status.st_mtime_ns != mtime or status.st_size != size:
                odd.append(place)
        return [os.fsdecode(self._known.paths[place]) for place in odd if self._is_edited(place)]

    def _is_edited(self, place: int) -> bool:
        from hub_index.search.checkout.git_index import blob_id

        path = os.fsdecode(self._known.paths[place])
        try:
            status = os.lstat(os.path.join(self._hub, path))
            content = read_below(self._hub, path, MAX_SKILL_BYTES)
        except OSError:  # a link, a folder, or gone
            return False
        if blob_id(content, self._known.hash_name) != self._known.blobs[place]:
            return True
        if time.time() - status.st_mtime > _SETTLED_S:
            numbers = (status.st_ctime_ns, status.st_mtime_ns, status.st_size)
            for column, number in zip(self._known.seen, numbers, strict=True):
                column[place] = number
            self.is_learnt = True
        return False

    def new_files(self) -> list[str]:
        """The SKILL.md files in folders that git does not know, beside known skills."""
        found: list[str] = []
        children: dict[bytes, set[bytes]] = {}
        for at, folder in enumerate(self._known.folders):
            try:
                status = os.lstat(os.path.join(os.fsencode(self._hub), folder))
            except OSError:
                continue
            if status.st_mtime_ns == self._known.times[at]:
                continue
            children = children or _folders_of(self._known.paths)
            new, is_all_known = self._new_below(os.fsdecode(folder), children[folder])
            found += new
            if is_all_known and time.time() - status.st_mtime > _SETTLED_S:
                self._known.times[at] = status.st_mtime_ns
                self.is_learnt = True
        return sorted(set(found))

    def _new_below(self, folder: str, names: set[bytes]) -> tuple[list[str], bool]:
        """The new files, and whether there is no other folder, in which one may appear unnoticed."""
        place = f"{folder}/" if folder else ""
        unknown = [place + name for name in self._list(folder) if os.fsencode(name) not in names]
        level = unknown = [path for path in unknown if self._is_folder(path)]
        found: list[str] = []
        for _ in range(_NEW_DEPTH + 1):
            below: list[str] = []
            for path in level[:_MOST_NEW_FOLDERS]:
                inside = self._list(path)
                if "SKILL.md" in inside:
                    found.append(f"{path}/SKILL.md")
                else:
                    below += [f"{path}/{name}" for name in inside]
            level = below
        return found, not unknown

    def _is_folder(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(os.path.join(self._hub, path)).st_mode)
        except OSError:
            return False

    def _list(self, folder: str) -> list[str]:
        """The visible names in a folder; none if it is a file or a link."""
        try:
            handle = open_folder_below(self._hub, folder)
        except OSError:
            return []
        try:
            return [name for name in os.listdir(handle) if name[:1] != "."]
        except OSError:
            return []
        finally:
            os.close(handle)
