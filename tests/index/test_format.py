"""The bytes of the three files: exact, repeatable, and read back as they were written."""

import json
import struct
from dataclasses import replace
from typing import Any

import numpy as np
from support.builds.index_maker import DIM, make_files, make_manifest, make_record, seal

from hub_index.index.format.manifest import decode_manifest, encode_manifest
from hub_index.index.format.records import decode_records, encode_records
from hub_index.index.format.validate import check_index
from hub_index.index.format.vectors import encode_vectors
from hub_index.index.format.verify import decode_index
from hub_index.record import Record


def test_the_manifests_bytes() -> None:
    """Keys in the format's order, two spaces, a final line feed; what is unknown is left out."""
    data = encode_manifest(replace(make_manifest(), generator="程序 1", text_version=None, count=0))
    expected = (
        '{\n  "index_version": 1,\n  "created_at": "2026-01-02T03:04:05Z",\n'
        f'  "hub_revision": "{"0" * 40}",\n  "model_id": "local:usem3",\n  "dim": 8,\n  "normalize": true,\n'
        '  "vector_file": "vectors.f32",\n  "skills_file": "skills.jsonl",\n  "count": 0,\n'
        f'  "source_digest": "sha256:{"1" * 64}",\n  "space": "sha256:{"2" * 64}",\n  "generator": "程序 1"\n}}\n'
    )
    assert data.decode() == expected


def test_a_manifest_comes_back_as_it_was() -> None:
    """Decoding undoes encoding, with all optional fields and with none."""
    full = decode_manifest(make_files().manifest)
    assert full.count == 4
    for manifest in (full, replace(make_manifest(), source_digest=None, space=None, text_version=None, generator=None)):
        assert decode_manifest(encode_manifest(manifest)) == manifest


def test_no_key_of_ours_differs_from_another_only_in_case() -> None:
    """The Axon client matches keys without regard to case: `Dim` beside `dim` would break it."""
    keys = json.loads(make_files().manifest).keys()
    assert len({key.casefold() for key in keys}) == len(keys)


def test_a_records_bytes() -> None:
    """Keys in a fixed order, no spaces, UTF-8 as it is, empty additions left out."""
    record = Record("a", "skills/a", "A", '说 "x"\n', "0" * 64, "2026-01-02T03:04:05Z")
    line = f'{{"id":"a","path":"skills/a","name":"A","description":"说 \\"x\\"\\n","text_hash":"{"0" * 64}",'
    assert encode_records([record]).decode() == line + '"updated_at":"2026-01-02T03:04:05Z"}\n'
    more = record.replace(keywords=("x", "y"), lang="zh")
    assert (
        encode_records([more]).decode()
        == line + '"updated_at":"2026-01-02T03:04:05Z","keywords":["x","y"],"lang":"zh"}\n'
    )


def test_records_come_back_as_they_were() -> None:
    """Decoding undoes encoding, in the order of code points; unknown keys are passed over."""
    records = tuple(make_record(id_) for id_ in ("A", "a", "b/c", "é", "数据", "😀"))
    assert decode_records(encode_records(records), 6) == records
    with_more = encode_records(records).replace(b'{"id"', b'{"stars":5,"id"')
    assert decode_records(with_more, 6) == records


def test_vectors_are_little_endian_float32_row_by_row() -> None:
    """Any matrix gives the same bytes, whatever its layout, type or byte order in memory."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = struct.pack("<6f", *range(6))
    forms: list[Any] = [matrix, np.asfortranarray(matrix), matrix.astype(">f4"), matrix.astype(np.float64)]
    for form in forms:
        assert encode_vectors(form) == expected


def test_an_empty_index_is_valid() -> None:
    """A hub without skills has an index of count 0 that keeps its dimension."""
    files = seal(b"", b"")
    index = check_index(files)
    assert index.records == ()
    assert (index.manifest.count, index.manifest.dim) == (0, DIM)


def test_a_right_index_is_decoded_row_by_row() -> None:
    """Record i stands beside vector i."""
    index = decode_index(make_files())
    assert [record.id for record in index.records] == ["ann/db", "ppt-maker", "sql-explain", "数据"]
    assert len(index.vectors) == 4 * DIM * 4
