"""An older index in the place of one that was accepted before: a notice, until it is accepted."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

from hub_index.search.places.rollback_warning import as_utc, note_newest


def set_time(world: SearchWorld, created_at: str) -> None:
    """An index of the same rows that was built at that time."""
    file = world.story.folder / "index_manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"created_at": created_at}))


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_who_allows_no_signers_switches_as_they_like(tmp_path: Path, mode: str) -> None:
    """Without signatures an older index is one of the user's own commits, and nothing is said of it."""
    world = make_world(tmp_path)
    for day in ("02", "01"):
        set_time(world, f"2026-02-{day}T00:00:00Z")
        assert world.open().search("slow queries", mode=mode).notices == ()


def test_a_time_from_the_future_blocks_nobody(tmp_path: Path) -> None:
    """It is not remembered, so that the next honest index is no older than it."""
    cache, folder = str(tmp_path / "cache"), str(tmp_path / "search")
    today = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    soon = (datetime.now(UTC) + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert note_newest(cache, folder, "9999-12-31T23:59:59Z") == ()
    assert note_newest(cache, folder, today) == ()
    assert note_newest(cache, folder, soon) == ()  # a clock may be a little wrong
    assert note_newest(cache, folder, today) != ()


def test_each_folder_has_a_newest_of_its_own(tmp_path: Path) -> None:
    """By its real path: a link to it is the same folder."""
    cache, one = str(tmp_path / "cache"), tmp_path / "one"
    one.mkdir()
    (tmp_path / "link").symlink_to(one)
    note_newest(cache, str(one), "2026-02-02T00:00:00Z")
    assert note_newest(cache, str(tmp_path / "two"), "2026-01-01T00:00:00Z") == ()
    assert note_newest(cache, str(tmp_path / "link"), "2026-01-01T00:00:00Z") != ()


def test_a_cache_that_others_may_write_remembers_nothing(tmp_path: Path) -> None:
    """Somebody else's note must not make a good index look old."""
    cache, folder = str(tmp_path / "cache"), str(tmp_path / "search")
    note_newest(cache, folder, "2026-02-02T00:00:00Z")
    os.chmod(cache, 0o777)
    assert note_newest(cache, folder, "2026-01-01T00:00:00Z") == ()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01t00:00:00.123456789z", "2026-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59Z"),
    ],
)
def test_times_of_other_writers_are_compared_as_times(written: str, meant: str) -> None:
    """Offsets, fractions and small letters are brought to one form."""
    assert as_utc(written) == meant
