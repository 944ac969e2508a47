"""A skill's files as they are, byte for byte: for clients that check digests. Links are not followed."""

from dataclasses import dataclass

from hub_index.base.safe_open import is_link, open_below, read_below
from hub_index.errors import SkillUnknown
from hub_index.limits import MAX_RAW_FILE_BYTES, MAX_REFERENCE_CHARS
from hub_index.service.hubs.reference import find_reference
from hub_index.service.reading.skill_files import (
    FolderPaths,
    digest_files,
    explain_unread,
    find_paths,
    join_path,
    say_difference,
)
from hub_index.service.requests import Deadline, check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Hit
    from hub_index.service.answers import FileEntry
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.service import Service


@dataclass(frozen=True, slots=True)
class RawSkill:
    """A skill and what its folder holds, nested skills included; `file` is what a uri named below it."""

    hit: "Hit"
    folder: str  # from the hub's root
    hub: "OpenHub"
    file: str
    files: "tuple[FileEntry, ...]"
    is_complete: bool  # else there are more files, or larger or deeper ones, than a skill may have


def find_raw_skill(service: "Service", uri: str, deadline: Deadline | None = None) -> RawSkill:
    """The skill that a uri, or a uri of a file or folder below it, names.

    Raises ConfigError, SkillUnknown, AnswerStopped.
    """
    deadline = deadline or Deadline()
    check_text("uri", uri, MAX_REFERENCE_CHARS)
    if not uri.startswith("skill://"):
        raise SkillUnknown("no skill is served at this uri: it does not begin with skill://")
    skill = find_reference(service, uri, deadline)
    if not skill.hub.folder:
        raise SkillUnknown(f"the hub {skill.hub.name} has an index but no checkout, so there are no files")
    folder, _, name = skill.hit.file.rpartition("/")
    is_own = skill.hit.path == folder or (skill.hit.path == "." and not folder)
    # a folder that is not the skill's own holds files of others
    below = find_paths(skill.hub.folder, folder, deadline, with_nested=True) if is_own else FolderPaths((name,))
    files = digest_files(skill.hub.folder, folder, below.paths, deadline, MAX_RAW_FILE_BYTES)
    is_complete = len(files) == len(below.paths) and not below.is_cut
    return RawSkill(skill.hit, folder, skill.hub, skill.file or name, files, is_complete)


def read_raw_file(skill: RawSkill) -> bytes:
    """The bytes of the file that the uri named. Raises SkillUnknown if the skill does not have it."""
    path = join_path(skill.folder, skill.file)
    if not any(entry.path == skill.file for entry in skill.files):
        raise SkillUnknown(_why_not_listed(skill.hub.folder, path))
    try:
        return read_below(skill.hub.folder, path, MAX_RAW_FILE_BYTES)
    except OSError as error:
        raise SkillUnknown(explain_unread(path, error)) from error


def _why_not_listed(hub: str, path: str) -> str:
    """Why a skill does not have the file: a link is named, other reasons are not."""
    try:
        open_below(hub, path).close()
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and is_link(error):
            return explain_unread(path, error)
    return "the skill does not have this file; resources/directory/read lists its files"


def say_raw_difference(skill: RawSkill, content: bytes) -> tuple[str, ...]:
    """The notices of `say_difference` for these bytes, if they are the skill's own file."""
    if join_path(skill.folder, skill.file) != skill.hit.file:
        return ()
    return say_difference(skill.hub.folder, skill.hub.index.reader.cache, skill.hit.id, skill.hit.file, content)
