"""The right indexes of the conformance cases, as values and as the bytes of their files."""

import json
import math
import struct
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

MODEL, SPACE, TIME = "local:example", "sha256:" + "2" * 64, "2026-01-02T03:04:05Z"
MANIFEST = "index_manifest.json"


def make_record(id_: str, description: str = "Does something useful.", **fields: Any) -> dict[str, Any]:
    """A record with a path that fits its id."""
    record = {"id": id_, "path": f"skills/{id_}", "name": id_.rpartition("/")[2], "description": description}
    return record | {"text_hash": sha256(id_.encode()).hexdigest(), "updated_at": TIME} | fields


def encode_lines(records: list[dict[str, Any]]) -> bytes:
    """A file of records."""
    return b"".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for r in records)


def encode_manifest(values: dict[str, Any]) -> bytes:
    """A manifest; keys whose value is None are left out."""
    present = {key: value for key, value in values.items() if value is not None}
    return (json.dumps(present, ensure_ascii=False) + "\n").encode()


def make_rows(count: int, *, scale: float = 1.0, lift: float = 0.0) -> list[list[float]]:
    """Rows of four numbers and norm `scale`; with a lift five, as float32 has them."""
    rows = []
    for row in range(count):
        raw = [math.sin(1 + row * 4 + column) for column in range(4)]
        norm = math.sqrt(sum(number * number for number in raw))
        lifted = [number / norm * scale * math.sqrt(1 - lift) for number in raw] + ([math.sqrt(lift)] if lift else [])
        rows.append([struct.unpack("<f", struct.pack("<f", number))[0] for number in lifted])
    return rows


def encode_rows(rows: list[list[float]]) -> bytes:
    """A file of vectors."""
    return b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)


@dataclass(frozen=True, slots=True)
class Small:
    """A small index: sorted records, a row for each; `width` bits name a part of format 2."""

    records: list[dict[str, Any]]
    rows: list[list[float]]
    width: int = 0
    lift: float = 0.0
    normalize: bool = True
    has_facts: bool = True

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.records)

    @property
    def ids(self) -> list[str]:
        """The ids, in order."""
        return [record["id"] for record in self.records]

    def cosines(self, vector: list[float]) -> list[float]:
        """The score of each row for a vector, with or without the constant part."""
        query = vector[:4]
        norm = math.sqrt(sum(number * number for number in query))
        scale = norm if self.normalize else 1.0
        base = [[number / math.sqrt(1 - self.lift) for number in row[:4]] for row in self.rows]
        return [round(sum(a * b / scale for a, b in zip(row, query, strict=True)), 6) for row in base]

    def manifest(self) -> dict[str, Any]:
        """The manifest's values."""
        head = {
            "index_version": 2 if self.width else 1,
            "created_at": TIME,
            "hub_revision": "0" * 40,
            "model_id": MODEL,
            "dim": 5 if self.lift else 4,
            "normalize": self.normalize,
        }
        tail = {"space": SPACE, "constant_part": self.lift or None}
        if self.width:
            return (
                head
                | {"count": self.count}
                | tail
                | {"parts": [self._facts(number) for number in range(1 << self.width)]}
            )
        skills, vectors = encode_lines(self.records), encode_rows(self.rows)
        facts = {"count": self.count, "vector_bytes": len(vectors), "vector_sha256": sha256(vectors).hexdigest()}
        facts |= {"skills_bytes": len(skills), "skills_sha256": sha256(skills).hexdigest()}
        names = {"vector_file": "vectors.f32", "skills_file": "skills.jsonl"}
        return head | names | (facts if self.has_facts else {}) | tail

    def files(self) -> dict[str, bytes]:
        """The bytes of every file by its name."""
        if not self.width:
            contents = {"skills.jsonl": encode_lines(self.records), "vectors.f32": encode_rows(self.rows)}
        else:
            contents = {}
            for number in range(1 << self.width):
                skills, vectors = self._part(number)
                bits = f"{number:0{self.width}b}"
                contents |= {f"skills-{bits}.jsonl": skills, f"vectors-{bits}.f32": vectors}
        return {MANIFEST: encode_manifest(self.manifest()), **contents}

    def _part(self, number: int) -> tuple[bytes, bytes]:
        chosen = [row for row, id_ in enumerate(self.ids) if part_of(id_, self.width) == number]
        return encode_lines([self.records[row] for row in chosen]), encode_rows([self.rows[row] for row in chosen])

    def _facts(self, number: int) -> dict[str, Any]:
        bits, (skills, vectors) = f"{number:0{self.width}b}", self._part(number)
        files = {
            kind: {"file": name, "bytes": len(data), "sha256": sha256(data).hexdigest()}
            for kind, name, data in (
                ("skills", f"skills-{bits}.jsonl", skills),
                ("vectors", f"vectors-{bits}.f32", vectors),
            )
        }
        return {"bits": bits, "count": skills.count(b"\n"), **files}


def part_of(id_: str, width: int) -> int:
    """The number of an id's part."""
    bits = "".join(f"{byte:08b}" for byte in sha256(id_.encode()).digest())
    return int(bits[:width], 2)


_WORDS = [
    make_record("ann/db-advisor", "Analyze slow queries and index usage of a database.", keywords=["sql", "数据库"]),
    make_record("cafe", "Café résumés, naïve and plain.", lang="en"),
    make_record("commands:deploy", "Ships a release.", path="commands", name="deploy"),
    make_record("root", "A skill at the root of the hub.", path="."),
    make_record("slide-deck", "Make slides for a talk.\nPowerPoint or PDF.", keywords=["ppt", "slides", "slides"]),
    make_record("sql-one", "Explains SQL."),
    make_record("sql-two", "Explains SQL.", name="sql-one"),
    make_record("workflows:team:Start", "First week.", path="workflows/team", name="start"),
    make_record("データベース", "データベースの設計を手伝います。", lang="ja"),
    make_record("演示", "制作演示文稿（PPT、幻灯片）。", lang="zh", note={"later": [1, 2.5, None]}),
]
_WORDS.sort(key=lambda record: record["id"])
_SMALL = [make_record("a"), make_record("b/c", "说明。", lang="zh"), make_record("d", keywords=["x"])]

INDEXES = {
    "words": Small(_WORDS, make_rows(len(_WORDS))),
    "parts": Small(_WORDS, make_rows(len(_WORDS)), width=2),
    "small": Small(_SMALL, make_rows(3)),
    "small-parts": Small(_SMALL, make_rows(3), width=1),
    "other-writer": Small(_SMALL, make_rows(3), has_facts=False),
    "lifted": Small(_SMALL, make_rows(3, lift=0.04), lift=0.04),
    "unscaled": Small(_SMALL, make_rows(3, scale=7.0), normalize=False),
    "empty": Small([], []),
}


def sealed(skills: bytes, vectors: bytes, **changes: Any) -> dict[str, bytes]:
    """The files of an index of format 1 whose manifest tells the truth about these bytes, but for the changes."""
    values = INDEXES["small"].manifest()
    values |= {"count": len(vectors) // 16, "vector_bytes": len(vectors), "skills_bytes": len(skills)}
    values |= {"vector_sha256": sha256(vectors).hexdigest(), "skills_sha256": sha256(skills).hexdigest()} | changes
    return {MANIFEST: encode_manifest(values), "skills.jsonl": skills, "vectors.f32": vectors}
