"""Same hub, same model, same bytes: no clock, zone, locale, hash seed or listing order is in them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.builds.build_story import NAMES, make_story
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder
from support.processes.cli_runner import hub_index

from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools


@pytest.mark.parametrize("year", [1970, 1999, 2038, 2999])
def test_f54_a_wrong_clock_only_shows_in_created_at(tmp_path: Path, year: int) -> None:
    """Two builds from the same previous index on different clocks differ in created_at alone."""
    story = make_story(tmp_path / "hub")
    story.build()
    story.hub.skill("skill-00", "Edited.")
    story.hub.commit("edit")
    outs = []
    for clock in (datetime(2026, 5, 5, tzinfo=UTC), datetime(year, 1, 1, tzinfo=UTC)):
        out = tmp_path / f"out-{clock.year}"
        out.mkdir()
        for name, content in story.files().items():
            (out / name).write_bytes(content)
        tools = BuildTools(encoder_for=lambda _: FakeEncoder(), now=lambda clock=clock: clock)  # type: ignore[misc]
        assert build_index(story.hub.root, BuildOptions(out=out), tools).report.changed
        outs.append(out)
    first, second = outs
    assert (first / "skills.jsonl").read_bytes() == (second / "skills.jsonl").read_bytes()
    assert (first / "vectors.f32").read_bytes() == (second / "vectors.f32").read_bytes()
    manifests = [json.loads((out / "index_manifest.json").read_bytes()) for out in outs]
    different = {key for key in manifests[0] if manifests[0][key] != manifests[1][key]}
    assert different == {"created_at"}


_WORLDS: tuple[dict[str, str], ...] = (
    {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1"},
    {"TZ": "America/New_York", "LC_ALL": "C", "PYTHONHASHSEED": "2"},
    {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "3", "PYTHONUTF8": "0"},
)


def test_f55_locale_zone_and_hash_seed_leave_no_trace(tmp_path: Path) -> None:
    """The real command in other surroundings writes the same rows and vectors, and the same manifest but created_at."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("ärger", "Größe und Übermut, İstanbul.")
    hub.skill("中文", "制作演示文稿。")
    hub.skill("Zebra", "Upper case id.")
    hub.skill("apple", "Lower case id.")
    hub.commit("skills")
    seen = []
    for number, world in enumerate(_WORLDS):
        out = tmp_path / f"out-{number}"
        outcome = hub_index(
            "build", hub.root, "--out", out, "--cache", tmp_path / f"cache-{number}", "--json", env=world
        )
        assert outcome.code == 0, outcome.err
        contents = {name: (out / name).read_bytes() for name in NAMES}
        manifest = json.loads(contents["index_manifest.json"])
        manifest.pop("created_at")
        seen.append((manifest, contents["skills.jsonl"], contents["vectors.f32"]))
    assert seen[1:] == seen[:-1]
