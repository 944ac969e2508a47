"""The extension "Skills over MCP": skills/list, skills/get and resources/directory/read, over the same open hubs.

A skill that breaks the extension's rules (its folder is not called as its name, its frontmatter is not plain YAML, it
is too large) is not listed here: tools and plain resources reach it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hub_index.doors.mcp.frontmatter import read_frontmatter
from hub_index.errors import AnswerStopped, HubIndexError, SkillUnknown
from hub_index.hub.skill.characters import clean_line
from hub_index.search.results import skill_uri
from hub_index.service.deadline import Deadline
from hub_index.service.raw_files import RawSkill, find_raw_skill, read_raw_file
from hub_index.service.requests import ListRequest
from hub_index.service.service import Service

IDENTIFIER = "io.modelcontextprotocol/skills"
SETTINGS = {"directoryRead": True}
TTL_MS = 60_000  # how long a client may keep a list; what it reads meanwhile has digests
FRESHNESS: dict[str, Any] = {"ttlMs": TTL_MS, "cacheScope": "private"}
_PAGE = 50  # every file of each is hashed
_OWN_FILE = "SKILL.md"
FOLDER_TYPE = "inode/directory"


def list_entries(service: Service, cursor: str, deadline: Deadline | None = None) -> dict[str, Any]:
    """A page of skills with the digests of their files.

    Raises ConfigError for a cursor of another request, and AnswerStopped.
    """
    page = service.list(ListRequest(type="skill", limit=_PAGE, cursor=cursor), deadline)
    entries = [_try_entry(service, skill.uri, deadline) for skill in page.skills]
    listing: dict[str, Any] = {"skills": [entry for entry in entries if entry is not None], **FRESHNESS}
    return listing | ({"nextCursor": page.next_cursor} if page.next_cursor else {})


def get_entry(service: Service, uri: str, deadline: Deadline | None = None) -> dict[str, Any]:
    """One skill, by the uri of its SKILL.md. Raises SkillUnknown if it is not one of the extension's."""
    entry = _entry_of(find_raw_skill(service, uri, deadline))
    if entry is None or entry["uri"] != uri:
        raise SkillUnknown("no skill that keeps to the specification is served at this uri; read_skill reads any other")
    return {"skill": entry, **FRESHNESS}


def read_directory(service: Service, uri: str, deadline: Deadline | None = None) -> dict[str, Any]:
    """The direct children of a skill's folder or of one below it. Raises SkillUnknown."""
    skill = find_raw_skill(service, uri, deadline)
    below = "" if uri.rstrip("/") == skill_uri(skill.hit.hub, skill.folder).rstrip("/") else f"{skill.file}/"
    children: dict[str, dict[str, Any]] = {}
    for entry in skill.files:
        if not entry.path.startswith(below):
            continue
        name, slash, _ = entry.path[len(below) :].partition("/")
        child = {"uri": _uri_of(skill, below + name), "name": clean_line(name)}
        children[name] = child | ({"mimeType": FOLDER_TYPE} if slash else {"mimeType": mime_type_of(name)})
    if not children:
        raise SkillUnknown("this uri is not a folder of a skill")
    return {"resources": list(children.values()), **FRESHNESS}


def mime_type_of(name: str) -> str:
    """The kind of a file by its name."""
    from mimetypes import guess_type

    if name.lower().endswith((".md", ".markdown")):
        return "text/markdown"
    return guess_type(name)[0] or "application/octet-stream"


def _try_entry(service: Service, uri: str, deadline: Deadline | None) -> dict[str, Any] | None:
    try:
        return _entry_of(find_raw_skill(service, uri, deadline))
    except AnswerStopped:
        raise
    except HubIndexError:  # gone since the list was made, or in a hub without files
        return None


def _entry_of(skill: RawSkill) -> dict[str, Any] | None:
    """The skill's entry; None if it breaks a rule of the extension."""
    folder_name = skill.folder.rpartition("/")[2] or skill.hit.hub
    if not skill.is_complete or skill.hit.file.rpartition("/")[2] != _OWN_FILE:
        return None
    frontmatter = read_frontmatter(read_raw_file(replace(skill, file=_OWN_FILE)))
    if frontmatter is None or frontmatter["name"] != folder_name:
        return None
    return {"uri": skill.hit.uri, "frontmatter": frontmatter, "resources": _manifest(skill)}


def _manifest(skill: RawSkill) -> Sequence[dict[str, Any]]:
    return [
        {"uri": _uri_of(skill, entry.path), "digest": f"sha256:{entry.sha256}", "size": entry.size}
        for entry in skill.files
    ]


def _uri_of(skill: RawSkill, path: str) -> str:
    return skill_uri(skill.hit.hub, f"{skill.folder}/{path}" if skill.folder else path)
