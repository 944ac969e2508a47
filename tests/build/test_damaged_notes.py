"""Notes of the cache that are damaged count as absent: a build is what it would be without them, and mends them."""

import re
from pathlib import Path

import pytest
from support.builds.parts_world import PartsWorld

_EDITED = "skill-03"
_BLOB = re.compile(rb"skills/skill-03/SKILL\.md\0([0-9a-f]{40})")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PartsWorld:
    """A hub in parts, built twice, so that its tree and its listing are remembered."""
    world = PartsWorld(tmp_path, monkeypatch)
    world.edit(5, "Does a second thing.")
    world.build()
    return world


def _damage(world: PartsWorld, kind: str, old: bytes, new: bytes) -> None:
    """Other bytes of the same length in every note of a kind that has the old ones."""
    damaged = 0
    for note in (Path(world.cache) / kind).iterdir():
        data = note.read_bytes()
        note.write_bytes(data.replace(old, new))
        damaged += old in data
    assert damaged, f"no note of {kind} holds {old!r}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"skills/skill-03/SKILL.md\0", b"skills/skill-0s/SKILL.md\0"),  # a file
        (b"skill-03\0skills/skill-03\0", b"skill-03\0sjills/skill-03\0"),  # a folder
        (b"skill-03\0skills/", b"skill-0s\0skills/"),  # an id
        (b"\0skill\0", b"\0skill\xff"),  # how many fields there are
    ],
)
def test_a_damaged_listing_loses_no_edit(world: PartsWorld, old: bytes, new: bytes) -> None:
    """Whatever byte is another one, the edit of that very skill is indexed, and so is the next one."""
    _damage(world, "listings", old, new)
    for text in ("Does another thing.", "Does a third thing."):
        world.edit(3, text)
        assert world.build().edited == (_EDITED,)
        assert text.encode() in b"".join(world.files().values())
    assert world.files() == world.from_nothing()


def test_a_listing_with_another_blob_is_not_believed(world: PartsWorld) -> None:
    """Nobody looks for a blob that only a damaged note names."""
    found = [_BLOB.search(note.read_bytes()) for note in (Path(world.cache) / "listings").iterdir()]
    blob = next(match[1] for match in found if match)
    _damage(world, "listings", blob, blob[::-1])
    world.edit(7, "Does another thing.")
    assert world.build().edited == ("skill-07",)
    assert world.files() == world.from_nothing()


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"source_digest": "sha256:', b'"source_digest": "sha25x:'), (b'"count": 24', b'"count": 20')],
)
def test_a_damaged_note_of_a_tree_is_not_believed(world: PartsWorld, old: bytes, new: bytes) -> None:
    """Neither its digest nor its number gets into an index or a report."""
    _damage(world, "trees", old, new)
    report = world.build()
    assert (report.skills, report.changed, report.notices) == (24, False, ())
    world.edit(3, "Does another thing.")
    world.build()
    assert world.files() == world.from_nothing()
