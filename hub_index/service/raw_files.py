"""A skill's files as they are, byte for byte: for doors whose clients check digests. Links are not followed."""

import os

from hub_index.errors import SkillUnknown
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_RAW_FILE_BYTES, MAX_REFERENCE_CHARS, MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES
from hub_index.regular_file import read_regular
from hub_index.service.answers import FileEntry
from hub_index.service.checks import check_text
from hub_index.service.reference import find_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.search.results import Hit
    from hub_index.service.service import Service


class RawSkill(FrozenValue):
    """A skill and what its folder holds, nested skills included; `file` is what a uri named below it."""

    hit: "Hit"
    folder: str  # from the hub's root
    place: str  # the folder on disk
    file: str
    files: tuple[FileEntry, ...]
    is_complete: bool  # else there are more files, or larger ones, than a skill may have


def find_raw_skill(service: "Service", uri: str) -> RawSkill:
    """The skill that a uri, or a uri of a file or folder below it, names. Raises ConfigError, SkillUnknown."""
    check_text("uri", uri, MAX_REFERENCE_CHARS)
    if not uri.startswith("skill://"):
        raise SkillUnknown("no skill is served at this uri: it does not begin with skill://")
    found = find_reference(service, uri)
    if not found.hub.folder:
        raise SkillUnknown(f"the hub {found.hub.name} has an index but no checkout, so there are no files")
    folder, _, name = found.hit.file.rpartition("/")
    place = os.path.join(found.hub.folder, folder)
    is_own = found.hit.path == folder or (found.hit.path == "." and not folder)
    paths = sorted(_walk(place)) if is_own else [name]  # a document's folder holds others' files
    entries = [entry for path in paths[:MAX_SKILL_FILES] if (entry := _entry(place, path)) is not None]
    is_complete = len(entries) == len(paths) and sum(entry.size for entry in entries) <= MAX_SKILL_FOLDER_BYTES
    return RawSkill(found.hit, folder, place, found.file or name, tuple(entries), is_complete)


def read_raw_file(skill: RawSkill) -> bytes:
    """The bytes of the file that the uri named. Raises SkillUnknown where the skill has no such file."""
    if not any(entry.path == skill.file for entry in skill.files):
        raise SkillUnknown("the skill has no such file; resources/directory/read lists what it has")
    try:
        return read_regular(os.path.join(skill.place, skill.file), MAX_RAW_FILE_BYTES)
    except OSError as error:
        raise SkillUnknown(f"the file cannot be read: {error.strerror}") from error


def _walk(folder: str) -> "Iterator[str]":
    todo = [""]
    while todo:
        below = todo.pop()
        try:
            found = list(os.scandir(os.path.join(folder, below)))
        except OSError:
            continue
        for entry in found:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                todo.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path


def _entry(place: str, path: str) -> FileEntry | None:
    from hashlib import sha256

    try:
        content = read_regular(os.path.join(place, path), MAX_RAW_FILE_BYTES)
    except OSError:
        return None
    return FileEntry(path, len(content), sha256(content).hexdigest())
