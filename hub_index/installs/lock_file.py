"""hub-index.lock: bytes ↔ the installed skills of one root, strictly. A project's may be a stranger's work.

JSON, sorted and with the same bytes for the same skills, so that it can be committed. A folder must be one of the
root's own agents' and a path may not leave it: what the file says decides what is written and removed.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hub_index.base.characters import has_forbidden, quote_line
from hub_index.base.safe_open import read_regular
from hub_index.errors import ConfigError, IndexCorrupt, SkillError
from hub_index.hub.git.repository import is_object_id
from hub_index.hub.tree.ids import why_refused
from hub_index.index.format.strict_json import parse_object
from hub_index.installs.agent_folders import InstallRoot
from hub_index.installs.file_names import check_files
from hub_index.limits import MAX_INSTALL_LOCK_BYTES, MAX_REFERENCE_CHARS, MAX_SKILL_FOLDER_BYTES

LOCK_FILE = "hub-index.lock"
_VERSION = 1
_HEX = frozenset("0123456789abcdef")
_SHA256_CHARS = 64
_SHOWN_CHARS = 80
_SKILL_FIELDS = {"folder", "source", "commit", "path", "files"}
_FILE_FIELDS = {"executable", "sha256", "size"}


@dataclass(frozen=True, slots=True)
class LockedFile:
    """A file of an installed skill as it was copied."""

    path: str  # from the skill's folder
    executable: bool
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class LockedSkill:
    """An installed skill: its folder from the root, and what was copied from where."""

    folder: str
    source: str  # the hub's address without a password, or its folder
    commit: str  # empty: a folder without git
    path: str  # the skill's folder in that repository, or from that folder; `.` is the whole of it
    files: tuple[LockedFile, ...]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class InstallLock:
    """The skills that are installed below one root, by folder."""

    skills: tuple[LockedSkill, ...] = ()

    def find(self, folder: str) -> LockedSkill | None:
        """The skill that is installed in this folder."""
        return next((skill for skill in self.skills if skill.folder == folder), None)

    def without(self, folder: str) -> "InstallLock":
        """The lock without the skill of this folder."""
        return InstallLock(tuple(skill for skill in self.skills if skill.folder != folder))

    def having(self, skill: LockedSkill) -> "InstallLock":
        """The lock with this skill in the place of the one in its folder."""
        skills = (*self.without(skill.folder).skills, skill)
        return InstallLock(tuple(sorted(skills, key=lambda entry: entry.folder)))


def lock_path(root: InstallRoot) -> Path:
    """Where the lock of a root lies."""
    return Path(root.path) / LOCK_FILE


def read_lock(root: InstallRoot, path: Path | None = None) -> InstallLock:
    """The root's lock; empty without a file. Raises ConfigError for one that is damaged, or not ours."""
    path = path or lock_path(root)
    try:
        content = read_regular(os.fspath(path), MAX_INSTALL_LOCK_BYTES)
    except FileNotFoundError:
        return InstallLock()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; put the file itself there") from error
    try:
        return parse_lock(content, root)
    except (ValueError, IndexCorrupt, SkillError) as error:
        reason = str(error).removeprefix(f"{LOCK_FILE}: ").partition("; ")[0]
        raise ConfigError(f"{path}: {reason}; take the file from git again, or move it away") from error


def parse_lock(content: bytes, root: InstallRoot) -> InstallLock:
    """The lock that the bytes hold. Raises ValueError, IndexCorrupt, SkillError."""
    value = parse_object(content, LOCK_FILE)
    version = value.get("version")
    _expect(type(version) is int, "it is no lock of hub-index")
    _expect(version == _VERSION, f"it is of version {version}, which this hub-index does not know: upgrade hub-index")
    _expect(
        value.keys() == {"version", "skills"} and isinstance(value["skills"], list), "it has other fields than ours"
    )
    skills = tuple(_parse_skill(entry, root) for entry in value["skills"])
    folders = [skill.folder for skill in skills]
    _expect(folders == sorted(set(folders)), "its skills are not sorted, or one occurs twice")
    return InstallLock(skills)


def encode_lock(lock: InstallLock) -> bytes:
    """The bytes of a lock, the same for the same skills."""
    skills = [
        asdict(skill) | {"files": {file.path: _encode_file(file) for file in skill.files}} for skill in lock.skills
    ]
    value = {"version": _VERSION, "skills": skills}
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def _encode_file(file: LockedFile) -> dict[str, object]:
    return {"executable": file.executable, "sha256": file.sha256, "size": file.size}


def _parse_skill(value: Any, root: InstallRoot) -> LockedSkill:
    _expect(isinstance(value, dict) and value.keys() == _SKILL_FIELDS, "a skill has other fields than ours")
    texts = [value[key] for key in ("folder", "source", "commit", "path")]
    _expect(all(map(_is_text, texts)), "a skill's folder, source, commit or path is not a plain text")
    folder, source, commit, path = texts
    skills, _, name = folder.rpartition("/")
    shown = quote_line(folder, _SHOWN_CHARS)
    is_place = skills in dict(root.folders).values() and not why_folder_refused(name)
    _expect(is_place, f"{shown} is not a skill's folder of an agent")
    is_origin = bool(source) and (not commit or is_object_id(commit)) and (path == "." or not why_refused(path, path))
    _expect(is_origin, f"{shown} has no valid source, commit or path")
    _expect(isinstance(value["files"], dict), f"{shown} lists no files")
    files = tuple(_parse_file(name, file) for name, file in value["files"].items())
    check_files(folder, [(file.path, file.size) for file in files])
    return LockedSkill(folder, source, commit, path, tuple(sorted(files, key=lambda file: file.path)))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_REFERENCE_CHARS and not has_forbidden(value)


def why_folder_refused(name: str) -> str:
    """Why a skill's folder cannot have this name; empty if it can."""
    if not name or name.startswith(".") or "/" in name:
        return "it is empty, begins with a dot or holds a slash"
    return why_refused(name, name)


def _parse_file(path: str, value: Any) -> LockedFile:
    shown = quote_line(path, _SHOWN_CHARS)
    _expect(isinstance(value, dict) and value.keys() == _FILE_FIELDS, f"{shown} has other fields than ours")
    size, digest, executable = value["size"], value["sha256"], value["executable"]
    is_size = type(size) is int and 0 <= size <= MAX_SKILL_FOLDER_BYTES
    is_digest = isinstance(digest, str) and len(digest) == _SHA256_CHARS and _HEX.issuperset(digest)
    is_valid = is_size and is_digest and isinstance(executable, bool)
    _expect(is_valid, f"{shown} has no valid size, digest or mode")
    return LockedFile(path, executable, size, digest)


def _expect(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def choose_skills(lock: InstallLock, name: str, folders: Sequence[str]) -> tuple[LockedSkill, ...]:
    """The skills of this name, or of all if it is empty, in these skills folders."""
    return tuple(
        skill
        for skill in lock.skills
        if name in ("", skill.name, skill.folder) and skill.folder.rpartition("/")[0] in folders
    )
