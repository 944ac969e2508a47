"""When files changed, told from real histories: merges, renames, modes, odd names and odd clocks."""

import subprocess
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.history import History, read_history
from hub_index.hub.snapshot import read_hub


def day(number: int) -> str:
    """A committer's clock on a day of one January."""
    return f"2024-01-{number:02d}T12:00:00 +0200"


def told(number: int) -> str:
    """The same moment as it is published."""
    return f"2024-01-{number:02d}T10:00:00Z"


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub whose two skills came on two days."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("one")
    maker.commit(when=day(1))
    maker.skill("two")
    maker.commit(when=day(2))
    return maker


def history(root: Path, since: str | None = None, only: str | None = None) -> History:
    """The history of a hub's HEAD, with the times of all files or of one id."""
    repo = open_repository(root)
    state = read_hub(repo)
    files = [file for file in state.snapshot.files if only in (None, file.id)]
    return read_history(repo, state.snapshot.revision, files, state.config, since)


def test_each_file_has_the_time_of_its_last_change(hub: HubMaker) -> None:
    """Committer times, in UTC; the newest change of an indexed file is the hub's revision."""
    hub.skill("one", "Edited.")
    edited = hub.commit(when=day(3))
    hub.write("README.md", "x")
    hub.write("search/skills.jsonl", "{}")
    hub.write("skills/one/scripts/run.sh", "x")
    hub.commit(when=day(4))
    found = history(hub.root)
    assert found.hub_revision == edited
    assert found.updated_at == {"skills/one/SKILL.md": told(3), "skills/two/SKILL.md": told(2)}


def test_mode_alone_is_not_a_change(hub: HubMaker) -> None:
    """An executable bit moves neither the time nor the revision."""
    before = hub.git("rev-parse", "HEAD")
    hub.git("update-index", "--chmod=+x", "skills/one/SKILL.md")
    hub.git("commit", "-q", "-m", "mode")
    found = history(hub.root)
    assert found.hub_revision == before
    assert found.updated_at["skills/one/SKILL.md"] == told(1)


def test_deletion_and_rename_are_changes(hub: HubMaker) -> None:
    """A deletion is the newest change; a renamed file is new under its new path."""
    (hub.root / "skills/one/SKILL.md").unlink()
    deleted = hub.commit(when=day(5))
    assert history(hub.root).hub_revision == deleted
    (hub.root / "skills/two").rename(hub.root / "skills/three")
    renamed = hub.commit(when=day(6))
    found = history(hub.root)
    assert found.hub_revision == renamed
    assert found.updated_at == {"skills/three/SKILL.md": told(6)}


def test_file_that_becomes_a_link_counts_as_deleted(hub: HubMaker) -> None:
    """And a link that becomes a file counts as added, even with equal bytes."""
    content = (hub.root / "skills/one/SKILL.md").read_bytes()
    hub.place(b"skills/one/SKILL.md", content, mode="120000")
    linked = hub.commit_index(when=day(3))
    assert history(hub.root).hub_revision == linked
    hub.place(b"skills/one/SKILL.md", content)
    back = hub.commit_index(when=day(4))
    found = history(hub.root)
    assert found.hub_revision == back
    assert found.updated_at["skills/one/SKILL.md"] == told(4)


def test_clean_merge_changes_nothing_itself(hub: HubMaker) -> None:
    """What a branch changed is dated by the branch's commit, and the merge is not the hub's revision."""
    hub.git("checkout", "-q", "-b", "side")
    hub.skill("one", "On the side.")
    side = hub.commit(when=day(4))
    hub.git("checkout", "-q", "main")
    hub.skill("two", "On main.")
    hub.commit(when=day(3))
    hub.git("merge", "-q", "--no-edit", "side", when=day(9))
    found = history(hub.root)
    assert found.hub_revision == side
    assert found.updated_at == {"skills/one/SKILL.md": told(4), "skills/two/SKILL.md": told(3)}


def test_merge_with_bytes_of_its_own_is_a_change(hub: HubMaker) -> None:
    """A conflict resolved, or a file slipped in, while merging is dated by the merge."""
    hub.git("checkout", "-q", "-b", "side")
    hub.skill("one", "On the side.")
    hub.commit(when=day(4))
    hub.git("checkout", "-q", "main")
    hub.skill("one", "On main.")
    hub.commit(when=day(5))
    subprocess.run(["git", "-C", str(hub.root), "merge", "-q", "side"], capture_output=True, check=False)
    hub.skill("one", "Resolved.")
    hub.skill("slipped-in")
    merge = hub.commit(when=day(6))
    found = history(hub.root)
    assert len(hub.git("rev-list", "--parents", "-1", merge).split()) == 3
    assert found.hub_revision == merge
    assert found.updated_at == {
        "skills/one/SKILL.md": told(6),
        "skills/slipped-in/SKILL.md": told(6),
        "skills/two/SKILL.md": told(2),
    }


def test_branch_that_was_merged_away_does_not_date_a_file(hub: HubMaker) -> None:
    """With `merge -s ours` the bytes of main stay, and so does their time; it was a change to the hub all the same."""
    hub.git("checkout", "-q", "-b", "side")
    hub.skill("one", "Dropped later.")
    dropped = hub.commit(when=day(8))
    hub.git("checkout", "-q", "main")
    hub.skill("two", "Kept.")
    hub.commit(when=day(7))
    hub.git("merge", "-q", "-s", "ours", "--no-edit", "side", when=day(9))
    found = history(hub.root)
    assert found.updated_at == {"skills/one/SKILL.md": told(1), "skills/two/SKILL.md": told(7)}
    assert found.hub_revision == dropped


def test_names_with_line_ends_and_quotes(hub: HubMaker) -> None:
    """Names are bytes between NULs, even one that looks like git's own output; the roots are not patterns."""
    for name in ("commit x\ny", ":100644", 'quo"te', "ünï", "[a]*"):
        hub.place(f"skills/{name}/SKILL.md".encode(), b"x")
    hub.place(b"skills/\xff/SKILL.md", b"x")
    hub.commit_index(when=day(3))
    found = history(hub.root)
    expected = {f"skills/{name}/SKILL.md": told(3) for name in (":100644", 'quo"te', "ünï", "[a]*")}
    assert found.updated_at == expected | {"skills/one/SKILL.md": told(1), "skills/two/SKILL.md": told(2)}


def test_hub_in_a_subfolder(tmp_path: Path) -> None:
    """Only the hub's own folder counts, and paths are told from its root."""
    maker = HubMaker(tmp_path / "repo")
    maker.write("a hub/lib/x/SKILL.md", "x")
    maker.write("a hub/lib/SKILL.md", "x")
    inside = maker.commit(when=day(1))
    maker.write("skills/outside/SKILL.md", "x")
    maker.commit(when=day(2))
    found = history(tmp_path / "repo/a hub")
    assert found.hub_revision == inside
    assert found.updated_at == {"lib/SKILL.md": told(1), "lib/x/SKILL.md": told(1)}


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ("0", "1970-01-01T00:00:00Z"),
        ("253402300799", "9999-12-31T23:59:59Z"),
        ("253402300800", "9999-12-31T23:59:59Z"),
        ("99999999999999", "9999-12-31T23:59:59Z"),
        ("-86400", "1970-01-01T00:00:00Z"),
        ("9" * 26, "9999-12-31T23:59:59Z"),
        ("9" * 6000, "9999-12-31T23:59:59Z"),
        ("soon", "1970-01-01T00:00:00Z"),
    ],
)
def test_absurd_clocks_are_moved_into_the_calendar(tmp_path: Path, seconds: str, expected: str) -> None:
    """Commits written by hand with times before 1970, after 9999 or without any still give a time."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one")
    tree = hub.git("rev-parse", f"{hub.commit()}^{{tree}}")
    person = "A <a@example.invalid>"
    text = f"tree {tree}\nauthor {person} 1 +0000\ncommitter {person} {seconds} +0000\n\nodd\n"
    commit = hub.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text.encode())
    hub.git("update-ref", "refs/heads/main", commit)
    found = history(hub.root).updated_at["skills/one/SKILL.md"]
    # what does not fit into git's own numbers is 0 to some versions and passed on by others
    assert found == expected or (len(seconds) > 20 and found == "1970-01-01T00:00:00Z")


def test_since_gives_what_the_whole_history_gives(hub: HubMaker) -> None:
    """Walking only from an earlier revision on finds the same, also what is older than it."""
    since = history(hub.root).hub_revision
    assert history(hub.root, since) == history(hub.root)
    hub.skill("two", "Edited.")
    edited = hub.commit(when=day(3))
    hub.write("README.md", "x")
    hub.commit(when=day(4))
    assert history(hub.root, since) == history(hub.root)
    assert history(hub.root, since, only="two") == History(edited, {"skills/two/SKILL.md": told(3)})
    assert history(hub.root, since, only="one") == History(edited, {"skills/one/SKILL.md": told(1)})


def test_old_branch_merged_after_since(hub: HubMaker) -> None:
    """Work that is older than `since` and arrives by a merge is dated, and does not become the newest change."""
    hub.git("checkout", "-q", "-b", "old", "HEAD~1")
    hub.skill("three")
    hub.commit(when=day(1))
    hub.git("checkout", "-q", "main")
    since = history(hub.root).hub_revision
    hub.git("merge", "-q", "--no-edit", "old", when=day(5))
    found = history(hub.root, since)
    assert found == history(hub.root)
    assert found.hub_revision == since
    assert found.updated_at["skills/three/SKILL.md"] == told(1)


def test_since_with_a_clock_ahead_of_its_children(hub: HubMaker) -> None:
    """A commit made later is the newer one, whatever the clocks said."""
    hub.skill("one", "From the future.")
    since = hub.commit(when="2040-01-01T00:00:00 +0000")
    hub.skill("two", "After it.")
    after = hub.commit(when=day(5))
    assert history(hub.root, since).hub_revision == after == history(hub.root).hub_revision


@pytest.mark.parametrize("since", ["", "HEAD", "--all", "0" * 40, "x" * 40, "not a revision"])
def test_since_may_be_anything(hub: HubMaker, since: str) -> None:
    """It comes from a published manifest: unknown or hostile text means the whole history."""
    assert history(hub.root, since) == history(hub.root)


def test_since_that_is_not_an_ancestor(hub: HubMaker) -> None:
    """After a force-push the old revision is walked around."""
    hub.skill("one", "Will be rewritten.")
    old = hub.commit(when=day(3))
    hub.git("reset", "-q", "--hard", "HEAD~1")
    hub.skill("two", "New line of history.")
    new = hub.commit(when=day(4))
    assert history(hub.root, old) == history(hub.root)
    assert history(hub.root).hub_revision == new


def test_hub_without_any_skill_names_the_commit_read(tmp_path: Path) -> None:
    """Where no indexed file was ever changed, the revision read is all there is to say."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("README.md", "x")
    commit = hub.commit()
    assert history(hub.root) == History(commit, {})


@pytest.mark.parametrize("folder", ["", "skills"])
def test_user_settings_of_git_change_nothing(hub: HubMaker, folder: str) -> None:
    """Relative paths, signatures, renames, follow and hidden root commits are for people, not for us."""
    hub.write(f"{folder or '.'}/hub-index.toml", "")  # which makes a hub of its own of a folder
    expected = history(hub.root / folder)
    for setting in (
        "diff.relative=true",
        "log.showSignature=true",
        "log.showRoot=false",
        "log.follow=true",
        "log.mailmap=true",
        "diff.renames=copies",
        "color.ui=always",
        "core.quotePath=true",
        "log.date=relative",
        "format.pretty=oneline",
        "core.abbrev=4",
        "diff.noprefix=true",
        "log.diffMerges=first-parent",
    ):
        hub.git("config", *setting.split("="))
    assert history(hub.root / folder) == expected
    assert len(expected.updated_at) == 2


def test_walk_ends_when_everything_is_known(hub: HubMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for the newest file does not read commits behind it."""
    seen: list[str] = []
    read_fields = Repository.read_fields

    def counted(self: Repository, *arguments: str):  # type: ignore[no-untyped-def]
        for field in read_fields(self, *arguments):
            seen.append(field)
            yield field

    monkeypatch.setattr(Repository, "read_fields", counted)
    history(hub.root, only="two")
    assert sum(field.startswith("commit ") for field in seen) == 1
