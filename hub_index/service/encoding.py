"""The service's answers as JSON values: one encoding for `--json`, HTTP, JSON-RPC and MCP.

Results have theirs in `search/results.py`. Fields may be added, none is renamed or removed.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.service.answers import HubStatus, ServiceStatus, SkillEntry, SkillList, SkillText


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
