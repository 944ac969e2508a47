"""Skills in their rows → chunks of JSON: records for lists of hits, bodies for a skill's own page.

Only the chunks of changed rows change. A hole, which a removed skill left, is null.
"""

import json
from collections.abc import Callable, Sequence

from hub_index.page.content import SkillPage

RECORD_ROWS = 64  # some 10 kB to a visitor: ten hits are at most ten of them
BODY_ROWS = 8  # some 20 kB

Rows = Sequence[SkillPage | None]


def encode_records(rows: Rows) -> list[bytes]:
    """The values of each skill in a list of hits, chunk by chunk."""
    return _chunks(rows, RECORD_ROWS, _record)


def encode_bodies(rows: Rows, *, with_text: bool = True) -> list[bytes]:
    """The values of a skill's own page alone, chunk by chunk; without its text if the whole would be too large."""
    return _chunks(rows, BODY_ROWS, lambda page: _body(page, with_text=with_text))


def encode_json(value: object) -> bytes:
    """Compact JSON, the same bytes for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _chunks(rows: Rows, size: int, encode: Callable[[SkillPage], object]) -> list[bytes]:
    values = [None if page is None else encode(page) for page in rows]
    return [encode_json(values[start : start + size]) for start in range(0, len(values), size)]


def _record(page: SkillPage) -> dict[str, object]:
    record = page.record
    return {
        "id": record.id,
        "name": record.name,
        "description": record.description,
        "keywords": list(record.keywords),
        "lang": record.lang,
        "path": record.path,
        "file": page.file,
        "updated": record.updated_at,
        "kind": page.kind,
        "problems": len(page.problems),
    }


def _body(page: SkillPage, *, with_text: bool) -> dict[str, object]:
    return {
        "text": page.body if with_text else None,
        "cut": page.is_cut,
        "files": [list(file) for file in page.files],
        "problems": [
            {"level": p.level, "line": p.line, "code": p.code, "reason": p.reason, "fix": p.fix} for p in page.problems
        ],
    }
