"""The files of a skill's folder: listed with size and digest, read as text; no link is followed, nothing else read."""

import os
from dataclasses import dataclass
from hashlib import sha256

from hub_index.base.characters import clean_text, quote_line
from hub_index.base.safe_open import is_link, is_too_deep, open_below, read_below, walk_below
from hub_index.errors import ConfigError, SkillUnknown
from hub_index.hub.record_file import is_document_record, is_skill_file
from hub_index.hub.skill.block_split import split_frontmatter
from hub_index.hub.skill.encoding import decode_content
from hub_index.hub.skill.problems import ProblemList
from hub_index.limits import (
    MAX_PATH_STEPS,
    MAX_READ_FILE_BYTES,
    MAX_SKILL_BYTES,
    MAX_SKILL_FILES,
    MAX_SKILL_FOLDER_BYTES,
)
from hub_index.service.answers import FileEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.results import Hit
    from hub_index.service.requests import Deadline

_CHUNK_BYTES = 1024 * 1024
_MAX_NAMED = 12  # files, in the error for a missing one
_NAME_CHARS = 60  # of each


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The files of a skill's folder, by path, and notices on the unlisted ones."""

    files: tuple[FileEntry, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderPaths:
    """The paths of a folder's files from there, sorted; whether some lie too deep to be among them."""

    paths: tuple[str, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class OwnText:
    """A skill's own file as text, and notices on it."""

    text: str
    notices: tuple[str, ...] = ()


def list_files(hub: str, id_: str, path: str, own_file: str, deadline: "Deadline") -> FolderFiles:
    """Every regular file of the skill's folder but hidden ones; a document has only its own. Raises AnswerStopped.

    A subfolder with another skill is not part of this one.
    """
    folder, _, name = own_file.rpartition("/")
    listed = FolderPaths((name,)) if is_document_record(id_, path) else find_paths(hub, folder, deadline)
    files = digest_files(hub, folder, listed.paths, deadline)
    notices: tuple[str, ...] = ()
    if missing := len(listed.paths) - len(files):
        noun = "file is" if missing == 1 else "files are"
        notices += (f"{missing} {noun} not listed: a skill may have {MAX_SKILL_FILES}, of 16 MiB",)
    if listed.is_cut:
        notices += (
            f"files more than {MAX_PATH_STEPS} folders deep, or at longer paths than a skill's, are not listed",
        )
    return FolderFiles(files, notices)


def read_file(hub: str, hit: "Hit", path: str, deadline: "Deadline") -> str:
    """A file's text, from the skill's folder.

    Raises ConfigError for what is outside of it, a link, or not text, and AnswerStopped.
    """
    shown = quote_line(path, _NAME_CHARS)
    steps = path.split("/")
    is_outside = any(step in ("", ".", "..") or "\0" in step or "\\" in step for step in steps)
    if is_outside or any(step.startswith(".") for step in steps):
        raise ConfigError(f"{shown} is not a file of the skill's folder; `files` lists them")
    try:
        content = read_below(hub, join_path(os.path.dirname(hit.file), path), MAX_READ_FILE_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _no_file(shown, hub, hit, deadline) from error
    except OSError as error:
        raise ConfigError(explain_unread(path, error)) from error
    if b"\0" in content:
        raise ConfigError(f"{shown} is not a text; only texts are given out")
    try:
        return clean_text(content.decode("utf-8-sig").replace("\r\n", "\n"), keep="\n\t").text
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown} is not UTF-8; only texts are given out") from error


def read_own(hub: str, cache: str, hit: "Hit") -> OwnText:
    """The skill's own file, decoded as a build decodes it. Raises ConfigError if it cannot be read."""
    try:
        content = read_below(hub, hit.file, MAX_SKILL_BYTES)
    except OSError as error:
        raise ConfigError(explain_unread(hit.file, error)) from error
    return OwnText(decode_own(content), say_difference(hub, cache, hit.id, hit.file, content))


def decode_own(content: bytes) -> str:
    """A skill's own file as text."""
    return decode_content(content, ProblemList("")).text


def say_difference(hub: str, cache: str, id_: str, file: str, content: bytes) -> tuple[str, ...]:
    """A notice if a skill's own file differs from the one in git's index; empty if not, or if that is unknown."""
    from hub_index.search.checkout.listing import compare_with_git

    difference = compare_with_git(hub, cache, id_, file, content)
    return (
        (f"{quote_line(file, _NAME_CHARS)} is served as it stands in the checkout: {difference}",) if difference else ()
    )


def explain_unread(path: str, error: OSError) -> str:
    """Why a file of a hub cannot be read, and what to do."""
    if is_link(error):
        link = quote_line(str(error.filename), _NAME_CHARS)
        return f"{link} is a link; links are not followed: its hub has to hold the files themselves"
    return f"{quote_line(path, _NAME_CHARS)} cannot be read: {error.strerror}; sync the hub"


def join_path(folder: str, name: str) -> str:
    """A path from the hub's root; an empty folder is the root itself."""
    return f"{folder}/{name}" if folder else name


def split_lines(text: str) -> list[str]:
    """The text's lines; what ends in a line end has no empty last line."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def body_line(text: str, lines: "Sequence[str]") -> int:
    """The first line after the frontmatter that says something."""
    body = split_frontmatter(text, ProblemList("")).body
    first = max(1, len(lines) - len(body.rstrip("\n").split("\n")) + 1) if body.strip() else 1
    while first < len(lines) and not lines[first - 1].strip():
        first += 1
    return first


def _no_file(shown: str, hub: str, hit: "Hit", deadline: "Deadline") -> SkillUnknown:
    """The error for a missing file, with the names of the others."""
    if is_document_record(hit.id, hit.path):
        return SkillUnknown(f"there is no file {shown} beside this one: it is a single document")
    names = find_paths(hub, os.path.dirname(hit.file), deadline).paths
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    named = ", ".join([quote_line(name, _NAME_CHARS) for name in names[:_MAX_NAMED]])
    return SkillUnknown(f"there is no file {shown} in the skill's folder; it has {named}{more}")


def find_paths(hub: str, folder: str, deadline: "Deadline", *, with_nested: bool = False) -> FolderPaths:
    """Every regular file below a folder of the hub but hidden ones; links are not followed. Raises AnswerStopped.

    Subfolders with other skills are left out, unless `with_nested`.
    """
    paths: list[str] = []
    is_cut = False
    for place, folders, files, links in walk_below(hub, folder):
        deadline.check()
        below = place[len(folder) :].lstrip("/")
        if below and not with_nested and any(map(is_skill_file, (*folders, *files, *links))):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        is_cut = is_cut or any(is_too_deep(join_path(place, name)) for name in folders)
        paths += [join_path(below, name) for name in files if not name.startswith(".")]
    return FolderPaths(tuple(sorted(paths)), is_cut)


def digest_files(
    hub: str,
    folder: str,
    paths: "Sequence[str]",
    deadline: "Deadline",
    max_file_bytes: int = MAX_SKILL_FOLDER_BYTES,
) -> tuple[FileEntry, ...]:
    """The files of a folder of the hub with sizes and digests, as many and as large as a skill may have.

    Raises AnswerStopped.
    """
    files: list[FileEntry] = []
    left = MAX_SKILL_FOLDER_BYTES
    for path in paths[:MAX_SKILL_FILES]:
        deadline.check()
        size, digest = _digest_below(hub, join_path(folder, path), min(left, max_file_bytes))
        left = max(0, left - size)
        if digest:
            files.append(FileEntry(path, size, digest))
    return tuple(files)


def _digest_below(hub: str, path: str, max_bytes: int) -> tuple[int, str]:
    """How many bytes were read of a file, and their digest; empty if it is too large, or cannot be read."""
    digest, size = sha256(), 0
    try:
        with open_below(hub, path) as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                return 0, ""
            while chunk := file.read(min(_CHUNK_BYTES, max_bytes + 1 - size)):
                digest.update(chunk)
                size += len(chunk)
                if size > max_bytes:  # it grows at this moment
                    return size, ""
    except OSError:
        return size, ""
    return size, digest.hexdigest()
