"""What changed between two states of a hub: by commits, and in git's index."""

import os
import subprocess
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.errors import ConfigError, SourceError
from hub_index.hub.change import HubChange, RevisionRange, parse_range, read_change
from hub_index.hub.git.repository import open_repository


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of three skills on main, and a branch `work` that is checked out."""
    maker = HubMaker(tmp_path / "hub")
    maker.skills(3)
    maker.commit("skills")
    maker.git("checkout", "-q", "-b", "work")
    return maker


def changed(hub: HubMaker, asked: str | None = "main..work", folder: str = "") -> HubChange:
    return read_change(open_repository(hub.root / folder), parse_range(asked) if asked else None)


def kinds(change: HubChange) -> dict[str, str]:
    return {skill.file.id: skill.kind for skill in change.skills}


def codes(change: HubChange) -> set[tuple[str, str]]:
    return {(problem.path, problem.code) for problem in change.problems}


def test_added_edited_and_removed_skills_are_told_apart(hub: HubMaker) -> None:
    """Only what differs is among them, and only it is read for problems."""
    hub.skill("new", "Paints a fence in any colour that is asked for.")
    hub.skill("skill-00", "Does another thing now.")
    hub.git("rm", "-q", "-r", "skills/skill-01")
    hub.commit()
    change = changed(hub)
    assert kinds(change) == {"new": "added", "skill-00": "edited", "skill-01": "removed"}
    assert {problem.path for problem in change.problems} == {"skills/new/SKILL.md", "skills/skill-00/SKILL.md"}


@pytest.mark.parametrize("asked", ["main..work", "main...work"])
def test_what_the_base_got_since_then_is_not_the_branch_s_doing(hub: HubMaker, asked: str) -> None:
    """Two dots mean what three do: what a branch changed since it left the base."""
    hub.skill("mine", "Paints a fence.")
    hub.commit()
    hub.git("checkout", "-q", "main")
    hub.skill("theirs", "Mows a lawn.")
    hub.git("rm", "-q", "-r", "skills/skill-01")
    hub.commit()
    assert kinds(changed(hub, asked)) == {"mine": "added"}


@pytest.mark.parametrize("text", ["", "main", "..", "main..", "..work", "...", "main..a..b", "main...a...b"])
def test_a_range_names_two_revisions(text: str) -> None:
    """A side that is empty is a variable that was not set: it is not taken as HEAD."""
    with pytest.raises(ConfigError, match=r"BASE\.\.HEAD"):
        parse_range(text)


def test_a_range_of_remote_names_is_read() -> None:
    """A revision may hold single dots and slashes."""
    assert parse_range("origin/v1.2..feature/x") == RevisionRange("origin/v1.2", "feature/x")


def test_an_unknown_revision_is_named(hub: HubMaker) -> None:
    """The user is told which of the two is not there."""
    with pytest.raises(SourceError, match="nowhere"):
        changed(hub, "nowhere..work")
    with pytest.raises(SourceError, match="--output"):
        changed(hub, "main..--output=x")


def test_histories_without_a_common_commit_are_refused(hub: HubMaker) -> None:
    """There is nothing that one could have left from the other."""
    hub.git("checkout", "-q", "--orphan", "alone")
    hub.commit()
    with pytest.raises(SourceError, match="no commit in common: name two branches"):
        changed(hub, "main..alone")


def test_a_shallow_clone_is_told_to_fetch_more(hub: HubMaker, tmp_path: Path) -> None:
    """GitHub's checkout fetches one commit unless it is told otherwise."""
    hub.skill("mine", "Paints a fence.")
    hub.commit()
    hub.git("checkout", "-q", "main")
    hub.skill("theirs", "Mows a lawn.")
    hub.commit()
    clone = tmp_path / "clone"
    words = ("clone", "-q", "--depth=1", "--no-single-branch", f"file://{hub.root}", str(clone))
    subprocess.run(["git", *words], check=True, capture_output=True)
    with pytest.raises(SourceError, match="fetch-depth: 0"):
        changed(HubMaker(clone), "origin/main..origin/work")


def test_a_problem_that_a_new_file_causes_for_an_old_one_is_told(hub: HubMaker) -> None:
    """Old problems of files that nobody touched are not."""
    hub.git("checkout", "-q", "main")
    hub.place(b"skills/old-b/skill.md", b"---\nname: old-b\ndescription: x\n---\n")
    hub.place(b"skills/old-b/SKILL.md", b"---\nname: old-b\ndescription: x\n---\n")
    hub.commit_index()
    hub.git("checkout", "-q", "-B", "work")
    hub.place(b"skills/SKILL-00/SKILL.md", b"---\nname: x\ndescription: x\n---\n")
    hub.commit_index()
    found = codes(changed(hub))
    assert ("skills/skill-00/SKILL.md", "case-twin") in found
    assert ("skills/SKILL-00/SKILL.md", "case-twin") in found
    assert not any("old-b" in path for path, _ in found)


def test_a_file_that_is_not_indexed_is_a_problem_each_time_it_changes(hub: HubMaker) -> None:
    """A second spelling that stays is told to whoever edits it."""
    hub.git("checkout", "-q", "main")
    hub.place(b"skills/skill-00/skill.md", b"one")
    hub.commit_index()
    hub.git("checkout", "-q", "-B", "work")
    hub.place(b"skills/skill-00/skill.md", b"two")
    hub.commit_index()
    assert codes(changed(hub)) == {("skills/skill-00/skill.md", "second-spelling")}


def test_a_new_skill_outside_of_the_root_is_told(hub: HubMaker) -> None:
    """Nobody would find it, and its author thinks it is in."""
    hub.write("extra/fence/SKILL.md", "---\nname: fence\ndescription: Paints a fence.\n---\n")
    hub.commit()
    change = changed(hub)
    assert (kinds(change), codes(change)) == ({}, {("extra/fence/SKILL.md", "outside-roots")})
    hub.git("branch", "-f", "main")
    hub.write("extra/fence/SKILL.md", "---\nname: fence\ndescription: Paints two fences.\n---\n")
    hub.commit()
    assert not changed(hub).problems


def test_settings_count_as_a_change_and_broken_ones_of_the_base_do_not_stop_their_repair(hub: HubMaker) -> None:
    """Each state is listed with its own settings, so that a new exclude shows what it takes away."""
    hub.write("hub-index.toml", 'exclude = ["skills/skill-02/**"]\n')
    hub.commit()
    assert kinds(changed(hub)) == {"skill-02": "removed"}
    hub.write("hub-index.toml", "exclude = [\n")
    hub.commit()
    with pytest.raises(ConfigError, match=r"hub-index\.toml"):
        changed(hub)
    hub.git("branch", "-f", "main")
    hub.write("hub-index.toml", "")
    hub.skill("new", "Paints a fence.")
    hub.commit()
    assert kinds(changed(hub)) == {"new": "added"}


def test_a_hub_in_a_folder_of_its_repository_may_be_new(hub: HubMaker) -> None:
    """The base does not have the folder at all; changes elsewhere in the repository are not the hub's."""
    hub.write("inner/skills/fence/SKILL.md", "---\nname: fence\ndescription: Paints a fence.\n---\n")
    hub.skill("outer", "Mows a lawn.")
    hub.commit()
    assert kinds(changed(hub, folder="inner")) == {"fence": "added"}
    hub.write("inner/skills/fence/SKILL.md", "")
    hub.git("add", "-A")
    assert kinds(changed(hub, None, "inner")) == {"fence": "edited"}


def test_staged_is_what_git_would_commit(hub: HubMaker) -> None:
    """Neither what is only saved nor what is only announced counts."""
    hub.skill("staged", "Paints a fence.")
    hub.git("add", "-A")
    hub.git("rm", "-q", "-r", "--cached", "skills/skill-01")
    hub.skill("staged", "Saved later.")
    hub.skill("saved", "Mows a lawn.")
    hub.skill("announced", "Mows a lawn.")
    hub.git("add", "-N", "skills/announced")
    change = changed(hub, None)
    assert kinds(change) == {"staged": "added", "skill-01": "removed"}
    (staged,) = (skill.inspected for skill in change.skills if skill.inspected)
    assert staged.skill is not None
    assert (staged.skill.description, staged.file.size > 0) == ("Paints a fence.", True)


def test_the_first_commit_of_a_hub_can_be_checked(tmp_path: Path) -> None:
    """Before it there is nothing to compare with."""
    hub = HubMaker(tmp_path)
    hub.skill("one", "Paints a fence.")
    hub.git("add", "-A")
    assert kinds(changed(hub, None)) == {"one": "added"}


def test_a_hook_checks_the_index_that_git_commits_from(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git commit -a` hands its hooks an index of its own; one of another repository is not looked at."""
    hub.skill("skill-00", "Does another thing now.")
    index = hub.root / ".git/next-index-1.lock"
    index.write_bytes((hub.root / ".git/index").read_bytes())
    subprocess.run(
        ["git", "-C", str(hub.root), "add", "-A"], env={**os.environ, "GIT_INDEX_FILE": str(index)}, check=True
    )
    assert kinds(changed(hub, None)) == {}
    monkeypatch.chdir(hub.root)
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    assert kinds(changed(hub, None)) == {"skill-00": "edited"}
    monkeypatch.setenv("GIT_INDEX_FILE", str(hub.root / "elsewhere"))
    assert kinds(changed(hub, None)) == {}


def test_nothing_is_staged_in_a_bare_repository(hub: HubMaker, tmp_path: Path) -> None:
    """Else every skill would seem to be removed."""
    subprocess.run(["git", "clone", "-q", "--bare", str(hub.root), str(tmp_path / "bare")], check=True)
    with pytest.raises(SourceError, match="bare"):
        read_change(open_repository(tmp_path / "bare"), None)


def test_looking_writes_nothing_into_the_repository(hub: HubMaker) -> None:
    """Not even an object: a pre-commit hook must leave the repository as it was."""
    hub.skill("staged", "Paints a fence.")
    hub.git("add", "-A")
    before = sorted((path, path.stat().st_mtime_ns) for path in (hub.root / ".git").rglob("*"))
    changed(hub, None)
    assert sorted((path, path.stat().st_mtime_ns) for path in (hub.root / ".git").rglob("*")) == before


def test_labels_that_a_change_removes_are_a_warning(hub: HubMaker) -> None:
    """Whoever merges it should know that no later index is judged by them."""
    hub.git("checkout", "-q", "main")
    hub.write("search-queries.jsonl", '{"qid": "a", "text": "do a thing"}\n')
    hub.write("search-qrels.tsv", "a\tskill-00\t1\n")
    hub.commit("labels")
    hub.git("checkout", "-q", "-B", "work")
    hub.git("rm", "-q", "search-queries.jsonl", "search-qrels.tsv")
    for asked in (None, "main..work"):
        assert ("search-queries.jsonl", "labels-removed") in codes(changed(hub, asked))
        hub.git("commit", "-q", "--allow-empty", "-m", "gone")


@pytest.mark.parametrize(
    ("queries", "qrels", "found"),
    [
        ('{"qid": "a"}\n', "a\tskill-00\t1\n", {("search-queries.jsonl", "labels")}),
        ('{"qid": "a", "text": "x"}\n', "b\tskill-00\t1\n", {("search-queries.jsonl", "labels")}),
        ('{"qid": "a", "text": "x"}\n', "a\tskill-00\tgood\n", {("search-qrels.tsv", "labels")}),
        ('{"qid": "a", "text": "x", "nothing": true}\n', "a\tskill-00\t1\n", {("search-queries.jsonl", "labels")}),
        ('{"qid": "a", "text": "x"}\n', None, {("search-queries.jsonl", "labels")}),
        ('{"qid": "a", "text": "x"}\n', "a\tskill-00\t1\na\tnone\t1\n", {("search-qrels.tsv", "labels-unknown")}),
        ('{"qid": "a", "text": "x"}\n', "a\tskill-00\t1\na\tnone\t0\n", set()),
    ],
)
def test_labels_of_a_change_are_read(
    hub: HubMaker, queries: str, qrels: str | None, found: set[tuple[str, str]]
) -> None:
    """What would stop the next publish is an error now; a skill that is not there is advice, once."""
    hub.write("search-queries.jsonl", queries)
    if qrels is not None:
        hub.write("search-qrels.tsv", qrels)
    hub.commit("labels")
    assert codes(changed(hub)) == found
    hub.git("checkout", "-q", "-b", "later")
    hub.write("README.md", "Nothing to do with labels.\n")
    hub.commit("words")
    assert codes(changed(hub, "work..later")) == set()


def test_wrong_labels_are_told_at_their_file_and_line(hub: HubMaker) -> None:
    """The grade stands in the qrels, and so does the problem; a file that is not there is the settings' problem."""
    hub.write("search-queries.jsonl", '{"qid": "a", "text": "x"}\n')
    hub.write("search-qrels.tsv", "a\tskill-00\t1\na\tskill-01\t-3\n")
    hub.commit("labels")
    (problem,) = changed(hub).problems
    assert (problem.path, problem.line) == ("search-qrels.tsv", 2)
    hub.write("hub-index.toml", 'queries = "nope.jsonl"\n')
    hub.commit("settings")
    (problem,) = changed(hub).problems
    assert (problem.path, problem.line) == ("hub-index.toml", 0)
