"""The extension "Skills over MCP": skills/list, skills/get and resources/directory/read, over the same open hubs.

A skill that breaks the extension's rules (its folder is not called as its name, its frontmatter is not plain YAML, it
is too large) is not listed here: tools and plain resources reach it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from mimetypes import guess_type
from typing import Any

import yaml

from hub_index.base.characters import clean_line, is_plain_utf8
from hub_index.errors import AnswerStopped, HubIndexError, SkillUnknown
from hub_index.hub.skill.block_split import split_frontmatter
from hub_index.hub.skill.fields import NotYaml
from hub_index.hub.skill.good_name import is_kebab
from hub_index.hub.skill.problems import ProblemList
from hub_index.hub.skill.yaml_layer import parse_yaml
from hub_index.limits import MAX_FRONTMATTER_CHARS, SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS
from hub_index.search.results import skill_uri
from hub_index.service.reading.raw_files import RawSkill, find_raw_skill, read_raw_file
from hub_index.service.requests import Deadline, ListRequest
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


class _CoreLoader(yaml.SafeLoader):
    """SafeLoader with the core schema's types only."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - PyYAML's own attribute


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))


def read_frontmatter(content: bytes) -> dict[str, Any] | None:
    """The fields of a skill that keeps to the specification; None for any other."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    problems = ProblemList("")
    block = split_frontmatter(text, problems).block if is_plain_utf8(content) and text.startswith("---\n") else None
    if block is None or problems.found or len(block) > MAX_FRONTMATTER_CHARS:
        return None
    try:
        parse_yaml(block)  # refuses what is too deep, too large, or refers to something else
        fields = yaml.load(block, _CoreLoader)  # noqa: S506 - a SafeLoader
        json.dumps(fields, allow_nan=False)
        if not all(map(_shows_all, _texts_of(fields))):
            return None
    except (NotYaml, yaml.YAMLError, TypeError, ValueError):
        return None
    return fields if isinstance(fields, dict) and _keeps_to_specification(fields) else None


def _texts_of(value: Any) -> Iterator[str]:
    """Every text and key in it; parse_yaml has bounded the depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts_of(key)
            yield from _texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner)


def _shows_all(text: str) -> bool:
    """Whether nothing is hidden in a value: an escape such as "\\u202e" is visible in the file alone."""
    return "\r" not in text and is_plain_utf8(text.encode())  # half a character is a ValueError


def _keeps_to_specification(fields: dict[Any, Any]) -> bool:
    name, description = fields.get("name"), fields.get("description")
    return (
        all(isinstance(key, str) for key in fields)
        and isinstance(name, str)
        and is_kebab(name)
        and len(name) <= SPEC_NAME_CHARS
        and isinstance(description, str)
        and 0 < len(description.strip()) <= SPEC_DESCRIPTION_CHARS
    )
