"""Format 2 as bytes: where a skill goes, when parts split, and one order of rows for every reader."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from support.builds.index_maker import DIM, PART_IDS, make_files, make_manifest, make_parts, make_record

from hub_index.errors import ConfigError
from hub_index.hub.config import parse_config
from hub_index.index.folder.reading import map_index, read_digests_ok, read_files, read_skills
from hub_index.index.folder.verification import verify_folder
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.format import parts as parts_module
from hub_index.index.format.format_choice import IndexSizes, choose_format
from hub_index.index.format.manifest import decode_manifest, encode_manifest, redate_manifest
from hub_index.index.format.parts import choose_width, is_part_name, part_number, skills_digest, vectors_digest
from hub_index.index.format.validate import check_index
from hub_index.index.format.verify import check_digests, decode_index
from hub_index.limits import MAX_GIT_FILE_BYTES
from hub_index.record import Record

WHOLE = make_files(PART_IDS)
PARTS = make_parts()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index folder in parts."""
    place = tmp_path / "search"
    with lock_folder(place):
        write_files(place, PARTS)
    return place


@pytest.mark.parametrize("width", [1, 2, 7, 10])
def test_a_part_is_the_first_bits_of_the_digest_of_the_id(width: int) -> None:
    """Whoever knows an id can tell its part without asking us."""
    for id_ in (*PART_IDS, "数据/分析"):
        bits = "".join(f"{byte:08b}" for byte in sha256(id_.encode()).digest())[:width]
        assert part_number(id_, width) == int(bits, 2)


def test_the_folder_has_neither_of_format_1s_files(folder: Path) -> None:
    """The Axon client does not look at index_version: it must find nothing that it could take for an index."""
    names = [f"{kind}-{bits}.{end}" for kind, end in (("skills", "jsonl"), ("vectors", "f32")) for bits in _BITS]
    assert sorted(path.name for path in folder.iterdir()) == sorted([".gitattributes", "index_manifest.json", *names])
    manifest = json.loads((folder / "index_manifest.json").read_bytes())
    assert manifest["index_version"] == 2
    ours = {"vector_file", "skills_file", "vector_bytes", "vector_sha256", "skills_bytes", "skills_sha256"}
    assert not ours & {key.lower() for key in manifest}


def test_every_reader_finds_the_rows_of_format_1_in_their_order(folder: Path) -> None:
    """Records and vectors of parts are handed out sorted by id, as one file would have them."""
    assert read_skills(folder).skills == WHOLE.skills
    mapped = map_index(folder)
    assert (mapped.skills, bytes(mapped.vectors)) == (WHOLE.skills, WHOLE.vectors)
    index = decode_index(read_files(folder))
    assert (index.records, index.vectors) == (decode_index(WHOLE).records, WHOLE.vectors)
    assert read_digests_ok(folder).count == verify_folder(folder, with_schemas=True).rows == len(PART_IDS)


def test_rows_are_taken_from_any_part_in_any_order(folder: Path) -> None:
    """A few rows are gathered without the whole matrix."""
    rows = decode_index(read_files(folder)).rows
    wanted = [11, 0, 7, 7, 3]
    expected = np.frombuffer(WHOLE.vectors, "<f4").reshape(-1, DIM)[wanted]
    assert np.array_equal(rows.take(wanted), expected)


def test_the_schema_and_the_reader_accept_what_we_write() -> None:
    """A manifest of parts passes both, and is the same after a round."""
    check_index(PARTS)
    assert check_digests(PARTS) == decode_manifest(PARTS.manifest)
    assert encode_manifest(decode_manifest(PARTS.manifest)) == PARTS.manifest


def test_another_time_changes_one_line_of_the_manifest() -> None:
    """A rollback gives an old index a new time and leaves its parts alone."""
    again = redate_manifest(PARTS.manifest, "2031-05-06T07:08:09Z")
    changed = [pair for pair in zip(PARTS.manifest.split(b"\n"), again.split(b"\n"), strict=True) if pair[0] != pair[1]]
    assert [pair[1] for pair in changed] == [b'  "created_at": "2031-05-06T07:08:09Z",']


def test_digests_name_records_and_vectors() -> None:
    """What readers keep their caches by changes with the records, and with the vectors alone too."""
    one, other = decode_manifest(PARTS.manifest), decode_manifest(make_parts(PART_IDS[1:]).manifest)
    assert skills_digest(one) != skills_digest(other)
    assert vectors_digest(one) != vectors_digest(other)
    assert skills_digest(decode_manifest(WHOLE.manifest)) == decode_manifest(WHOLE.manifest).skills_sha256


def test_parts_split_when_the_largest_is_too_large_and_never_join_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides of the limit; a previous index with more parts keeps their number."""
    records: list[Record] = [make_record(f"skill-{number:04}") for number in range(400)]
    sizes, stride = [100] * len(records), DIM * 4
    assert choose_width(records, sizes, stride, None) == 1
    counts = [sum(part_number(record.id, 1) == bit for record in records) for bit in (0, 1)]
    monkeypatch.setattr(parts_module, "PART_BYTES", max(counts) * 100)
    assert choose_width(records, sizes, stride, None) == 1
    monkeypatch.setattr(parts_module, "PART_BYTES", max(counts) * 100 - 1)
    assert choose_width(records, sizes, stride, None) == 2
    assert choose_width(records, sizes, stride, decode_manifest(make_parts(width=5).manifest)) == 5
    monkeypatch.setattr(parts_module, "PART_BYTES", 1)
    assert choose_width(records, sizes, stride, None) == 10


@pytest.mark.parametrize(
    ("vectors", "skills", "configured", "expected"),
    [
        (MAX_GIT_FILE_BYTES, 1, None, 1),
        (MAX_GIT_FILE_BYTES + 1, 1, None, 2),
        (1, MAX_GIT_FILE_BYTES + 1, None, 2),
        (1, 1, 2, 2),
        (MAX_GIT_FILE_BYTES + 1, 1, 1, 1),
    ],
)
def test_size_chooses_the_format_unless_the_hub_does(
    vectors: int, skills: int, configured: int | None, expected: int
) -> None:
    """Format 1 up to what GitHub takes."""
    assert choose_format(IndexSizes(vectors, skills), make_manifest(), configured) == expected


def test_an_index_in_parts_stays_in_parts() -> None:
    """However small it gets, until the hub says `format = 1`: no day changes its format."""
    previous = decode_manifest(PARTS.manifest)
    assert choose_format(IndexSizes(1, 1), previous, None) == 2
    assert choose_format(IndexSizes(1, 1), previous, 1) == 1


@pytest.mark.parametrize("value", ["0", "3", "true", '"2"', "2.0"])
def test_a_hub_chooses_1_or_2(value: str) -> None:
    """Anything else is refused with what to write."""
    with pytest.raises(ConfigError, match=r"format is not 1 or 2: write format = 2"):
        parse_config(f"format = {value}".encode())


@pytest.mark.parametrize(
    "name", ["vectors-.f32", "vectors-2.f32", "skills-0.f32", "skills-00000000000.jsonl", "skills-0.jsonl ", "x-0.f32"]
)
def test_other_names_are_not_parts(name: str) -> None:
    """Somebody's file of a similar name is theirs."""
    assert not is_part_name(name)


_BITS = ("00", "01", "10", "11")
