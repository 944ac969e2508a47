"""Files that are missing, no files, or not those that the manifest names; lines and rows that are wrong."""

import math
import struct
from collections.abc import Iterator

from schemas.conformance.case import RECORDS, ROWS, SMALL, Case, make_case, spell, spelled, with_record
from schemas.conformance.small_indexes import (
    INDEXES,
    MANIFEST,
    encode_lines,
    encode_rows,
    make_record,
    make_rows,
    sealed,
)

SKILLS, VECTORS = "skills.jsonl", "vectors.f32"


def file_cases() -> Iterator[Case]:
    """Files that are missing, of another kind, of another size or of other bytes."""
    files = SMALL.files()
    yield make_case("file-manifest-missing", "missing", {MANIFEST: None})
    for name in (MANIFEST, SKILLS, VECTORS):
        records = "good" if name == VECTORS else "corrupt"
        short = name.partition(".")[0]
        if name != MANIFEST:
            yield make_case(f"file-{short}-missing", "corrupt", {name: None}, records=records)
        yield make_case(
            f"file-{short}-link",
            "corrupt",
            {name: {"link": f"kept-{name}"}, f"kept-{name}": spell(files[name])},
            records=records,
        )
        yield make_case(f"file-{short}-folder", "corrupt", {name: {"folder": True}}, records=records)
        yield make_case(f"file-{short}-empty", "corrupt", {name: ""}, records=records)
    for index in ("small", "other-writer"):
        for name in (SKILLS, VECTORS):
            data = INDEXES[index].files()[name]
            # without a count only the vectors tell that records are missing
            records = "good" if name == VECTORS else "corrupt"
            changes = {"1-short": data[:-1], "4-short": data[:-4], "1-long": data + b"\n", "4-long": data + b"\n" * 4}
            for how, content in changes.items():
                yield make_case(
                    f"file-{index}-{name}-{how}", "corrupt", {name: spell(content)}, index=index, records=records
                )
    for name in (SKILLS, VECTORS):
        flipped = files[name][:9] + bytes([files[name][9] ^ 1]) + files[name][10:]
        records = "good" if name == VECTORS else "corrupt"
        yield make_case(f"file-{name}-flipped", "corrupt", {name: spell(flipped)}, records=records)
    lines = encode_lines([RECORDS[1], RECORDS[0], RECORDS[2]])
    yield make_case("file-lines-exchanged", "corrupt", {SKILLS: spell(lines)})
    rows = encode_rows([SMALL.rows[1], SMALL.rows[0], SMALL.rows[2]])
    yield make_case("file-rows-exchanged", "corrupt", {VECTORS: spell(rows)}, records="good")
    fewer = spell(encode_lines(RECORDS[:2]))
    yield make_case("file-other-writer-fewer-lines", "corrupt", {SKILLS: fewer}, index="other-writer", records="good")


def line_cases() -> Iterator[Case]:
    """Files of records that are no lines, or not in order, under right digests."""
    lines = [encode_lines([record]) for record in RECORDS]
    whole = b"".join(lines)
    wrong = {
        "blank": lines[0] + b"\n" + lines[1],
        "white": lines[0] + b"  \n" + lines[1],
        "no-last-line-feed": whole[:-1],
        "one-more": whole + lines[2],
        "one-fewer": lines[0] + lines[1],
        "none": b"",
        "id-twice": lines[0] + lines[0] + lines[2],
        "unsorted": lines[2] + lines[0] + lines[1],
        "two-objects": whole.replace(b"\n", b"", 1) + lines[0],
        "line-separator": whole.replace(b"\n", "\u2028".encode(), 1) + lines[0],
        "carriage-returns": whole.replace(b"\n", b"\r"),
        "crlf": whole.replace(b"\n", b"\r\n"),
        "byte-order-mark": b"\xef\xbb\xbf" + whole,
    }
    for name, skills in wrong.items():
        yield make_case(f"lines-{name}", "corrupt", spelled(sealed(skills, ROWS)))
    padding = 65_535 - len(lines[2] + b',"padding":""')
    for name, extra, verdict in (("longest", 0, "good"), ("too-long", 1, "corrupt")):
        line = lines[2][:-2] + b',"padding":"' + b"x" * (padding + extra) + b'"}\n'
        yield make_case(f"lines-{name}", verdict, spelled(sealed(lines[0] + lines[1] + line, ROWS)))
    described = make_record("d", "one\u2028two\u2029three\nfour")
    yield make_case("lines-separators-inside-a-text", "good", with_record(described))
    ids = ["\ue000", "\U0001f600"]  # code points, not UTF-16 units, order the ids
    two = encode_lines([make_record(id_) for id_ in ids])
    yield make_case("lines-order-of-code-points", "good", spelled(sealed(two, encode_rows(make_rows(2)))))
    reverse = encode_lines([make_record(id_) for id_ in reversed(ids)])
    yield make_case("lines-order-of-utf-16", "corrupt", spelled(sealed(reverse, encode_rows(make_rows(2)))))


def row_cases() -> Iterator[Case]:
    """Rows that are not of norm 1, not finite or without their constant part, under right digests."""
    skills = encode_lines(RECORDS)
    for scale, verdict in (
        (0.0, "corrupt"),
        (0.99, "corrupt"),
        (1.0011, "corrupt"),
        (1.0009, "good"),
        (1e30, "corrupt"),
    ):
        files = spelled(sealed(skills, encode_rows(make_rows(3, scale=scale))))
        yield make_case(f"rows-of-norm-{scale}", verdict, files, records="good")
    for name, number in (("nan", math.nan), ("inf", math.inf), ("minus-inf", -math.inf)):
        for is_normal in (True, False):
            vectors = bytearray(ROWS)
            struct.pack_into("<f", vectors, 24, number)
            if math.isnan(number):
                vectors[24:28] = b"\0\0\xc0\x7f"
            files = spelled(sealed(skills, bytes(vectors), normalize=is_normal))
            kind = "normal" if is_normal else "plain"
            yield make_case(f"rows-{name}-{kind}", "corrupt", files, records="good")
    large = struct.pack("<12f", *[3e38] * 12)
    yield make_case("rows-largest-numbers", "good", spelled(sealed(skills, large, normalize=False)))
    lifted = INDEXES["lifted"]
    for name, rows in (
        ("wrong-last-number", _last(lifted.rows, 0.3)),
        ("nan-as-last-number", _last(lifted.rows, math.nan)),
    ):
        data = encode_rows(rows)
        values = sealed(encode_lines(lifted.records), data, dim=5, count=3, constant_part=0.04)
        yield make_case(f"rows-lifted-{name}", "corrupt", spelled(values), records="good")
    long_base = [[*(number * 1.01 for number in row[:4]), row[4]] for row in lifted.rows]
    values = sealed(encode_lines(lifted.records), encode_rows(long_base), dim=5, count=3, constant_part=0.04)
    yield make_case("rows-lifted-long-base", "corrupt", spelled(values), records="good")


def _last(rows: list[list[float]], number: float) -> list[list[float]]:
    return [*rows[:-1], [*rows[-1][:-1], number]]
