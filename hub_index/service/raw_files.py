"""A skill's files as they are, byte for byte: for doors whose clients check digests. Links are not followed."""

import os

from hub_index.errors import SkillUnknown
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_RAW_FILE_BYTES, MAX_REFERENCE_CHARS
from hub_index.regular_file import read_regular
from hub_index.service.checks import check_text
from hub_index.service.reference import find_reference
from hub_index.service.skill_files import digest_files, walk_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Hit
    from hub_index.service.answers import FileEntry
    from hub_index.service.service import Service


class RawSkill(FrozenValue):
    """A skill and what its folder holds, nested skills included; `file` is what a uri named below it."""

    hit: "Hit"
    folder: str  # from the hub's root
    place: str  # the folder on disk
    file: str
    files: "tuple[FileEntry, ...]"
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
    paths = sorted(walk_files(place, with_nested=True)) if is_own else [name]  # else the folder holds others' files
    files = digest_files(place, paths, MAX_RAW_FILE_BYTES)
    return RawSkill(found.hit, folder, place, found.file or name, files, is_complete=len(files) == len(paths))


def read_raw_file(skill: RawSkill) -> bytes:
    """The bytes of the file that the uri named. Raises SkillUnknown where the skill has no such file."""
    if not any(entry.path == skill.file for entry in skill.files):
        raise SkillUnknown("the skill has no such file; resources/directory/read lists what it has")
    try:
        return read_regular(os.path.join(skill.place, skill.file), MAX_RAW_FILE_BYTES)
    except OSError as error:
        raise SkillUnknown(f"the file cannot be read: {error.strerror}") from error
