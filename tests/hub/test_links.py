"""Links are judged by where they lead: to something indexed, to nothing, or to something that is thereby missing."""

import time
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

from hub_index.hub.config import HubConfig
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.hub.tree.layout import layout_of, settle_roots
from hub_index.hub.tree.links import report_links
from hub_index.hub.tree.listing import select_files
from hub_index.models import Problem, TreeEntry

SKILL = "---\nname: {0}\ndescription: Does what {0} does, on every day of the week.\n---\n\n{1}\n"
BODY = "Look at the files that were named, say what is there, and then do it step by step. " * 2


def make_hub(root: Path, files: dict[str, str]) -> HubMaker:
    """A committed hub; a value that begins with `->` is where a link points, an empty one a skill of its own."""
    hub = HubMaker(root)
    for path, content in files.items():
        if content.startswith("->"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).symlink_to(content[2:])
        else:
            hub.write(path, content or SKILL.format(Path(path).parent.name, BODY))
    hub.commit()
    return hub


def problems_of(root: Path, files: dict[str, str]) -> list[tuple[str, str, str]]:
    """Level, path and code of every problem of the tree of such a hub."""
    snapshot = read_hub(open_repository(make_hub(root, files).root)).snapshot
    return [(problem.level, problem.path, problem.code) for problem in snapshot.problems]


@pytest.mark.parametrize(
    "links",
    [
        {"skills/alias": "->one"},
        {"skills/all": "->."},
        {"skills/up": "->.."},
        {"skills/two": "->../skills/./one/../one"},
        {"skills/alias/SKILL.md": "->../one/SKILL.md"},
        {"skills/first": "->second", "skills/second": "->../.agents/one", ".agents": "->skills"},
        {"workflows/one.md": "->../skills/one/SKILL.md"},
        {"skills/notes": "->../docs", "docs/text.md": "x"},
        {"skills/tool": "->../bin/tool", "bin/tool": "x"},
        {"skills/copy": "->../plugins/one", "plugins/one/SKILL.md": SKILL.format("one", BODY)},
        {"skills/one/skill.md": "->SKILL.md"},
    ],
    ids=lambda links: next(iter(links)),
)
def test_a_link_to_what_is_indexed_or_is_no_skill_is_no_problem(tmp_path: Path, links: dict[str, str]) -> None:
    """Folders, files, links to links, links through linked folders, and copies of what is indexed."""
    assert problems_of(tmp_path, {"skills/one/SKILL.md": "", **links}) == []


def test_a_whole_hub_of_links_for_other_agents_passes_strict(tmp_path: Path) -> None:
    """Every skill is indexed under its own path, so `--strict` has nothing to say."""
    files = {f"plugins/p/skills/s{number}/SKILL.md": "" for number in range(4)}
    files |= {f"skills/s{number}": f"->../plugins/p/skills/s{number}" for number in range(4)}
    files |= {f".claude/skills/s{number}/SKILL.md": f"->../../../skills/s{number}/SKILL.md" for number in range(4)}
    outcome = hub_index_here("build", make_hub(tmp_path, files).root, "--strict")
    assert (outcome.code, "new index: 4 skills" in outcome.out) == (0, True)
    assert "problems" not in outcome.out


def test_links_in_skills_alone_do_not_make_it_the_root(tmp_path: Path) -> None:
    """Where every SKILL.md of `skills` is a link, the files themselves are indexed where they are."""
    hub = make_hub(tmp_path, {"plugins/one/SKILL.md": "", "skills/one/SKILL.md": "->../../plugins/one/SKILL.md"})
    snapshot = read_hub(open_repository(hub.root)).snapshot
    assert [file.id for file in snapshot.files] == ["plugins/one"]
    assert snapshot.problems == ()


def test_links_that_lead_nowhere_are_one_warning(tmp_path: Path) -> None:
    """Missing, spelled in another case, absolute, out of the hub, round in a circle: one problem names them all."""
    hub = make_hub(
        tmp_path,
        {
            "skills/one/SKILL.md": "",
            "skills/absolute": "->/etc",
            "skills/bad/SKILL.md": "->../gone/SKILL.md",
            "skills/case": "->ONE",
            "skills/loop-a": "->loop-b",
            "skills/loop-b": "->loop-a",
            "skills/outside": "->../../elsewhere",
            "workflows/gone.md": "->nowhere.md",
        },
    )
    (problem,) = read_hub(open_repository(hub.root)).snapshot.problems
    assert (problem.level, problem.path, problem.code) == ("warning", "skills/absolute", "symbolic-link-dangling")
    assert "7 symbolic links lead nowhere (skills/absolute, skills/bad/SKILL.md, skills/case, …)" in problem.reason
    assert "/etc" not in repr(problem)
    outcome = hub_index_here("build", hub.root)
    assert (outcome.code, "problems: 1 warning;" in outcome.out) == (0, True)


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ({"skills/more": "->../plugins/p"}, "2 skills behind it are not indexed"),
        ({"skills/two": "->../plugins/p/two"}, "1 skill behind it is not indexed"),
        ({"skills/two": "->../agents/two", "agents": "->plugins/p"}, "1 skill behind it is not indexed"),
        ({"skills/two/SKILL.md": "->../../plugins/p/two/SKILL.md"}, "its target is not indexed"),
        ({"skills/two/SKILL.md": "->text.txt", "skills/two/text.txt": "x"}, "its target is not indexed"),
        ({"workflows": "->docs/flows", "docs/flows/a.md": "x", "docs/flows/b.md": "y"}, "2 documents behind it"),
        ({"commands/a.md": "->../docs/a.md", "docs/a.md": "x"}, "its target is not indexed"),
    ],
)
def test_a_link_to_something_that_is_thereby_missing_is_an_error(
    tmp_path: Path, links: dict[str, str], said: str
) -> None:
    """The error says how much is behind the link, and a plain build goes on."""
    files = {"skills/one/SKILL.md": "", "plugins/p/two/SKILL.md": "", "plugins/p/three/SKILL.md": "", **links}
    hub = make_hub(tmp_path, files)
    (problem,) = read_hub(open_repository(hub.root)).snapshot.problems
    assert (problem.level, problem.path, problem.code) == ("error", next(iter(links)), "symbolic-link-skipped")
    assert said in problem.reason
    assert hub_index_here("build", hub.root).code == 0
    assert hub_index_here("build", hub.root, "--strict").code == 4


def test_a_link_to_what_the_hub_excludes_is_its_own_choice(tmp_path: Path) -> None:
    """So is a link that is excluded itself; what is refused in its own place is reported there alone."""
    files = {
        "skills/one/SKILL.md": "",
        "plugins/two/SKILL.md": "",
        "plugins/three/SKILL.md": "",
        "skills/two": "->../plugins/two",
        "skills/three": "->../plugins/three",
        "skills/twin": "->bad\u200bname",
        "skills/bad\u200bname/SKILL.md": "",
        "hub-index.toml": 'exclude = ["plugins/two", "skills/three"]',
    }
    assert problems_of(tmp_path, files) == [("error", "skills/bad\\u{200b}name/SKILL.md", "name-refused")]


def test_a_link_above_a_root_hides_only_what_that_root_would_hold(tmp_path: Path) -> None:
    """`lib` stands for another folder, of which only `skills` would be read."""
    files = {
        "skills/one/SKILL.md": "",
        "vendor/skills/two/SKILL.md": "",
        "vendor/tests/three/SKILL.md": "",
        "lib": "->vendor",
        "hub-index.toml": 'roots = ["skills", "lib/skills"]',
    }
    hub = make_hub(tmp_path, files)
    reasons = {problem.code: problem.reason for problem in read_hub(open_repository(hub.root)).snapshot.problems}
    assert set(reasons) == {"root-empty", "symbolic-link-skipped"}
    assert "1 skill behind it" in reasons["symbolic-link-skipped"]


def test_an_oversized_link_is_never_read(tmp_path: Path) -> None:
    """git can hold a link of megabytes; no system could follow it."""
    hub = make_hub(tmp_path, {"skills/one/SKILL.md": ""})
    hub.place(b"skills/long", b"one/" + b"./" * 100_000, mode="120000")
    hub.commit_index()
    (problem,) = read_hub(open_repository(hub.root)).snapshot.problems
    assert (problem.path, problem.code) == ("skills/long", "symbolic-link-dangling")


def _report(entries: list[TreeEntry], targets: dict[str, str]) -> list[Problem]:
    config = settle_roots(HubConfig(), entries)
    listing = select_files(entries, HubConfig())
    return report_links(listing.links, targets, entries, listing.files, layout_of(config))


def test_links_are_judged_in_linear_time() -> None:
    """25,000 links, each to a folder of 50,000 skills and through thirty others, take a moment."""
    entries = [TreeEntry("100644", f"{number:040}", 1, f"skills/s{number}/SKILL.md") for number in range(10_000)]
    entries += [TreeEntry("100644", f"{number:039}x", 1, f"more/m{number}/SKILL.md") for number in range(50_000)]
    entries += [TreeEntry("120000", "more", 1, f"skills/link{number}") for number in range(25_000)]
    entries += [TreeEntry("120000", f"hop{number}", 1, f"hop{number}") for number in range(30)]
    targets = {"more": "../hop0", "hop29": "more"} | {f"hop{number}": f"hop{number + 1}" for number in range(29)}
    started = time.process_time()
    problems = _report(entries, targets)
    assert len(problems) == 25_000
    assert "50,000 skills behind it" in problems[0].reason
    assert time.process_time() - started < 6
