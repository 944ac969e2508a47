"""list, context, export and repeated --hub as a user types them."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index, hub_index_here


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hubs without an index, and a hubs.toml that names them."""
    root = tmp_path_factory.mktemp("hubs")
    for name, skill, description in (("first", "knit", "Knit a scarf."), ("second", "bake", "Bake some bread.")):
        hub = HubMaker(root / name)
        hub.skill(skill, description)
        hub.skill("same", "Tie a knot in a scarf.")
        hub.commit("skills")
    (root / "axon").mkdir()
    (root / "axon/hubs.toml").write_text(f'[hubs]\none = "{root}/first"\ntwo = "{root}/second"\ngone = "{root}/gone"\n')
    return root


def test_search_names_the_hub_of_each_hit(hubs: Path) -> None:
    """With several hubs a place is `hub:path`, and one skill in both is one line; it can be pasted into show."""
    places = ("--hub", hubs / "first", "--hub", hubs / "second")
    found = hub_index_here("search", "scarf", "--keyword", *places)
    assert found.code == 0
    assert "first:skills/knit/" in found.out
    assert "first:skills/same/ = second:same" in found.out
    assert hub_index("show", "second:same", *places).out.startswith("id:          same")
    assert hub_index_here("show", "same", *places).out.startswith("id:          same")


def test_hubs_toml_is_searched_without_being_named(hubs: Path) -> None:
    """All that is listed answers; what is not there is a note."""
    found = hub_index_here("search", "bread", "--keyword", "--json", AXON_HOME=str(hubs / "axon"))
    answer = json.loads(found.out)
    assert [(hit["hub"], hit["id"]) for hit in answer["hits"]] == [("two", "bake")]
    assert [text for text in answer["notices"] if text.startswith("gone was left out")]
    one = hub_index_here("search", "scarf", "--keyword", "--hub", "one", AXON_HOME=str(hubs / "axon"))
    assert "skills/knit/" in one.out


def test_list_prints_every_skill(hubs: Path) -> None:
    """Lines for people, one object for programs, filters and a limit."""
    places = ("--hub", hubs / "first", "--hub", hubs / "second")
    lines = hub_index_here("list", *places).out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["first:knit", "first:same", "second:bake", "second:same"]
    answer = json.loads(hub_index_here("list", *places, "--limit", "3", "--json").out)
    assert (answer["total"], len(answer["skills"]), answer["next_cursor"]) == (4, 3, None)
    assert json.loads(hub_index_here("list", *places, "--type", "command", "--json").out)["skills"] == []


def test_context_prints_what_fits_or_nothing(hubs: Path) -> None:
    """One block to inject, or an empty output and exit code 0."""
    found = hub_index_here("context", "knit", "a scarf", "--hub", hubs / "first")
    assert found.out.startswith("<skills ")
    assert f'file="{hubs}/first/skills/knit/SKILL.md"' in found.out
    nothing = hub_index_here("context", "quantum chromodynamics", "--hub", hubs / "first")
    assert (nothing.code, nothing.out) == (0, "")
    assert hub_index_here("context", "x", "--max-tokens", "5", "--hub", hubs / "first").code == 2


def test_export_writes_the_well_known_index(hubs: Path, tmp_path: Path) -> None:
    """What was written is said; without a target it is a usage error."""
    done = hub_index_here("export", "--well-known", tmp_path, "--hub", hubs / "first")
    assert (done.code, done.out) == (0, f"2 skills in {tmp_path}/.well-known/agent-skills\n")
    assert hub_index_here("export", "--hub", hubs / "first").code == 2


def test_sync_keeps_the_addresses_of_hubs_toml(hubs: Path, tmp_path: Path) -> None:
    """Each in a folder of its own; one that fails does not keep the others from being synced."""
    lines = f'good = "file://{hubs}/first"\nbad = "file://{hubs}/nowhere"\n'
    (tmp_path / "hubs.toml").write_text(f"[hubs]\n{lines}")
    done = hub_index_here("sync", "--json", AXON_HOME=str(tmp_path))
    good, bad = json.loads(done.out)["hubs"]
    assert (good["result"], bad["result"], done.code) == ("cloned", "failed", 3)
    assert (tmp_path / "hubs/good/skills/knit/SKILL.md").is_file()
    found = hub_index_here("search", "scarf", "--keyword", AXON_HOME=str(tmp_path))
    assert "skills/knit/" in found.out


def test_sync_of_a_named_hub_without_an_index_advises_what_works(hubs: Path, tmp_path: Path) -> None:
    """The user's own index is of the synced hub alone; for another one the advice can be followed word for word."""
    home, out = str(tmp_path / "axon"), tmp_path / "out"
    (tmp_path / "axon").mkdir()
    (tmp_path / "axon/hubs.toml").write_text(f'[hubs]\ngood = "file://{hubs}/first"\n')
    told = hub_index_here("sync", AXON_HOME=home).out
    assert "search --index`" not in told
    assert f"`hub-index build {home}/hubs/good --out DIR`" in told
    assert hub_index_here("build", f"{home}/hubs/good", "--out", out, AXON_HOME=home).code == 0
    found = json.loads(hub_index_here("search", "a scarf", "--index-dir", out, "--json", AXON_HOME=home).out)
    assert (found["mode"], found["hits"][0]["id"]) == ("hybrid", "knit")


def test_the_doctor_says_of_each_listed_hub_whether_it_can_be_opened(hubs: Path, tmp_path: Path) -> None:
    """A line each: a hub without an index is searched by words, one that is not there says what to do."""
    home = tmp_path / "axon"
    home.mkdir()
    lines = (
        f'one = "{hubs}/first"\ngone = "{hubs}/gone"\nfar = "https://example.invalid/hub.git"\nhere = ".none/skills"\n'
    )
    (home / "hubs.toml").write_text(f"[hubs]\n{lines}")
    told = json.loads(hub_index_here("doctor", "--json", AXON_HOME=str(home)).out)["findings"]
    found = {line["what"]: (line["state"], line["detail"]) for line in told if line["what"].startswith("listed hub ")}
    assert {what: state for what, (state, _) in found.items()} == {
        "listed hub one": "absent",
        "listed hub gone": "bad",
        "listed hub far": "absent",
        "listed hub here": "absent",
    }
    assert f"{hubs}/first" in found["listed hub one"][1]
    assert f"there is no folder {hubs}/gone" in found["listed hub gone"][1]
    assert "`hub-index sync`" in found["listed hub far"][1]
    assert [line["state"] for line in told if line["what"] == "search"] == ["ok"]  # those that can be opened answer
    (home / "hubs.toml").write_text("[hubs\n")
    told = json.loads(hub_index_here("doctor", "--json", AXON_HOME=str(home)).out)["findings"]
    (line,) = [line for line in told if line["what"] == "hubs.toml"]
    assert (line["state"], "is not TOML" in line["detail"]) == ("bad", True)
