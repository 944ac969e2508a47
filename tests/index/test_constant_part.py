"""A manifest's `constant_part` and the rows beside it: one acceptance for every reader."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.builds.index_maker import DIM, make_manifest, make_record, make_vectors, seal

from hub_index.embedding.axon_lift import lift
from hub_index.errors import IndexCorrupt
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.records import encode_records
from hub_index.index.format.validate import check_index, open_checker
from hub_index.index.format.vectors import base_vectors
from hub_index.index.format.verify import decode_index
from hub_index.models import IndexFiles

PART = 0.2
BASE = np.frombuffer(make_vectors(3), "<f4").reshape(3, DIM)


def lifted_files(rows: Any, part: Any = PART, **changes: Any) -> IndexFiles:
    """A sealed set of three records with these rows."""
    manifest = replace(make_manifest(), dim=rows.shape[1], constant_part=part, **changes)
    skills = encode_records(make_record(id_) for id_ in "abc")
    return seal(skills, rows.astype("<f4").tobytes(), rows=3, manifest=manifest)


def test_a_lifted_index_is_accepted_and_gives_its_base_back() -> None:
    """Both the reader and the schema accept it."""
    index = check_index(lifted_files(lift(BASE, PART)))
    assert np.abs(base_vectors(index.vectors, index.manifest) - BASE).max() < 1e-6


@pytest.mark.parametrize("part", [0, 1, 0.0, 1.0, -0.2, 1.5, True, "0.2", None, [0.2]])
def test_a_part_outside_of_0_to_1_is_refused_by_reader_and_schema(part: Any) -> None:
    """The number is checked before any row is looked at."""
    values = json.loads(lifted_files(lift(BASE, PART)).manifest) | {"constant_part": part}
    with pytest.raises(IndexCorrupt, match="constant_part"):
        decode_manifest(json.dumps(values).encode())
    with pytest.raises(IndexCorrupt, match="constant_part"):
        open_checker("manifest").check(values, "here")


@pytest.mark.parametrize("changes", [{"normalize": False}, {"dim": 1, "count": None, "vector_bytes": None}])
def test_a_part_needs_unit_vectors_of_two_numbers_or_more(changes: dict[str, Any]) -> None:
    """What cannot be lowered is refused with the manifest, by reader and schema."""
    values = json.loads(lifted_files(lift(BASE, PART)).manifest) | changes
    values = {key: value for key, value in values.items() if value is not None and key != "vector_sha256"}
    with pytest.raises(IndexCorrupt, match="constant_part"):
        decode_manifest(json.dumps(values).encode())
    with pytest.raises(IndexCorrupt, match="breaks the schema"):
        open_checker("manifest").check(values, "here")


def _without() -> Any:
    return BASE


def _other_part() -> Any:
    return lift(BASE, 0.21)


def _one_row() -> Any:
    rows = lift(BASE, PART)
    rows[1] = lift(BASE, 0.3)[1]
    return rows


def _nan() -> Any:
    rows = lift(BASE, PART)
    rows[1, -1] = np.nan
    return rows


@pytest.mark.parametrize("rows", [_without, _other_part, _one_row, _nan])
def test_rows_without_the_manifests_part_are_corrupt(rows: Any) -> None:
    """Every row ends with √a, whatever its norm."""
    with pytest.raises(IndexCorrupt, match=r"row [01] .* constant_part"):
        decode_index(lifted_files(rows()))


@pytest.mark.parametrize("scale", [0.0, 0.9, 3.0])
def test_a_large_part_does_not_hide_a_base_of_another_norm(scale: float) -> None:
    """Where nearly all of a row is constant its norm says nothing of the base, which is checked by itself."""
    rows = lift(BASE, 0.9999)
    rows[2, :-1] *= scale
    with pytest.raises(IndexCorrupt, match=r"row 2 .* norm 1"):
        decode_index(lifted_files(rows, 0.9999))
