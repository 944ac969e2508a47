"""The answers of the service besides search results: frozen values that know nothing of a door.

Their JSON values stand here too: one encoding for `--json`, HTTP, JSON-RPC and MCP. Results have theirs in
`search/results.py`. Fields may be added, none is renamed or removed.
"""

from dataclasses import dataclass

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from hub_index.record import Record


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a skill's text, and the lines of its section."""

    level: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A regular file of a skill's folder."""

    path: str  # from the skill's folder
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SkillText:
    """Lines of a skill's own file, or of one beside it. Lines have the file's numbers, from 1."""

    hub: str
    id: str
    uri: str
    name: str
    description: str
    path: str  # the skill's folder, from the hub's root
    file: str  # the file that was read, from the hub's root
    text: str
    start: int  # 0 if the file is empty
    end: int
    total_lines: int
    next_start: int | None = None  # where to go on when the budget ended the text
    headings: tuple[Heading, ...] = ()  # of the whole file, where it is Markdown
    files: tuple[FileEntry, ...] = ()  # of the skill's folder, where the skill itself was asked for
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """One skill of a list."""

    hub: str
    uri: str
    type: str  # skill, workflow, command or agent
    record: "Record"
    file: str


@dataclass(frozen=True, slots=True)
class SkillList:
    """A page of skills, by hub and id."""

    skills: tuple[SkillEntry, ...]
    total: int  # of all pages
    next_cursor: str = ""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HubStatus:
    """The state of one hub."""

    name: str
    folder: str  # the checkout; empty without one
    index_dir: str  # empty if the checkout's own files are searched
    state: str  # ready, words (no vectors), embedding or unusable
    reason: str = ""  # why it is not ready
    skills: int = 0
    unindexed: int = 0  # skills of the checkout that have no vector yet
    model_id: str = ""
    hub_revision: str = ""
    created_at: str = ""
    embedded: int = 0  # of a folder that is being embedded: how many texts are done, of how many
    to_embed: int = 0


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The state of the service and of each of its hubs."""

    version: str
    hubs_digest: str  # over all hubs: changes when one of them does
    hubs: tuple[HubStatus, ...]
    notices: tuple[str, ...] = ()


def encode_text(answer: "SkillText") -> dict[str, object]:
    """The answer of `read`."""
    return {
        "hub": answer.hub,
        "id": answer.id,
        "uri": answer.uri,
        "name": answer.name,
        "description": answer.description,
        "path": answer.path,
        "file": answer.file,
        "start": answer.start,
        "end": answer.end,
        "total_lines": answer.total_lines,
        "next_start": answer.next_start,
        "text": answer.text,
        "headings": [
            {"level": heading.level, "text": heading.text, "start": heading.start, "end": heading.end}
            for heading in answer.headings
        ],
        "files": [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in answer.files],
        "notices": list(answer.notices),
    }


def encode_list(answer: "SkillList") -> dict[str, object]:
    """The answer of `list`."""
    return {
        "total": answer.total,
        "next_cursor": answer.next_cursor or None,
        "notices": list(answer.notices),
        "skills": [encode_entry(entry) for entry in answer.skills],
    }


def encode_entry(entry: "SkillEntry") -> dict[str, object]:
    """One skill of a list, with the field names of a hit."""
    record = entry.record
    return {
        "hub": entry.hub,
        "id": record.id,
        "uri": entry.uri,
        "type": entry.type,
        "name": record.name,
        "path": record.path,
        "file": entry.file,
        "description": record.description,
        "lang": record.lang or None,
        "updated_at": record.updated_at or None,
        "keywords": list(record.keywords),
    }


def encode_status(answer: "ServiceStatus") -> dict[str, object]:
    """The answer of `status`."""
    return {
        "version": answer.version,
        "hubs_digest": answer.hubs_digest,
        "notices": list(answer.notices),
        "hubs": [_encode_hub(hub) for hub in answer.hubs],
    }


def _encode_hub(hub: "HubStatus") -> dict[str, object]:
    return {
        "name": hub.name,
        "folder": hub.folder or None,
        "index_dir": hub.index_dir or None,
        "state": hub.state,
        "reason": hub.reason or None,
        "skills": hub.skills,
        "unindexed": hub.unindexed,
        "model_id": hub.model_id or None,
        "hub_revision": hub.hub_revision or None,
        "created_at": hub.created_at or None,
        "embedded": hub.embedded,
        "to_embed": hub.to_embed,
    }
