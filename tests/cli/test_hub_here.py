"""Commands mean the hub that the user stands in, unless another one is named."""

import json
import os
import shutil
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.hubs.hub_maker import HubMaker
from support.hubs.sync_world import make_world
from support.processes.cli_runner import hub_index_here
from support.processes.screen import answer_on_a_terminal

from hub_index.hub.tree.hub_folder import enclosing_hub


@pytest.fixture
def here(tmp_path: Path) -> HubMaker:
    """A hub of three skills with its index committed; nothing is synced."""
    story = make_story(tmp_path / "hub", skills=3)
    story.build()
    story.hub.commit("index")
    return story.hub


@pytest.mark.parametrize("below", ["", "skills", "skills/skill-00", "search", "docs/deep"])
@pytest.mark.parametrize(
    "command",
    [
        ("search", "skill", "--keyword"),
        ("list",),
        ("show", "skill-00"),
        ("context", "skill number"),
        ("related", "skill-01"),
        ("verify",),
        ("add", "skill-00", "--yes", "--user", "--agent", "claude"),
    ],
    ids=lambda command: command[0],
)
def test_a_command_means_the_hub_around_it(here: HubMaker, below: str, command: tuple[str, ...]) -> None:
    """In its root, among its skills, in its index and in any other folder of its repository."""
    (here.root / below).mkdir(parents=True, exist_ok=True)
    done = hub_index_here(*command, cwd=here.root / below)
    assert done.code == 0, done.err
    assert "skill" in done.out or command[0] == "context"


def test_a_hub_without_an_index_is_searched_and_says_once_how_to_build_one(here: HubMaker) -> None:
    """By words, with one line of advice."""
    shutil.rmtree(here.root / "search")
    done = hub_index_here("search", "skill", cwd=here.root)
    assert (done.code, done.err.count("hub-index build")) == (0, 1)
    assert "skill-00" in done.out


def test_eval_means_the_hub_around_it(here: HubMaker) -> None:
    """Labelled queries of the hub that one stands in."""
    (here.root / "q.jsonl").write_text('{"qid": "1", "text": "skill"}\n')
    (here.root / "q.tsv").write_text("1\tskill-00\t1\n")
    done = hub_index_here("eval", "--mode", "keyword", "--queries", "q.jsonl", "--qrels", "q.tsv", cwd=here.root)
    assert done.code == 0, done.err


def test_what_is_named_wins(here: HubMaker, tmp_path: Path) -> None:
    """--hub, --index-dir and hubs.toml."""
    other = HubMaker(tmp_path / "other")
    other.skill("knitting", description="Knit a scarf")
    other.commit()
    assert "knitting" in hub_index_here("list", "--hub", other.root, cwd=here.root).out
    assert hub_index_here("list", "--index-dir", here.root / "search", cwd=other.root).out.count("skill-0") == 3
    (tmp_path / "axon").mkdir()
    (tmp_path / "axon/hubs.toml").write_text(f'[hubs]\nwool = "{other.root}"\n')
    listed = hub_index_here("list", cwd=here.root, AXON_HOME=str(tmp_path / "axon")).out
    assert "knitting" in listed
    assert "skill-00" not in listed


@pytest.mark.parametrize("kept", ["", ".claude/skills/x", "tests/data/skills/x"])
def test_a_programs_repository_is_no_hub(tmp_path: Path, kept: str) -> None:
    """Neither an empty repository nor one with skills for its own agents or tests."""
    (tmp_path / ".git").mkdir()
    (tmp_path / kept).mkdir(parents=True, exist_ok=True)
    if kept:
        (tmp_path / kept / "SKILL.md").write_text("---\nname: x\n---\n")
    assert enclosing_hub(str(tmp_path)) == ""


def test_folders_that_are_hubs(tmp_path: Path) -> None:
    """By settings, by skills with owners, by skills beside each other in a repository; a link leads nowhere."""
    for name, file in (("set", "hub-index.toml"), ("owned", "skills/ann/tools/x/SKILL.md"), ("flat", "x/SKILL.md")):
        (tmp_path / name / file).parent.mkdir(parents=True)
        (tmp_path / name / file).touch()
    (tmp_path / "flat/.git").mkdir()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/skills").symlink_to(tmp_path / "owned")
    for name in ("set", "owned", "flat"):
        assert enclosing_hub(str(tmp_path / name)) == str(tmp_path / name)
    assert enclosing_hub(str(tmp_path / "owned/skills/ann")) == str(tmp_path / "owned")
    assert enclosing_hub(str(tmp_path / "owned/other")) == ""
    assert enclosing_hub(str(tmp_path)) == ""


def test_elsewhere_the_synced_hub_answers_also_to_who_stands_in_it(here: HubMaker, tmp_path: Path) -> None:
    """The folder that `sync` keeps is not a hub of the user's own: its own index is preferred there, too."""
    home = str(tmp_path / "axon")
    assert hub_index_here("sync", here.root, AXON_HOME=home).code == 0
    (tmp_path / "axon/search").mkdir()
    for cwd in (tmp_path, tmp_path / "axon/repo/skills", tmp_path / "axon"):
        assert "skill-00" in hub_index_here("list", cwd=cwd, AXON_HOME=home).out
    assert hub_index_here("verify", cwd=tmp_path, AXON_HOME=home).out.startswith("valid, fresh")


def test_a_terminal_hears_which_hub_was_searched(here: HubMaker) -> None:
    """One line, and none where a hub was named."""
    code, shown = answer_on_a_terminal("", "search", "skill", "--keyword", cwd=here.root / "skills", env={})
    assert (code, shown.count("searched:")) == (0, 1)
    assert f"searched: {here.root} (--hub names another hub)" in shown
    assert "searched:" not in answer_on_a_terminal("", "list", "--hub", ".", cwd=here.root, env={})[1]


def test_the_users_own_index_is_of_the_synced_hub(here: HubMaker, tmp_path: Path) -> None:
    """`search --index` in a hub writes nothing into it."""
    before = sorted(os.walk(here.root))
    done = hub_index_here("search", "--index", cwd=here.root, AXON_HOME=str(tmp_path / "axon"))
    assert done.code != 0
    assert hub_index_here("sync", here.root, AXON_HOME=str(tmp_path / "axon")).code == 0
    done = hub_index_here("search", "--index", cwd=here.root, AXON_HOME=str(tmp_path / "axon"))
    assert done.code == 0, done.err
    assert (tmp_path / "axon/search/skills.jsonl").is_file()
    assert sorted(os.walk(here.root)) == before


def test_a_second_address_is_one_more_hub(tmp_path: Path) -> None:
    """By its name in hubs.toml, once; the first stays, and both are searched."""
    first, second = (make_world(tmp_path / name, synced=False) for name in ("first", "second"))
    second.author.skill("knitting", description="Knit a scarf")
    second.push()
    home = tmp_path / "axon"
    env = {"AXON_HOME": str(home)}
    assert hub_index_here("sync", first.remote, env=env).code == 0
    home.joinpath("hubs.toml").write_text("# mine\n[hubs]  # all\nold = '/nowhere'\n")
    for times in ("cloned", "up to date"):
        done = hub_index_here("sync", second.remote, env=env)
        assert (done.code, done.out.startswith(times)) == (0, True), done
    assert home.joinpath("hubs.toml").read_text() == (
        f"# mine\n[hubs]  # all\nremote = \"file://{second.remote}\"\nold = '/nowhere'\n"
    )
    found = hub_index_here("search", "scarf", "--keyword", "--json", env=env, cwd=tmp_path)
    assert json.loads(found.out)["hits"][0]["id"] == "knitting"
    assert hub_index_here("sync", first.remote, env=env).out.startswith("up to date")


def test_a_mistyped_second_address_leaves_nothing(tmp_path: Path) -> None:
    """The list of hubs is as it was; a password never goes into it."""
    first = make_world(tmp_path / "first", synced=False)
    env = {"AXON_HOME": str(tmp_path / "axon")}
    assert hub_index_here("sync", first.remote, env=env).code == 0
    assert hub_index_here("sync", f"file://{tmp_path}/nowhere", env=env).code == 3
    done = hub_index_here("sync", "https://me:secret@example.invalid/hub.git", env=env)
    assert (done.code, "secret" in done.err) == (2, False)
    assert not (tmp_path / "axon/hubs.toml").exists()
