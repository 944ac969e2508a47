"""Manifests of format 1 that are wrong, or look so: their fields, and bytes that are no JSON."""

from collections.abc import Iterator
from typing import Any

from schemas.conformance.case import SMALL, Case, changed, make_case, spell
from schemas.conformance.small_indexes import INDEXES, MANIFEST, encode_manifest

_WRONG_FIELDS: dict[str, tuple[Any, ...]] = {
    "vector_file": ("../vectors.f32", "/etc/passwd", "sub/vectors.f32", "./vectors.f32", "VECTORS.F32", "", 5, []),
    "skills_file": ("../skills.jsonl", "skills.jsonl/", "index_manifest.json"),
    "dim": (0, -1, "4", True, 4.0, 10**9, 2**63, [], 16_385, 5),
    "count": (-1, True, "3", 2**63, 4, 2, 3.0),
    "vector_bytes": (52, 2**70, -1, 48.0),
    "skills_bytes": (-1, 2**33, 1, True),
    "vector_sha256": ("0" * 63, "A" * 64, 7),
    "skills_sha256": ("0" * 63, "0" * 64, "A" * 64),
    "normalize": (1, "true"),
    "model_id": ("", ":", "local:", ":x", "plain", "x:\x1b[31m", "x:\n", "x:" + "y" * 1_023, 7),
    "created_at": (
        "yesterday",
        "2026-01-02T03:04:05Z\n",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-02T24:00:00Z",
        "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:05",
        "٢٠٢٦-01-02T03:04:05Z",
        7,
    ),
    "hub_revision": ("", "-x", "a..b", "a b", "a~b", "a\u200bb", "a\u3000b", "a\ue000b", "x" * 1_025, 7),
    "space": ("2" * 64, "sha256:" + "2" * 63),
    "source_digest": ("sha256:" + "G" * 64, 7),
    "text_version": ("1", -1, 1.0, 10**6 + 1),
    "generator": (["x"], "x\x00", "x\u202e", "y" * 1_025),
    "shallow": (1, "no"),
    "constant_part": (0.0, 1.0, 1, "0.04", True, -0.5),
    "index_version": (0, -1, "1", True, 1.0),
}
_RIGHT_FIELDS: dict[str, tuple[Any, ...]] = {
    "created_at": ("2024-02-29t23:59:59.123456789+01:30", "2000-02-29T00:00:00z"),
    "hub_revision": ("v1.0/版本", "x" * 1_024),
    "model_id": ("a:b:c", "x:" + "y" * 1_022),
    "text_version": (0, 10**6),
    "generator": ("", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 1.0", "zero\u200bwidth"),
    "shallow": (True, False),
    "note": ("an unknown key", [1, {"a": 2.5}]),
    "Dim": (7,),
}
_REQUIRED = (
    "index_version",
    "created_at",
    "hub_revision",
    "model_id",
    "dim",
    "normalize",
    "vector_file",
    "skills_file",
)


def manifest_cases() -> Iterator[Case]:
    """Every field, versions, sizes and the constant part."""
    for key, values in _WRONG_FIELDS.items():
        for number, value in enumerate(values):
            yield make_case(f"manifest-{key}-{number}", "corrupt", changed(**{key: value}))
    for key, values in _RIGHT_FIELDS.items():
        for number, value in enumerate(values):
            yield make_case(f"manifest-{key}-right-{number}", "good", changed(**{key: value}))
    yield from _missing_fields()
    yield from _sizes()
    yield from _lifted()


def _missing_fields() -> Iterator[Case]:
    for key in _REQUIRED:
        yield make_case(f"manifest-{key}-missing", "corrupt", changed(**{key: None}))
    for key in ("space", "count"):
        yield make_case(f"manifest-{key}-missing", "good", changed(**{key: None}))
    for kind in ("vector", "skills"):
        yield make_case(f"manifest-{kind}-digest-alone", "corrupt", changed(**{f"{kind}_bytes": None}))
        yield make_case(f"manifest-{kind}-bytes-alone", "good", changed(**{f"{kind}_sha256": None}))


def _sizes() -> Iterator[Case]:
    for number, version in enumerate((3, 10**15)):
        later = changed(index_version=version, dim="many", skills_file="skills.v3")
        yield make_case(f"manifest-later-{number}", "too-new", later)
    other = changed(vector_sha256="0" * 64)
    yield make_case("manifest-vector-digest-of-other-bytes", "corrupt", other, records="good")
    huge = changed(count=2_000_000, dim=16_384, vector_bytes=None, vector_sha256=None)
    yield make_case("manifest-huge-product", "corrupt", huge)
    beyond = {"count": 2_000_000, "dim": 2_000, "vector_bytes": 16_000_000_000, "skills_bytes": 2**32}
    yield make_case("manifest-announces-16-gb", "corrupt", changed(**beyond))
    text = encode_manifest(SMALL.manifest()).decode()
    for name, size, verdict in (("at-its-cap", 65_536, "good"), ("over-its-cap", 65_537, "corrupt")):
        yield make_case(f"manifest-{name}", verdict, {MANIFEST: spell(text.ljust(size).encode())})


def _lifted() -> Iterator[Case]:
    lifted = INDEXES["lifted"].manifest()
    for name, changes in (("of-dim-1", {"dim": 1}), ("without-normalize", {"normalize": False})):
        other = {MANIFEST: spell(encode_manifest(lifted | changes))}
        yield make_case(f"constant-part-{name}", "corrupt", other, index="lifted")
    other = {MANIFEST: spell(encode_manifest(lifted | {"constant_part": 0.05}))}
    yield make_case("constant-part-of-another-model", "corrupt", other, index="lifted", records="good")
