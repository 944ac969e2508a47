"""Every way in which the tests damage a small index: tables for the faults F58 to F65, and the sets that they make."""

import copy
import json
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hub_index.index.format.records import encode_records
from hub_index.models import IndexFiles
from support.builds.index_maker import make_files, make_manifest, make_parts, make_record, make_vectors, seal, unsealed

FILES, PARTS = make_files(), make_parts()
LINES = FILES.skills.splitlines(keepends=True)
TEXT_FIELDS = ("id", "path", "name", "description", "text_hash", "updated_at")

WRONG_NAMES = ["../vectors.f32", "/etc/passwd", "sub/vectors.f32", "./vectors.f32", "VECTORS.F32", "", "x", 5, None, []]
WRONG_DIMS = [0, -1, "8", True, 8.0, None, 10**9, 2**63, [], ...]
NO_NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5_000]
WRONG_VERSIONS = [3, 10**15, ..., None, 0, -1, "1", True, 1.0]
WRONG_FIELDS: list[dict[str, Any]] = [
    {"count": -1},
    {"count": True},
    {"count": "4"},
    {"count": 2**63},
    {"count": 2_000_000, "dim": 16_384, "vector_bytes": ...},
    {"count": 5},
    {"vector_bytes": 4 * 8 * 4 + 4},
    {"vector_bytes": 2**70},
    {"skills_bytes": -1},
    {"vector_sha256": "0" * 63},
    {"skills_sha256": "A" * 64},
    {"normalize": 1},
    {"normalize": ...},
    {"model_id": ""},
    {"model_id": "x\u001b[31m"},
    {"created_at": "yesterday"},
    {"created_at": "2026-01-02T03:04:05Z\n"},
    {"space": "2" * 64},
    {"text_version": "1"},
    {"generator": ["x"]},
    {"source_digest": None},
]

BAD_JSON = {
    "NaN": b'{"extra": NaN, ',
    "infinity": b'{"extra": -Infinity, ',
    "overflow": b'{"extra": 1e999, ',
    "duplicate key": b'{"id": "a", "id": "b", ',
    "duplicate key inside": b'{"extra": {"x": 1, "x": 2}, ',
    "deep list": b'{"extra": ' + b"[" * 17 + b"]" * 17 + b", ",
    "very deep list": b'{"extra": ' + b"[" * 20_000 + b"]" * 20_000 + b", ",
    "deep object": b'{"extra": ' + b'{"a":' * 17 + b"1" + b"}" * 17 + b", ",
    "long number": b'{"extra": ' + b"9" * 5_000 + b", ",
    "lone surrogate": b'{"extra": "\\ud800", ',
    "lone surrogate in a key": b'{"\\udfff": 1, ',
    "raw surrogate": b'{"extra": "\xed\xa0\x80", ',
    "not UTF-8": b'{"extra": "\xff", ',
    "BOM": b"\xef\xbb\xbf{",
    "control character": b'{"extra": "\x01", ',
    "comment": b"{ /* no */ ",
    "single quotes": b"{'extra': 1, ",
}

BAD_LINES = {
    "blank line": b"".join([LINES[0], b"\n", *LINES[1:3]]),
    "white line": b"".join([LINES[0], b"  \n", *LINES[1:3]]),
    "no last newline": FILES.skills[:-1],
    "one line more": FILES.skills + FILES.skills,
    "one line less": b"".join(LINES[:3]),
    "empty": b"",
    "duplicate id": b"".join([LINES[0], LINES[0], *LINES[2:]]),
    "unsorted": b"".join([*LINES[2:], *LINES[:2]]),
    "two objects in a line": FILES.skills.replace(b"\n", b"", 1) + LINES[0],
    "separated by U+2028": FILES.skills.replace(b"\n", "\u2028".encode(), 1) + LINES[0],
    "old Macintosh": FILES.skills.replace(b"\n", b"\r"),
    "byte order mark": b"\xef\xbb\xbf" + FILES.skills,
}

NO_TEXTS: list[Any] = [[], 7, None]
WRONG_KINDS: list[tuple[str, Any]] = [
    *((field, value) for field in TEXT_FIELDS for value in NO_TEXTS),
    *(("text_hash", value) for value in ("0" * 63, "G" * 64, "0" * 64 + "\n")),
    ("updated_at", "yesterday"),
    ("keywords", "sql"),
    ("keywords", [1]),
    ("lang", 1),
]

GOOD_PLACES = [
    ("db-advisor", "skills/db-advisor"),
    ("ann/db-advisor", "skills/ann/db-advisor"),
    ("more/x", "more/x"),
    ("x", "x"),
    ("root", "."),
    ("root", "skills/root"),
    ("--help", "skills/--help"),
    ("two words", "skills/two words"),
    ("..hidden..", "skills/..hidden.."),
    (unicodedata.normalize("NFC", "café"), "skills/" + unicodedata.normalize("NFD", "café")),
    ("workflows:w1", "workflows"),
    ("workflows:sub:W2", "workflows/sub"),
    ("workflows:sub:W2", "workflows"),
    ("commands:deploy", "commands"),
]

BAD_PLACES = [
    ("x", "/etc/x"),
    ("x", "/x"),
    ("x", "../x"),
    ("x", "skills/../x"),
    ("x", "skills/../../x"),
    ("../x", "skills/../x"),
    ("x", "skills\\x"),
    ("a\\x", "skills/a\\x"),
    ("x", "skills//x"),
    ("x", "skills/./x"),
    ("x", "skills/x/"),
    ("x", "skills/y"),
    ("x", "skills/yx"),
    ("x", "."),
    ("x", ""),
    ("", ""),
    ("", "skills/"),
    (".", "."),
    ("..", ".."),
    ("a\nb", "skills/a\nb"),
    ("a\x1b[31m", "skills/a\x1b[31m"),
    ("a\x85", "skills/a\x85"),
    ("workflows:w1", "commands"),
    ("workflows:x", "skills/workflows:x"),
    ("workflows:w1", "../workflows"),
    ("workflows:..:w1", "workflows/.."),
    ("workflows:..:w1", "workflows"),
    ("other:w1", "other"),
    ("x" * 513, "skills/" + "x" * 513),
    ("x", "y" * 1_023 + "/x"),
]

TRICKS: dict[str, Callable[[list[Any]], object]] = {
    "a path": lambda parts: parts[0]["skills"].update(file="../skills-00.jsonl"),
    "an absolute path": lambda parts: parts[1]["vectors"].update(file="/etc/passwd"),
    "another part's file": lambda parts: parts[1]["vectors"].update(file="vectors-00.f32"),
    "format 1's file": lambda parts: parts[0]["skills"].update(file="skills.jsonl"),
    "no file": lambda parts: parts[0].pop("vectors"),
    "a part short": lambda parts: parts.pop(),
    "a part twice": lambda parts: parts.append(parts[0]),
    "parts out of order": lambda parts: parts.reverse(),
    "no parts": lambda parts: parts.clear(),
    "one part": lambda parts: parts.__delitem__(slice(1, None)),
    "too many parts": lambda parts: parts.extend(parts * 511),
    "a text for a part": lambda parts: parts.__setitem__(0, "00"),
    "other bits": lambda parts: parts[0].update(bits="0"),
    "a negative count": lambda parts: parts[0].update(count=-1),
    "a count that is not its vectors'": lambda parts: parts[0].update(count=parts[0]["count"] + 1),
    "a true count": lambda parts: parts[0].update(count=True),
    "a huge part": lambda parts: parts[0]["skills"].update(bytes=100_000_001),
    "no digest": lambda parts: parts[0]["skills"].update(sha256="0" * 63),
}


def change_manifest(**changes: Any) -> bytes:
    """The right manifest of format 1 with other values; `...` leaves a key out."""
    found = json.loads(FILES.manifest) | changes
    return json.dumps({key: value for key, value in found.items() if value is not ...}).encode()


def change_parts(change: Callable[[list[Any]], object], **fields: Any) -> bytes:
    """The right manifest with its list of parts changed, and other fields."""
    manifest = copy.deepcopy(json.loads(PARTS.manifest)) | fields
    change(manifest["parts"])
    return json.dumps(manifest).encode()


def damaged_sets() -> Iterator[tuple[str, IndexFiles]]:
    """Every damaged set, by what is wrong with it."""
    for field in ("vector_file", "skills_file"):
        yield from ((f"{field} {name}", _with_manifest(**{field: name})) for name in WRONG_NAMES)
    yield from ((f"dim {dim}", _with_manifest(dim=dim)) for dim in WRONG_DIMS)
    yield from ((f"version {version}", _with_manifest(index_version=version)) for version in WRONG_VERSIONS)
    yield from ((f"fields {changes}", _with_manifest(**changes)) for changes in WRONG_FIELDS)
    for number in NO_NUMBERS:
        manifest = change_manifest(dim=424242).replace(b"424242", number.encode())
        yield f"dim {number[:9]}", replace(FILES, manifest=manifest)
    for name, change in TRICKS.items():
        yield f"parts: {name}", replace(PARTS, manifest=change_parts(change))
    yield from _damaged_records()
    yield from _damaged_bytes()


def _with_manifest(**changes: Any) -> IndexFiles:
    return replace(FILES, manifest=change_manifest(**changes))


def _damaged_records() -> Iterator[tuple[str, IndexFiles]]:
    rest = b"".join(LINES[2:])
    for name, opening in BAD_JSON.items():
        yield f"manifest: {name}", replace(FILES, manifest=opening + FILES.manifest[1:])
        yield f"record: {name}", seal(LINES[0] + opening + LINES[1][1:] + rest, FILES.vectors)
    for name, data in BAD_LINES.items():
        yield f"lines: {name}", seal(data, FILES.vectors)
        yield f"lines of another writer: {name}", replace(unsealed(FILES), skills=data)
    for field, value in WRONG_KINDS:
        line = json.dumps(json.loads(LINES[3]) | {field: value}).encode() + b"\n"
        yield f"{field} {value}", seal(b"".join(LINES[:3]) + line, FILES.vectors)
    for id_, path in BAD_PLACES:
        yield f"place {id_[:20]!r} {path[:20]!r}", seal(encode_records([make_record(id_, path=path)]), make_vectors(1))


def _damaged_bytes() -> Iterator[tuple[str, IndexFiles]]:
    for files in (FILES, unsealed(FILES)):
        for name in ("skills", "vectors"):
            data: bytes = getattr(files, name)
            for change in (data[:-4], data[:-3], data[:-1], data + b"\n", data + b"\n" * 3, data + b"\n" * 4, b""):
                yield f"{name} of {len(change)} bytes", replace(files, **{name: change})  # type: ignore[arg-type]
    for scale in (0.0, 0.99, 1.0011, 1.01, 100.0, 1e30, float("nan"), float("inf")):
        yield f"norm {scale}", seal(FILES.skills, make_vectors(4, scale=scale))
        plain = replace(make_manifest(), normalize=False)
        yield f"norm {scale}, nothing promised", seal(FILES.skills, make_vectors(4, scale=scale), manifest=plain)


def write_raw(folder: Path, files: IndexFiles) -> Path:
    """The files as they are: no writer of ours would let them pass."""
    folder.mkdir(exist_ok=True)
    contents: dict[str, object] = {"index_manifest.json": files.manifest}
    if not files.parts:
        contents |= {"skills.jsonl": files.skills, "vectors.f32": files.vectors}
    for number, part in enumerate(files.parts):
        contents |= {f"skills-{number:02b}.jsonl": part.skills, f"vectors-{number:02b}.f32": part.vectors}
    for name, data in contents.items():
        if isinstance(data, bytes):
            (folder / name).write_bytes(data)
    return folder
