"""`build --commit` and a user's checkout: index and folder are ready before the branch moves, or it stays."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import pytest
from support.builds.broken_disk import ENOSPC, CountingDisk, fail_at, run_in_child
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

from hub_index.errors import ConfigError, PublishError
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools, run_here
from hub_index.index.folder.reading import read_files
from hub_index.index.format.validate import check_index
from hub_index.index.publish.commit import check_commit
from hub_index.index.publish.local_branch import LocalBranch
from hub_index.index.publish.publish import PublishOptions, PublishOutcome, publish_index

FILES = ("search/.gitattributes", "search/index_manifest.json", "search/skills.jsonl", "search/vectors.f32")


def make_hub(root: Path) -> HubMaker:
    hub = HubMaker(root)
    hub.skill("one", "First.")
    hub.commit("skills")
    return hub


def commit_here(hub: HubMaker, run_step: Callable[[str, Callable[[], Any]], Any] = run_here) -> PublishOutcome:
    """`build --commit` with the fake encoder."""
    tools = BuildTools(encoder_for=lambda _: FakeEncoder(), run_step=run_step)
    return publish_index(hub.root, BuildOptions(), PublishOptions(), tools)


def user_commits(hub: HubMaker) -> list[str]:
    """What a user's next commit says about the index folder, with nothing staged by them."""
    hub.git("commit", "-q", "--allow-empty", "-m", "user")
    return hub.git("show", "--name-status", "--format=", "HEAD").split("\n")


def tracked(hub: HubMaker) -> tuple[str, ...]:
    return tuple(hub.git("ls-tree", "-r", "--name-only", "HEAD", "search").split())


def test_a_locked_git_index_stops_the_commit_before_the_branch_moves(tmp_path: Path) -> None:
    """Nothing is committed and the message says so; the user's next commit deletes nothing, and another run ends it."""
    hub = make_hub(tmp_path / "hub")
    head = hub.git("rev-parse", "HEAD")
    lock = hub.root / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(PublishError, match=r"main was not moved.*index\.lock|index\.lock.*main was not moved"):
        commit_here(hub)
    assert hub.git("rev-parse", "HEAD") == head
    lock.unlink()
    assert user_commits(hub) == [""]
    done = commit_here(hub)
    assert (hub.git("rev-parse", "HEAD"), hub.git("status", "--porcelain")) == (done.commit, "")
    assert user_commits(hub) == [""]
    assert tracked(hub) == FILES


def test_a_full_disk_at_any_step_leaves_branch_and_checkout_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever write to the folder fails, the branch stays, a user's commit deletes nothing, and a rerun ends it."""
    hub = make_hub(tmp_path / "hub")
    commit_here(hub)
    hub.skill("one", "Edited.")
    hub.commit("edit")
    failures = 0
    while True:
        head = hub.git("rev-parse", "HEAD")
        disk = CountingDisk(fail_at(failures + 1, ENOSPC, for_ever=True, removing_too=False))
        monkeypatch.setattr("hub_index.index.folder.writing.Disk", lambda disk=disk: disk)
        try:
            done = commit_here(hub)
        except PublishError:
            failures += 1
            assert hub.git("rev-parse", "HEAD") == head
            assert user_commits(hub) == [""]
            check_index(read_files(hub.root / "search"))
            continue
        break
    assert failures > 5
    assert hub.git("rev-parse", "HEAD") == done.commit
    assert hub.git("status", "--porcelain") == ""


def test_a_branch_that_git_will_not_move_gets_its_staged_state_back(tmp_path: Path) -> None:
    """The ref is locked: what was staged is as before, and so is everything else that was."""
    hub = make_hub(tmp_path / "hub")
    hub.write("new.txt", "staged\n")
    hub.git("add", "new.txt")
    staged = hub.git("ls-files", "--stage")
    lock = hub.root / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    with pytest.raises(PublishError, match="main cannot be moved"):
        commit_here(hub)
    assert hub.git("ls-files", "--stage") == staged
    lock.unlink()
    assert commit_here(hub).commit == hub.git("rev-parse", "HEAD")
    assert hub.git("status", "--porcelain") == "A  new.txt"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_publisher_killed_around_the_move_of_the_branch_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The next commit of the user keeps the whole index, no lock stays, and the next run ends with a clean checkout."""
    hub = make_hub(tmp_path / "hub")
    update = LocalBranch._update_ref

    def die(self: LocalBranch, step: Any) -> None:
        if when == "after":
            update(self, step)
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(LocalBranch, "_update_ref", die)
        assert not run_in_child(lambda: commit_here(hub) and None)
    assert not any(line.startswith("D") for line in user_commits(hub))
    assert tracked(hub) == FILES
    assert commit_here(hub).commit is None
    assert hub.git("status", "--porcelain") == ""


def test_a_user_who_commits_in_between_makes_us_start_again(tmp_path: Path) -> None:
    """Their commit stays, ours comes on top, and index and folder follow it."""
    hub = make_hub(tmp_path / "hub")
    raced: list[str] = []

    def race_once(name: str, work: Callable[[], Any]) -> Any:
        if name == "push" and not raced:
            hub.skill("two", "Second.")
            raced.append(hub.commit("two"))
        return work()

    done = commit_here(hub, race_once)
    assert (done.tries, done.report.skills) == (2, 2)
    assert hub.git("rev-parse", "HEAD") == done.commit
    assert hub.git("status", "--porcelain") == ""


def test_a_checkout_that_an_older_run_left_behind_follows(tmp_path: Path) -> None:
    """The index before the last commit, staged and in the folder: the next run brings both along."""
    hub = make_hub(tmp_path / "hub")
    commit_here(hub)
    hub.skill("one", "Edited.")
    hub.commit("edit")
    done = commit_here(hub)
    hub.git("checkout", "-q", "HEAD~1", "--", "search")
    assert hub.git("status", "--porcelain") != ""
    assert commit_here(hub).commit is None
    assert hub.git("rev-parse", "HEAD") == done.commit
    assert hub.git("status", "--porcelain") == ""


@pytest.mark.parametrize("is_staged", [False, True])
def test_what_a_user_wrote_into_the_index_by_hand_stays_until_a_new_one_is_committed(
    tmp_path: Path, is_staged: bool
) -> None:
    """A run with nothing to commit leaves hand-made changes alone and says so."""
    hub = make_hub(tmp_path / "hub")
    commit_here(hub)
    hub.write("search/skills.jsonl", "mine\n")
    if is_staged:
        hub.git("add", "search/skills.jsonl")
    before = hub.git("status", "--porcelain")
    done = commit_here(hub)
    assert done.commit is None
    assert hub.git("status", "--porcelain") == before
    assert (hub.root / "search" / "skills.jsonl").read_text() == "mine\n"
    assert any("search" in text and "git checkout HEAD -- search" in text for text in done.report.notices)
    hub.skill("one", "Edited.")
    hub.git("commit", "-q", "-m", "edit", "--", "skills")
    assert commit_here(hub).commit == hub.git("rev-parse", "HEAD")
    assert hub.git("status", "--porcelain") == ""


def test_an_uncommitted_build_in_the_folder_gives_way_to_the_branch(tmp_path: Path) -> None:
    """A whole index, however old, was not made by hand."""
    hub = make_hub(tmp_path / "hub")
    commit_here(hub)
    hub.skill("one", "Edited.")
    hub.commit("edit")
    build_index(hub.root, BuildOptions(), BuildTools(encoder_for=lambda _: FakeEncoder()))
    hub.git("reset", "-q", "--soft", "HEAD~1")
    assert "search" in hub.git("status", "--porcelain")
    assert commit_here(hub).commit is None
    assert "search" not in hub.git("status", "--porcelain")


@pytest.mark.parametrize("operation", ["merge", "cherry-pick", "revert", "rebase"])
def test_an_unfinished_operation_of_git_refuses_a_local_commit(tmp_path: Path, operation: str) -> None:
    """A commit under a half-done merge would end up inside it: finish or abort it first."""
    hub = make_hub(tmp_path / "hub")
    hub.git("checkout", "-q", "-b", "side")
    hub.write("README.md", "theirs\n")
    hub.commit("theirs")
    hub.git("checkout", "-q", "main")
    for text in ("ours\n", "later\n"):
        hub.write("README.md", text)
        hub.commit(text)
    with pytest.raises(CalledProcessError):  # a conflict
        hub.git(operation, "HEAD~1" if operation == "revert" else "side")
    head = hub.git("rev-parse", "HEAD")
    before = hub.git("status", "--porcelain")
    with pytest.raises(PublishError, match=f"a {operation} is not finished.*git {operation} --continue"):
        commit_here(hub)
    assert (hub.git("rev-parse", "HEAD"), hub.git("status", "--porcelain")) == (head, before)


@pytest.mark.parametrize("gone", ["search/vectors.f32", "search/index_manifest.json", "search"])
@pytest.mark.parametrize("before", ["push", "commit"])
def test_objects_that_another_git_removes_too_early(tmp_path: Path, gone: str, before: str) -> None:
    """`git gc --prune=now` beside a publish: an error with what to do, the branch as it was, and the next run mends."""
    hub = make_hub(tmp_path / "hub")
    commit_here(hub)
    hub.skill("two", "Second.")
    head, old = hub.commit("two"), read_files(hub.root / "search")

    def prune(name: str, work: Callable[[], Any]) -> Any:
        if name == before == "push":
            remove_objects(hub, gone)
        return work()

    with pytest.MonkeyPatch.context() as patch:
        if before == "commit":
            patch.setattr("hub_index.index.publish.publish.check_commit", pruned_first(hub, gone, check_commit))
        with pytest.raises(PublishError, match=r"git gc --prune=now.*run again when no other git is at work here"):
            commit_here(hub, prune)
    assert (hub.git("rev-parse", "HEAD"), hub.git("status", "--porcelain")) == (head, "")
    assert read_files(hub.root / "search") == old
    assert commit_here(hub).commit == hub.git("rev-parse", "HEAD")


def remove_objects(hub: HubMaker, path: str) -> None:
    """What a path is in the newest commit that nothing refers to yet is not there any more."""
    (commit,) = (line.split()[-1] for line in hub.git("fsck", "--unreachable").split("\n") if " commit " in line)
    found = hub.git("rev-parse", f"{commit}:{path}")
    (hub.root / ".git/objects" / found[:2] / found[2:]).unlink()


def pruned_first(hub: HubMaker, path: str, check: Callable[..., None]) -> Callable[..., None]:
    """The check of a new commit, after an object of it was removed."""

    def removed_and_checked(*arguments: Any) -> None:
        remove_objects(hub, path)
        check(*arguments)

    return removed_and_checked


def test_a_detached_head_refuses_a_local_commit(tmp_path: Path) -> None:
    """A commit that belongs to no branch would be lost by the next checkout; a named branch takes it."""
    hub = make_hub(tmp_path / "hub")
    hub.git("checkout", "-q", "--detach")
    head = hub.git("rev-parse", "HEAD")
    with pytest.raises(ConfigError, match=r"no branch is checked out.*hub-index publish --branch"):
        commit_here(hub)
    assert hub.git("rev-parse", "HEAD") == head
    assert hub.git("status", "--porcelain") == ""
    tools = BuildTools(encoder_for=lambda _: FakeEncoder())
    done = publish_index(hub.root, BuildOptions(), PublishOptions(branch="main"), tools)
    assert hub.git("rev-parse", "main") == done.commit
