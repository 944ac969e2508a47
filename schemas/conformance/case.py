"""One case: a right index, the files that are others in it, and the verdict; and how JSON spells a file."""

import base64
import re
from typing import Any

from schemas.conformance.small_indexes import INDEXES, MANIFEST, encode_lines, encode_manifest, encode_rows, sealed

Case = dict[str, Any]

SMALL, PARTS = INDEXES["small"], INDEXES["small-parts"]
RECORDS, ROWS = SMALL.records, encode_rows(SMALL.rows)
_LONG_RUN = re.compile(r"(.{1,6}?)\1{99,}", re.DOTALL)


def make_case(
    name: str, verdict: str, files: dict[str, Any], *, index: str = "small", records: str | None = None
) -> Case:
    """`records` is the verdict of a reader that needs no vectors."""
    return {"name": name, "index": index, "verdict": verdict, "records": records or verdict, "files": files}


def spell(data: bytes) -> Any:
    """A file's content as JSON can have it: a text, pieces of one with how often each stands there, or base64."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}
    pieces, start = [], 0
    for run in _LONG_RUN.finditer(text):
        pieces += [[text[start : run.start()], 1], [run[1], len(run[0]) // len(run[1])]]
        start = run.end()
    return {"pieces": [*pieces, [text[start:], 1]]} if pieces else text


def spelled(files: dict[str, bytes]) -> dict[str, Any]:
    """The files that are not the small index's own."""
    own = SMALL.files()
    return {name: spell(data) for name, data in files.items() if own.get(name) != data}


def changed(**changes: Any) -> dict[str, Any]:
    """The small index's manifest with other values; None leaves a key out."""
    return {MANIFEST: spell(encode_manifest(SMALL.manifest() | changes))}


def with_record(record: dict[str, Any]) -> dict[str, Any]:
    """The small index whose last record is another."""
    return spelled(sealed(encode_lines([*RECORDS[:2], record]), ROWS))
