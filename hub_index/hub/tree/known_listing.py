"""The last listing of a big hub's files: if only contents changed since, no path is judged again.

Names, modes and settings decide which files are indexed, under which ids, and what is wrong with a tree, as long as no
SKILL.md lies outside of the roots (its bytes decide whether it is a copy). If two trees differ only in the bytes of
plain files, the second one's listing is the first one's with other blobs. One listing is kept for each hub, in the
user's own cache, and used only if no other user could have written it. It is kept as the lines of the source_digest,
and as the other facts of each file: an edit exchanges some lines, and a file becomes a value only when it is read.
109,026 files: 0.1 s; judging them takes 2 s.
"""

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import overload

from hub_index import GENERATOR
from hub_index.base.checksummed_file import SEAL_BYTES, read_sealed, write_sealed
from hub_index.base.safe_open import open_regular
from hub_index.hub.config import HubConfig
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import ChangedEntry, decode_name, is_object_id
from hub_index.hub.record_file import is_skill_file
from hub_index.hub.tree.layout import REGULAR_MODES, layout_of
from hub_index.models import SkillFile, TreeEntry

_KIND = "listings"
_VERSION = f"3 {GENERATOR}"  # of the rules by which files are chosen
_KEPT = 8  # hubs
_MAX_CHANGES = 1_000  # more are listed anew
_MAX_TREE_ID = 65  # a sha256 and what ends it


class KnownFiles(Sequence[SkillFile]):
    """The files of a tree, sorted by id; each becomes a value when it is read.

    `lines` are those of the source_digest (`file NUL blob`), in their own order, and `facts` has the other facts of
    each file (`id NUL folder NUL kind NUL size`) in the same order.
    """

    def __init__(self, lines: list[bytes], facts: list[bytes]) -> None:
        self.lines = lines
        self._facts = facts
        self._by_id: list[SkillFile] | None = None

    @classmethod
    def of(cls, files: Sequence[SkillFile]) -> "KnownFiles":
        """These files."""
        in_order = sorted(files, key=lambda file: encode_name(f"{file.file}\0{file.blob}"))
        lines = [encode_name(f"{file.file}\0{file.blob}") for file in in_order]
        return cls(lines, list(map(_encode_facts, in_order)))

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, place: int) -> SkillFile: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[SkillFile]: ...
    def __getitem__(self, place: int | slice) -> SkillFile | Sequence[SkillFile]:
        return self._sorted()[place]

    def __iter__(self) -> Iterator[SkillFile]:
        return iter(self._sorted())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # a sequence of values, as a list is

    def at_line(self, place: int) -> SkillFile:
        """The file of a line."""
        file, _, blob = decode_name(self.lines[place]).partition("\0")
        id_, path, kind, size = decode_name(self._facts[place]).split("\0")
        return SkillFile(id_, path, file, "document" if kind == "document" else "skill", blob, int(size))

    def find_line(self, file: str) -> int | None:
        """The place of a file's line; None for a file that is not indexed."""
        start = encode_name(f"{file}\0")
        place = bisect_left(self.lines, start)
        return place if self.lines[place : place + 1] and self.lines[place].startswith(start) else None

    def with_blobs(self, blobs: Mapping[str, str]) -> list[bytes]:
        """The lines with other blobs for some of the files."""
        lines = list(self.lines)
        for file, blob in blobs.items():
            if (place := self.find_line(file)) is not None:
                lines[place] = encode_name(f"{file}\0{blob}")
        return lines

    def with_entries(self, entries: Iterable[TreeEntry]) -> "KnownFiles":
        """The files with the blobs and sizes that these entries have."""
        new = {entry.path: entry for entry in entries}
        facts = list(self._facts)
        for entry in new.values():
            if (place := self.find_line(entry.path)) is not None:
                facts[place] = _encode_facts(replace(self.at_line(place), size=entry.size))
        return KnownFiles(self.with_blobs({path: entry.blob for path, entry in new.items()}), facts)

    def encode(self) -> bytes:
        """As a listing keeps it: the lines, then the facts."""
        return b"\n".join([*self.lines, *self._facts, b""])

    def _sorted(self) -> list[SkillFile]:
        if self._by_id is None:
            self._by_id = sorted(map(self.at_line, range(len(self))), key=lambda file: file.id)
        return self._by_id


@dataclass(frozen=True, slots=True)
class KnownListing:
    """The files of a tree."""

    tree: str
    files: KnownFiles

    def names_to_ask(self, changes: Sequence[ChangedEntry]) -> list[str] | None:
        """The indexed files among those that changed; None if the other tree's names have to be judged."""
        if not are_of_bytes_only(changes):
            return None
        return [change.path for change in changes if self.files.find_line(change.path) is not None]


class KnownListings:
    """The listings in a cache folder; an empty name remembers nothing."""

    def __init__(self, cache: str) -> None:
        self._folder = os.path.join(cache, _KIND) if cache else ""

    def find(self, hub: str) -> KnownListing | None:
        """The hub's last listing; None if it is missing or cannot be trusted."""
        data = read_sealed(self._path(hub)) if self._folder else None
        try:
            return None if data is None else _decode_listing(data)
        except ValueError:  # of a file whose name holds a line feed
            return None

    def last_tree(self, hub: str) -> str:
        """The tree id of the hub's last listing, read without its other lines; empty without a listing."""
        if not self._folder:
            return ""
        try:
            with open_regular(self._path(hub)) as file:
                tree = file.read(SEAL_BYTES + _MAX_TREE_ID)[SEAL_BYTES:].partition(b"\0")[0].decode("ascii")
                return tree if is_object_id(tree) else ""
        except (OSError, ValueError):
            return ""

    def remember(self, hub: str, tree: str, files: Sequence[SkillFile]) -> None:
        """Keeps a listing as the hub's last one, if that can be done."""
        if self._folder:
            listed = files if isinstance(files, KnownFiles) else KnownFiles.of(files)
            write_sealed(self._path(hub), f"{tree}\0{len(listed)}\n".encode() + listed.encode(), _KEPT)

    def _path(self, hub: str) -> str:
        return os.path.join(self._folder, sha256(os.fsencode(f"{_VERSION}\0{hub}")).hexdigest())


def _decode_listing(data: bytes) -> KnownListing:
    """A listing that was written whole. Raises ValueError for any other bytes."""
    head, *lines, end = data.split(b"\n")
    tree, count = head.decode("ascii").split("\0")
    if end or len(lines) != 2 * int(count):
        raise ValueError("this is not a listing that was written whole")
    return KnownListing(tree, KnownFiles(lines[: int(count)], lines[int(count) :]))


def _encode_facts(file: SkillFile) -> bytes:
    return encode_name(f"{file.id}\0{file.path}\0{file.kind}\0{file.size}")


def encode_name(name: str) -> bytes:
    """The bytes of a name from git; the inverse of `decode_name`."""
    return name.encode("utf-8", "surrogateescape")


def has_skills_outside(config: HubConfig, entries: Iterable[TreeEntry]) -> bool:
    """Whether a SKILL.md lies outside of the (settled) roots: bytes then decide whether it is a copy."""
    layout = layout_of(config)
    return any(is_skill_file(entry.path) and layout.root_of(entry.path) is None for entry in entries)


def are_of_bytes_only(changes: Sequence[ChangedEntry]) -> bool:
    """Whether so few changes leave every name and every setting as it was."""
    return len(changes) <= _MAX_CHANGES and all(map(is_of_bytes_only, changes))


def is_of_bytes_only(change: ChangedEntry) -> bool:
    """Whether a change leaves every name and every setting as it was."""
    return change.old_mode in REGULAR_MODES and change.mode in REGULAR_MODES and change.path != CONFIG_FILE
