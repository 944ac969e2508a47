"""A hub's skills as `/.well-known/agent-skills/`: the index that agents look for on a site (draft 0.2.0), with digests.

A skill of one file is served as it is; one of several files as an archive, whose bytes depend only on the files' bytes.
Names must follow the specification there and be of one skill; other skills are left out and named.
"""

import gzip
import io
import json
import os
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from hub_index.base.safe_open import read_below, read_regular
from hub_index.errors import PublishError
from hub_index.hub.skill.good_name import is_kebab
from hub_index.limits import MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES, SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS
from hub_index.service.hub_contents import list_skills
from hub_index.service.reading.skill_files import explain_unread, join_path, list_files, say_difference
from hub_index.service.requests import Deadline, ListRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.record import Record
    from hub_index.service.answers import SkillEntry
    from hub_index.service.hubs.open_hubs import OpenHub

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
PLACE = ".well-known/agent-skills"  # from the site's root
_INDEX = "index.json"
_URL = f"/{PLACE}/"
_TOO_MUCH = "its folder has too many files, or files that cannot be read"
_PAGE = 1_000
_MAX_INDEX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Artifact:
    """One skill as it is served: its line of the index, the file's name and bytes."""

    entry: dict[str, str]
    file: str
    content: bytes
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """The exported skills, the reasons for omissions, and notices on files that differ from git's."""

    folder: str
    skills: int
    left_out: tuple[str, ...]
    notices: tuple[str, ...] = ()


def export_well_known(hub: "OpenHub", target: str) -> Exported:
    """Writes the skills of a hub below a site's folder; the index comes last. Raises PublishError, IndexUnusable."""
    folder = os.path.join(target, *PLACE.split("/"))
    collected = Collected()
    old_files = _listed_files(folder)
    files: set[str] = set()
    notices: list[str] = []
    try:
        os.makedirs(folder, exist_ok=True)
        for skill in _skills(hub):
            artifact = collected.take(skill.record.id, _make(hub, skill))
            if artifact is not None:
                notices += artifact.notices
                files.add(artifact.file)
                _write(os.path.join(folder, artifact.file), artifact.content)
        _write(os.path.join(folder, _INDEX), collected.encode_index()[1])
        _remove(folder, old_files - files)
    except OSError as error:
        raise PublishError(f"{folder}: cannot be written ({error.strerror}); check the disk and the rights") from error
    return Exported(folder, len(collected.entries), tuple(collected.left_out), tuple(notices))


class Collected:
    """The lines of an index as they come: one skill a name, the others with the reason why they are left out."""

    def __init__(self) -> None:
        self.entries: dict[str, dict[str, str]] = {}
        self.left_out: list[str] = []

    def take(self, id_: str, artifact: Artifact | str) -> Artifact | None:
        """The artifact, once its line is taken; None for one that is left out."""
        if isinstance(artifact, str):
            self.left_out.append(f"{id_}: {artifact}")
        elif artifact.entry["name"] in self.entries:
            self.left_out.append(f"{id_}: another skill is called {artifact.entry['name']} already")
        else:
            self.entries[artifact.entry["name"]] = artifact.entry
            return artifact
        return None

    def encode_index(self) -> tuple[str, bytes]:
        """The index's name and bytes."""
        index = {"$schema": SCHEMA, "skills": [self.entries[name] for name in sorted(self.entries)]}
        return _INDEX, (json.dumps(index, ensure_ascii=False, indent=2) + "\n").encode()


def _skills(hub: "OpenHub") -> "Iterator[SkillEntry]":
    cursor = ""
    while True:
        page = list_skills((hub,), ListRequest(type="skill", limit=_PAGE, cursor=cursor), Deadline())
        yield from page.skills
        if not (cursor := page.next_cursor):
            return


def _make(hub: "OpenHub", skill: "SkillEntry") -> Artifact | str:
    """The skill as it is served, or why it cannot be."""
    record = skill.record
    if reason := why_not_served(record):
        return reason
    if not hub.folder:
        return "the hub has no checkout to read it from"
    listed = list_files(hub.folder, record.id, record.path, skill.file, Deadline())
    if listed.notices or not listed.files:
        return _TOO_MUCH
    folder, _, name = skill.file.rpartition("/")
    paths = [file.path for file in listed.files]
    try:
        contents = {path: read_below(hub.folder, join_path(folder, path), MAX_SKILL_FOLDER_BYTES) for path in paths}
    except OSError as error:
        return explain_unread(skill.file, error)
    made = make_artifact(record, name, contents)
    if isinstance(made, str):
        return made
    said = say_difference(hub.folder, hub.index.reader.cache, record.id, skill.file, contents[name])
    return replace(made, notices=said)


def why_not_served(record: "Record") -> str:
    """Why a record's skill cannot be in this index; empty if it can."""
    if not is_kebab(record.name) or len(record.name) > SPEC_NAME_CHARS:
        return "its name is not one that the specification allows; `hub-index lint` says what to write"
    if not record.description or len(record.description) > SPEC_DESCRIPTION_CHARS:
        return f"its description is empty or longer than {SPEC_DESCRIPTION_CHARS} characters"
    return ""


def make_artifact(record: "Record", own_file: str, contents: Mapping[str, bytes]) -> Artifact | str:
    """The skill as it is served, from the files of its folder, or why it cannot be; `own_file` is its SKILL.md."""
    if (
        own_file not in contents
        or len(contents) > MAX_SKILL_FILES
        or sum(map(len, contents.values())) > MAX_SKILL_FOLDER_BYTES
    ):
        return _TOO_MUCH
    if len(contents) == 1:
        file, kind, content = f"{record.name}/SKILL.md", "skill-md", contents[own_file]
    else:
        file, kind, content = f"{record.name}.tar.gz", "archive", _pack(contents, own_file)
    entry = {"name": record.name, "type": kind, "description": " ".join(record.description.split())}
    return Artifact(entry | {"url": _URL + file, "digest": f"sha256:{sha256(content).hexdigest()}"}, file, content)


def _pack(contents: Mapping[str, bytes], own_file: str) -> bytes:
    """The files as a gzipped tar, SKILL.md at its root: no time, no owner, one order."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(contents):
            entry = tarfile.TarInfo("SKILL.md" if path == own_file else path)
            entry.size, entry.mode = len(contents[path]), 0o644
            tar.addfile(entry, io.BytesIO(contents[path]))
    return packed.getvalue()


def _write(path: str, content: bytes) -> None:
    """Puts a file in its place whole; one that is the same already is not touched."""
    try:
        if read_regular(path, len(content)) == content:
            return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.new-{os.getpid()}"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise


def _listed_files(folder: str) -> set[str]:
    """The files that the index there names below its own folder: all that a later export may remove."""
    try:
        skills = json.loads(read_regular(os.path.join(folder, _INDEX), _MAX_INDEX_BYTES))["skills"]
        files = {str(skill["url"]).removeprefix(_URL) for skill in skills if str(skill["url"]).startswith(_URL)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()
    return {file for file in files if is_kebab(file.removesuffix("/SKILL.md").removesuffix(".tar.gz"))}


def _remove(folder: str, files: set[str]) -> None:
    for file in sorted(files):
        path = os.path.join(folder, file)
        if os.path.lexists(path):
            os.unlink(path)
        if (
            file.endswith("/SKILL.md")
            and os.path.isdir(os.path.dirname(path))
            and not os.listdir(os.path.dirname(path))
        ):
            os.rmdir(os.path.dirname(path))
