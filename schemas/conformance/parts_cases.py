"""Indexes of format 2 whose list of parts, or whose parts, are wrong."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from schemas.conformance.case import PARTS, SMALL, Case, make_case, spell, spelled
from schemas.conformance.small_indexes import MANIFEST, encode_manifest

_TRICKS: dict[str, Callable[[list[Any]], object]] = {
    "path": lambda parts: parts[0]["skills"].update(file="../skills-0.jsonl"),
    "absolute-path": lambda parts: parts[1]["vectors"].update(file="/etc/passwd"),
    "file-of-another-part": lambda parts: parts[1]["vectors"].update(file="vectors-0.f32"),
    "file-of-format-1": lambda parts: parts[0]["skills"].update(file="skills.jsonl"),
    "no-file": lambda parts: parts[0].pop("vectors"),
    "part-too-few": lambda parts: parts.pop(),
    "part-twice": lambda parts: parts.append(parts[0]),
    "out-of-order": lambda parts: parts.reverse(),
    "none": lambda parts: parts.clear(),
    "text-for-a-part": lambda parts: parts.__setitem__(0, "0"),
    "other-bits": lambda parts: parts[0].update(bits="00"),
    "negative-count": lambda parts: parts[0].update(count=-1),
    "wrong-count": lambda parts: parts[0].update(count=parts[0]["count"] + 1),
    "true-count": lambda parts: parts[0].update(count=True),
    "huge-part": lambda parts: parts[0]["skills"].update(bytes=100_000_001),
    "wrong-bytes": lambda parts: parts[0]["skills"].update(bytes=1),
    "no-digest": lambda parts: parts[0]["skills"].pop("sha256"),
    "short-digest": lambda parts: parts[0]["vectors"].update(sha256="0" * 63),
    "facts-no-object": lambda parts: parts[0].update(skills=[]),
}


def _parts_manifest(change: Callable[[list[Any]], object], **fields: Any) -> dict[str, Any]:
    values = json.loads(json.dumps(PARTS.manifest())) | fields
    if isinstance(values["parts"], list):
        change(values["parts"])
    return {MANIFEST: spell(encode_manifest(values))}


def _as_it_is(_: list[Any]) -> None:
    """No change of the list of parts."""


def parts_cases() -> Iterator[Case]:
    """Lists of parts, then the parts themselves."""
    for name, change in _TRICKS.items():
        yield make_case(f"parts-{name}", "corrupt", _parts_manifest(change), index="small-parts")
    whole = SMALL.manifest()
    for key in ("vector_file", "skills_file", "vector_bytes", "vector_sha256", "skills_bytes", "skills_sha256"):
        files = _parts_manifest(_as_it_is, **{key: whole[key]})
        yield make_case(f"parts-with-{key}", "corrupt", files, index="small-parts")
    for number, count in enumerate((0, 4, None, "3")):
        files = _parts_manifest(_as_it_is, count=count)
        yield make_case(f"parts-count-{number}", "corrupt", files, index="small-parts")
    values: tuple[Any, ...] = (None, {}, "01", 2)
    for number, value in enumerate(values):
        files = _parts_manifest(_as_it_is, parts=value)
        yield make_case(f"parts-list-{number}", "corrupt", files, index="small-parts")
    unknown = _parts_manifest(lambda parts: parts[0].update(note=1), note=[1])
    yield make_case("parts-unknown-keys", "good", unknown, index="small-parts")
    files = PARTS.files()
    index = "small-parts"
    for name in sorted(set(files) - {MANIFEST}):
        records = "good" if name.startswith("vectors") else "corrupt"
        yield make_case(f"parts-{name}-missing", "corrupt", {name: None}, index=index, records=records)
        flipped = files[name][:-1] + bytes([files[name][-1] ^ 1])
        flips = {name: spell(flipped)}
        yield make_case(f"parts-{name}-flipped", "corrupt", flips, index=index, records=records)
    yield make_case("parts-exchanged", "corrupt", _exchanged_parts(), index="small-parts")


def _exchanged_parts() -> dict[str, Any]:
    """Each part's files under the other's name, and a manifest that says so: digests are right, places are not."""
    values, files = json.loads(json.dumps(PARTS.manifest())), PARTS.files()
    one, other = values["parts"]
    for kind in ("skills", "vectors"):
        for field in ("bytes", "sha256"):
            one[kind][field], other[kind][field] = other[kind][field], one[kind][field]
    one["count"], other["count"] = other["count"], one["count"]
    swapped = {"skills-0.jsonl": "skills-1.jsonl", "vectors-0.f32": "vectors-1.f32"}
    contents = {first: files[second] for first, second in swapped.items()}
    contents |= {second: files[first] for first, second in swapped.items()}
    return {MANIFEST: spell(encode_manifest(values)), **spelled(contents)}
