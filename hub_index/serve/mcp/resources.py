"""Plain resources: every skill's file by its uri, a template for all of them, and completion of its arguments."""

import base64
from dataclasses import dataclass
from typing import Any

from mcp.types import (
    BlobResourceContents,
    Completion,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from hub_index.base.characters import is_plain_utf8, quote_line
from hub_index.serve.mcp.skills_extension import TTL_MS, mime_type_of
from hub_index.service.reading.raw_files import find_raw_skill, read_raw_file, say_raw_difference
from hub_index.service.requests import Deadline, ListRequest
from hub_index.service.service import Service

TEMPLATE = "skill://{hub}/{+path}"
NOTICES = "hub-index/notices"  # in `_meta` of a resource: what else a reader should know of it
_PAGE = 200
_MAX_COMPLETIONS = 100  # as the protocol allows
_MAX_KNOWN = 50_000  # paths that are kept for completion


def list_resources(service: Service, cursor: str) -> ListResourcesResult:
    """A page of skills, workflows and commands. Raises ConfigError."""
    page = service.list(ListRequest(limit=_PAGE, cursor=cursor))
    resources = [
        Resource(
            uri=entry.uri,
            name=quote_line(entry.record.name or entry.record.id),
            description=quote_line(entry.record.description),
            mime_type="text/markdown",
        )
        for entry in page.skills
    ]
    return ListResourcesResult(resources=resources, next_cursor=page.next_cursor or None, ttl_ms=TTL_MS)


def list_templates() -> ListResourceTemplatesResult:
    """The one template."""
    about = "A skill's own file or one beside it; hub and path as find_skills gives them."
    template = ResourceTemplate(uri_template=TEMPLATE, name="skill", description=about)
    return ListResourceTemplatesResult(resource_templates=[template], ttl_ms=TTL_MS)


def read_resource(service: Service, uri: str, deadline: Deadline | None = None) -> ReadResourceResult:
    """A file, byte for byte: as text if nothing is hidden in it, else as a blob.

    Raises SkillUnknown, AnswerStopped.
    """
    skill = find_raw_skill(service, uri, deadline)
    content = read_raw_file(skill)
    named: dict[str, Any] = {"uri": uri, "mime_type": mime_type_of(skill.file)}
    part: TextResourceContents | BlobResourceContents
    if _is_plain(content):
        part = TextResourceContents(text=content.decode(), **named)
    else:
        part = BlobResourceContents(blob=base64.b64encode(content).decode("ascii"), **named)
    notices = say_raw_difference(skill, content)
    return ReadResourceResult(contents=[part], ttl_ms=TTL_MS, _meta={NOTICES: list(notices)} if notices else None)


@dataclass(frozen=True, slots=True)
class _KnownSkill:
    """The values that fill the template."""

    hub: str
    id: str
    path: str

    def begins_so(self, typed: str) -> bool:
        """True if `typed` begins the skill's path, or its id in an earlier answer."""
        return self.path.startswith(typed) or self.id.startswith(typed)


class Completions:
    """The paths of all hubs, read again when a hub changes."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._digest = ""
        self._known: list[_KnownSkill] = []

    def complete(self, argument: str, typed: str, hub: str) -> Completion:
        """The values of the template's argument that begin with `typed`."""
        if argument == "hub":
            values = [each.name for each in self._service.hubs if each.name.startswith(typed)]
        elif argument == "path":
            self._refresh()
            values = [each.path for each in self._known if each.begins_so(typed) and hub in ("", each.hub)]
        else:
            values = []
        return Completion(values=values[:_MAX_COMPLETIONS], total=len(values), has_more=len(values) > _MAX_COMPLETIONS)

    def _refresh(self) -> None:
        digest = self._service.hubs_digest()
        if digest == self._digest:
            return
        skills: list[_KnownSkill] = []
        cursor = ""
        while len(skills) < _MAX_KNOWN:
            page = self._service.list(ListRequest(limit=1_000, cursor=cursor))
            skills.extend(_KnownSkill(entry.hub, entry.record.id, entry.uri.split("/", 3)[3]) for entry in page.skills)
            cursor = page.next_cursor
            if not cursor:
                break
        self._known, self._digest = skills, digest


def _is_plain(content: bytes) -> bool:
    try:
        return is_plain_utf8(content)
    except UnicodeDecodeError:
        return False
