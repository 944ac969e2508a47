"""The files of a skill's folder: listed with size and digest, read as text; no link is followed, nothing else read."""

import errno
import os
from hashlib import sha256

from hub_index.errors import ConfigError, SkillUnknown
from hub_index.frozen import FrozenValue
from hub_index.hub.tree.record_file import is_document_record, is_skill_file
from hub_index.limits import MAX_READ_FILE_BYTES, MAX_SKILL_BYTES, MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES
from hub_index.regular_file import open_regular, read_regular
from hub_index.service.answers import FileEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hub_index.search.results import Hit

_CHUNK_BYTES = 1024 * 1024
_MAX_NAMED = 12  # files, to whoever asked for another


class FolderFiles(FrozenValue):
    """The files of a skill's folder, by path, and what is to be said of those that are not listed."""

    files: tuple[FileEntry, ...]
    notices: tuple[str, ...] = ()


def list_files(hub: str, id_: str, path: str, own_file: str) -> FolderFiles:
    """Every regular file of the skill's folder but hidden ones; a document has only its own.

    A folder below that is a skill of its own is not part of this one.
    """
    if is_document_record(id_, path):
        paths: list[str] = [os.path.basename(own_file)]
    else:
        paths = sorted(walk_files(os.path.join(hub, path)))
    files = digest_files(os.path.join(hub, os.path.dirname(own_file)), paths)
    missing = len(paths) - len(files)
    if not missing:
        return FolderFiles(files)
    noun = "file is" if missing == 1 else "files are"
    return FolderFiles(files, (f"{missing} {noun} not listed: a skill may have {MAX_SKILL_FILES}, of 16 MiB",))


def read_file(hub: str, hit: "Hit", path: str) -> str:
    """A file's text, from the skill's folder. Raises ConfigError for what is outside of it, a link, or not text."""
    from hub_index.hub.skill.characters import clean_text, short_line

    shown = short_line(path)
    steps = path.split("/")
    is_outside = any(step in ("", ".", "..") or "\0" in step or "\\" in step for step in steps)
    if is_outside or any(step.startswith(".") for step in steps):
        raise ConfigError(f"{shown} is not a file of the skill's folder; `files` lists them")
    place = os.path.join(hub, _folder(hit))
    if not _is_reached_by_folders(place, steps):
        raise _no_file(shown, place, hit)
    try:
        content = read_regular(os.path.join(place, path), MAX_READ_FILE_BYTES)
    except FileNotFoundError as error:
        raise _no_file(shown, place, hit) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ConfigError(f"{shown} is a link; links are not followed") from error
        raise ConfigError(f"{shown} cannot be read: {error.strerror}") from error
    if b"\0" in content:
        raise ConfigError(f"{shown} is not a text; only texts are given out")
    try:
        return clean_text(content.decode("utf-8-sig").replace("\r\n", "\n"), keep="\n\t").text
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown} is not UTF-8; only texts are given out") from error


def read_skill_text(hub: str, hit: "Hit") -> str:
    """The skill's own file, decoded as a build decodes it. Raises ConfigError where it cannot be read."""
    from hub_index.hub.skill.encoding import decode_content
    from hub_index.hub.skill.problems import ProblemList

    try:
        content = read_regular(os.path.join(hub, hit.file), MAX_SKILL_BYTES)
    except OSError as error:
        raise ConfigError(f"{hit.file} cannot be read: {error.strerror}; sync the hub") from error
    return decode_content(content, ProblemList("")).text


def split_lines(text: str) -> list[str]:
    """The text's lines; what ends in a line end has no empty last line."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def body_line(text: str, lines: "Sequence[str]") -> int:
    """The first line after the frontmatter that says something."""
    from hub_index.hub.skill.block_split import split_frontmatter
    from hub_index.hub.skill.problems import ProblemList

    body = split_frontmatter(text, ProblemList("")).body
    first = max(1, len(lines) - len(body.rstrip("\n").split("\n")) + 1) if body.strip() else 1
    while first < len(lines) and not lines[first - 1].strip():
        first += 1
    return first


def _no_file(shown: str, place: str, hit: "Hit") -> SkillUnknown:
    """What to say to whoever named a file that is not there: which are."""
    from hub_index.hub.skill.characters import short_line

    if is_document_record(hit.id, hit.path):
        return SkillUnknown(f"there is no file {shown} beside this one: it is a document of its own")
    names = sorted(walk_files(place))
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    named = ", ".join([short_line(name) for name in names[:_MAX_NAMED]])
    return SkillUnknown(f"there is no file {shown} in the skill's folder; it has {named}{more}")


def _folder(hit: "Hit") -> str:
    """The skill's folder, from the hub's root."""
    return os.path.dirname(hit.file)


def walk_files(folder: str, *, with_nested: bool = False) -> "Iterator[str]":
    """Every regular file below a folder but hidden ones; links are not followed.

    Folders below that are skills of their own are left out, unless `with_nested`.
    """
    todo = [""]
    while todo:
        below = todo.pop()
        try:
            found = list(os.scandir(os.path.join(folder, below) if below else folder))
        except OSError:
            continue
        if below and not with_nested and any(is_skill_file(entry.name) for entry in found):
            continue
        for entry in found:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                todo.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path


def digest_files(
    folder: str, paths: "Sequence[str]", max_file_bytes: int = MAX_SKILL_FOLDER_BYTES
) -> tuple[FileEntry, ...]:
    """The files with their sizes and digests, as many and as large as a skill may have."""
    files: list[FileEntry] = []
    left = MAX_SKILL_FOLDER_BYTES
    for path in paths[:MAX_SKILL_FILES]:
        entry = _entry(os.path.join(folder, path), path, min(left, max_file_bytes))
        if entry is not None:
            files.append(entry)
            left -= entry.size
    return tuple(files)


def _entry(full: str, path: str, max_bytes: int) -> FileEntry | None:
    digest, size = sha256(), 0
    try:
        with open_regular(full) as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
                if size > max_bytes:
                    return None
    except OSError:
        return None
    return FileEntry(path, size, digest.hexdigest())


def _is_reached_by_folders(place: str, steps: list[str]) -> bool:
    """Whether only real folders lead to the file: a link might lead anywhere."""
    for step in steps[:-1]:
        place = os.path.join(place, step)
        try:
            if os.lstat(place).st_mode & 0o170000 != 0o040000:
                return False
        except OSError:
            return False
    return True
