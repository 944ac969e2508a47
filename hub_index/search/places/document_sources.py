"""The documents of a lexical index: an index's lines with the checkout's bodies, or its files alone.

Only keys are worked out here, from git's index and the lines' digests; documents that are in the cache already are
never read. Bodies are named by git's blobs. A file that git does not know, or that was changed since, is named by
place, size and time.
"""

import os
from hashlib import sha256

from hub_index.base.safe_open import file_stamp
from hub_index.hub.record_file import ROOT_PATH, is_document_id, record_file
from hub_index.hub.tree.listing import select_files
from hub_index.models import SkillFile, TreeEntry
from hub_index.search.checkout.config import read_config
from hub_index.search.checkout.git_index import stamp_of
from hub_index.search.checkout.listing import GitListing, read_listing
from hub_index.search.lexical.cache.documents import DocumentSource
from hub_index.search.lexical.prepared import encode_record
from hub_index.search.lexical.preparing import KEY_BYTES, NO_BODY, digest_key, file_task, record_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.checkout.edits import Edits
    from hub_index.search.lexical.preparing import Task
    from hub_index.search.places.skill_lines import SkillLines


def published_source(
    lines: "SkillLines", hub: str, cache: str, *, with_unindexed: bool = False, edits: "Edits | None" = None
) -> DocumentSource:
    """The rows of an index; after them, if wanted, the skills of the checkout that have no record.

    Of `edits` the changed files stand in the rows of their records, and the new ones after all others.
    """
    bodies = _Bodies(hub, cache)
    edited = bodies.edited(lines.ids, edits.changed) if edits else {}
    missing: dict[int, tuple[str, bytes]] = {}  # row → the file that git's index does not have, and its key

    def key_of(row: int, id_: str) -> bytes:
        place = bodies.places.get(id_)
        if place is not None:
            return bodies.keys[place]
        file = record_file(hub, id_, lines.decode(row).path) if hub else ""
        missing[row] = (file, _stat_key(hub, file) if file else NO_BODY)
        return missing[row][1]

    if bodies.ids == lines.ids:  # nearly always: no look-ups
        keys = [digest + key for digest, key in zip(lines.digests, bodies.keys, strict=True)]
    else:
        pairs = zip(lines.digests, lines.ids, strict=True)
        keys = [digest + key_of(row, id_) for row, (digest, id_) in enumerate(pairs)]
    more = bodies.unknown_to(lines.ids) if with_unindexed else []
    for row, file in edited.items():
        keys[row] = _file_key(file) + _stat_key(hub, file.file)
    keys += [_file_key(file) + bytes.fromhex(file.blob)[:KEY_BYTES] for file in more]
    new = _new_files(hub, edits.new, {*lines.ids, *(file.id for file in more)}) if edits else []
    keys += [_file_key(file) + _stat_key(hub, file.file) for file in new]
    edited |= dict(enumerate(new, len(lines.ids) + len(more)))

    def task(row: int) -> "Task":
        return task_with(row, b"" if row >= len(lines.ids) or row in edited else encode_record(lines.decode(row)))

    def task_with(row: int, stored: bytes) -> "Task":
        if row in edited:
            return file_task(edited[row], hub, keys[row][KEY_BYTES:], "")
        if row >= len(lines.ids):
            return file_task(more[row - len(lines.ids)], hub, keys[row][KEY_BYTES:], bodies.hash_name)
        if row in missing:
            return record_task(stored, hub, *missing[row], "")
        return record_task(stored, hub, bodies.file(row, lines.ids[row]), keys[row][KEY_BYTES:], bodies.hash_name)

    def find_loose(others: "Sequence[int]") -> list[str]:
        if not bodies.hash_name:  # every file's size and time are in the source's name
            return []
        unknown = [file for file, _ in missing.values() if file]
        present = [row for row in others if row not in missing and row not in edited]
        files = [bodies.file(row, lines.ids[row]) for row in present if row < len(lines.ids)]
        files += [more[row - len(lines.ids)].file for row in present if row >= len(lines.ids)]
        return [os.path.join(hub, file) for file in (*unknown, *files)]

    return DocumentSource(keys, task, task_with, find_loose)


def checkout_source(hub: str, files: "Sequence[SkillFile]") -> DocumentSource:
    """The files that a build would index, which were found by walking the folder."""
    listing = read_listing(hub)
    clean = _clean_blobs(hub, listing) if listing else {}
    keys = [_file_key(file) + (clean.get(file.file) or _stat_key(hub, file.file)) for file in files]

    def task(row: int) -> "Task":
        file = files[row]
        hash_name = listing.hash_name if listing and file.file in clean else ""
        return file_task(file, hub, keys[row][KEY_BYTES:], hash_name)

    return DocumentSource(keys, task)


class _Bodies:
    """The files of a checkout and what they are made of, by the ids of their records."""

    def __init__(self, hub: str, cache: str) -> None:
        listing = read_listing(hub, cache) if hub else None
        self._listing = listing = listing if listing and listing.is_tracked else None
        self.hash_name = listing.hash_name if listing else ""  # empty: keys are not those that git would give
        self.ids: list[str] = []
        self.keys: list[bytes] = []
        self._files: list[str] = []
        if listing:
            self.ids = listing.ids
            self.keys = [blob[:KEY_BYTES] for blob in listing.blobs]
        elif hub:
            from hub_index.search.checkout.files import list_checkout

            files = list_checkout(hub)
            self.ids, self._files = [file.id for file in files], [file.file for file in files]
            self.keys = [_stat_key(hub, file) for file in self._files]
        self._places: dict[str, int] | None = None

    @property
    def places(self) -> dict[str, int]:
        """The place of each id; made on the first call, since mostly an index has the same ids in the same order."""
        if self._places is None:
            self._places = dict(zip(self.ids, range(len(self.ids)), strict=True))
        return self._places

    def file(self, row: int, id_: str) -> str:
        """The file of an id that is known, most likely at the place of its row."""
        place = row if self.ids[row : row + 1] == [id_] else self.places[id_]
        return self._listing.file(place) if self._listing else self._files[place]

    def edited(self, ids: "Sequence[str]", changed: "Sequence[str]") -> "dict[int, SkillFile]":
        """The rows of these ids whose files were edited; a changed file without a row is read with the others."""
        if self._listing is None or not changed:
            return {}
        row_of = {id_: row for row, id_ in enumerate(ids)}
        wanted = {os.fsencode(file) for file in changed}
        places = [place for place, path in enumerate(self._listing.paths) if path in wanted]
        return {row_of[self.ids[place]]: self._skill(place) for place in places if self.ids[place] in row_of}

    def unknown_to(self, ids: "Sequence[str]") -> "list[SkillFile]":
        """The skills of git's index that are not among these."""
        if self._listing is None or self.ids == ids:
            return []
        places = [self.places[id_] for id_ in self.places.keys() - set(ids)]
        if not places:
            return []

        places.sort()
        return [self._skill(place) for place in places]

    def _skill(self, place: int) -> "SkillFile":
        file = self._listing.file(place) if self._listing else self._files[place]
        id_ = self.ids[place]
        blob = self._listing.blobs[place].hex() if self._listing else ""
        folder = os.path.dirname(file) or ROOT_PATH
        return SkillFile(id_, folder, file, "document" if is_document_id(id_) else "skill", blob, 0)


def _file_key(file: "SkillFile") -> bytes:
    return digest_key(f"{file.id}\0{file.path}\0{file.kind}".encode("utf-8", "surrogateescape"))


def _new_files(hub: str, new: "Sequence[str]", known: set[str]) -> "list[SkillFile]":
    """New files as a build would index them; one with an id that is taken is left to the build's report."""
    entries = [TreeEntry("100644", "", 0, file) for file in new]
    return [file for file in select_files(entries, read_config(hub)).files if file.id not in known] if entries else []


def _stat_key(hub: str, file: str) -> bytes:
    """A key for this state of a file; it differs from every earlier state and from every other hub."""
    path = os.path.join(os.path.realpath(hub), file)
    stamp = file_stamp(path)
    return sha256(f"{path}\0{stamp}".encode("utf-8", "surrogateescape")).digest()[:KEY_BYTES] if stamp else NO_BODY


def _clean_blobs(hub: str, listing: GitListing) -> dict[str, bytes]:
    """The blobs of files that are as git wrote them, by size and both times: an edit may keep one of these."""
    clean: dict[str, bytes] = {}
    for place, (blob, head) in enumerate(zip(listing.blobs, listing.heads, strict=True)):
        file = listing.file(place)
        try:
            status = os.lstat(os.path.join(hub, file))
        except OSError:
            continue
        times = (*divmod(status.st_ctime_ns, 10**9), *divmod(status.st_mtime_ns, 10**9))
        if b"".join((n & 0xFFFFFFFF).to_bytes(4, "big") for n in (*times, status.st_size)) == stamp_of(head):
            clean[file] = blob[:KEY_BYTES]
    return clean
