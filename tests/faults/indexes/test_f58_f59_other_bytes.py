"""F58, F59 and F70: files that are not the ones which the manifest names, or not what they should be."""

import random
import struct
from dataclasses import replace

import pytest
from support.builds.index_maker import DIM, make_files, make_manifest, make_vectors, seal, unsealed

from hub_index.errors import IndexCorrupt
from hub_index.index.format.manifest import decode_manifest, encode_manifest
from hub_index.index.format.validate import check_index
from hub_index.index.format.verify import check_digests, decode_index
from hub_index.models import IndexFiles

FILES = make_files()


def _with(files: IndexFiles, name: str, data: bytes) -> IndexFiles:
    return IndexFiles(**{**{part: getattr(files, part) for part in ("manifest", "skills", "vectors")}, name: data})


@pytest.mark.parametrize("name", ["skills", "vectors"])
@pytest.mark.parametrize("change", [-4, -3, -1, 1, 3, 4, None])
@pytest.mark.parametrize("has_digests", [True, False])
def test_f58_shorter_longer_or_empty(name: str, change: int | None, has_digests: bool) -> None:
    """A file that lost or won 1, 3 or 4 bytes, or is empty, is refused, with digests and without."""
    files = FILES if has_digests else unsealed(FILES)
    data: bytes = getattr(files, name)
    longer = b"\n" * max(0, change or 0)
    data = b"" if change is None else data[: change if change < 0 else None] + longer
    with pytest.raises(IndexCorrupt):
        decode_index(_with(files, name, data))
    if has_digests:
        with pytest.raises(IndexCorrupt):
            check_digests(_with(files, name, data))


def test_f59_each_of_3000_bit_flips_is_refused() -> None:
    """One flipped bit anywhere in skills.jsonl or vectors.f32 is noticed, by the full check and by digests alone."""
    places = [("skills", bit) for bit in range(len(FILES.skills) * 8)]
    places += [("vectors", bit) for bit in range(len(FILES.vectors) * 8)]
    for name, bit in random.Random(59).sample(places, 3_000):
        data = bytearray(getattr(FILES, name))
        data[bit // 8] ^= 1 << bit % 8
        flipped = _with(FILES, name, bytes(data))
        with pytest.raises(IndexCorrupt):
            check_index(flipped)
        with pytest.raises(IndexCorrupt):
            check_digests(flipped)


def test_f59_flips_in_an_index_without_digests_never_crash_the_reader() -> None:
    """What cannot be noticed may pass, but nothing other than a refusal ever comes out."""
    bare, random_bits = unsealed(FILES), random.Random(60)
    refused = 0
    for _ in range(1_000):
        name = random_bits.choice(["manifest", "skills", "vectors"])
        data = bytearray(getattr(bare, name))
        bit = random_bits.randrange(len(data) * 8)
        data[bit // 8] ^= 1 << bit % 8
        try:
            decode_index(_with(bare, name, bytes(data)))
        except Exception as error:
            assert type(error).__name__ in {"IndexCorrupt", "IndexTooNew"}  # noqa: PT017  both may come
            refused += 1
    assert refused > 100


def test_swapped_lines_are_refused_even_under_a_new_digest() -> None:
    """Two lines in each other's place would give each skill the other's vector."""
    first, second, *rest = FILES.skills.splitlines(keepends=True)
    swapped = b"".join([second, first, *rest])
    with pytest.raises(IndexCorrupt):
        decode_index(_with(FILES, "skills", swapped))
    with pytest.raises(IndexCorrupt, match="out of order"):
        decode_index(seal(swapped, FILES.vectors))


@pytest.mark.parametrize("field", ["skills_sha256", "vector_sha256"])
def test_a_manifest_with_other_digests_is_refused(field: str) -> None:
    """A manifest of another build does not fit."""
    other = replace(decode_manifest(FILES.manifest), **{field: "0" * 64})  # type: ignore[arg-type]
    with pytest.raises(IndexCorrupt, match="not those that the manifest names"):
        check_digests(_with(FILES, "manifest", encode_manifest(other)))


@pytest.mark.parametrize("scale", [0.0, 0.99, 1.01, 100.0, 1e30])
def test_f70_rows_that_are_not_of_norm_1(scale: float) -> None:
    """normalize is a promise about every row."""
    files = seal(FILES.skills, make_vectors(4, scale=scale))
    with pytest.raises(IndexCorrupt, match="norm 1"):
        decode_index(files)


def test_f70_both_sides_of_the_tolerance() -> None:
    """A norm may be wrong by one thousandth."""
    decode_index(seal(FILES.skills, make_vectors(4, scale=1.0009)))
    decode_index(seal(FILES.skills, make_vectors(4, scale=0.9991)))
    with pytest.raises(IndexCorrupt):
        decode_index(seal(FILES.skills, make_vectors(4, scale=1.0011)))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("row", [0, 3])
def test_f70_numbers_that_are_none(value: float, normalize: bool, row: int) -> None:
    """NaN would rank first: it is refused whether or not rows are normalised, and the row is named."""
    vectors = bytearray(FILES.vectors)
    struct.pack_into("<f", vectors, (row * DIM + 5) * 4, value)
    manifest = replace(make_manifest(), normalize=normalize)
    with pytest.raises(IndexCorrupt, match=f"row {row} "):
        decode_index(seal(FILES.skills, bytes(vectors), manifest=manifest))


def test_f70_rows_of_any_norm_pass_where_nothing_is_promised() -> None:
    """Without normalize only finiteness is asked for."""
    manifest = replace(make_manifest(), normalize=False)
    assert len(decode_index(seal(FILES.skills, make_vectors(4, scale=7.0), manifest=manifest)).records) == 4
