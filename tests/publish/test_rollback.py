"""A bad index is out: its owner puts an earlier one back, scheduled runs leave it alone, and --resume ends that."""

from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_world import git, make_world, read_index
from support.builds.rollback_world import LATER, LATER_TEXT, check_put_back, hold_of, is_held, make_history
from support.models.fake_encoder import FakeEncoder

from hub_index.errors import ConfigError, IndexCorrupt, SourceError
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.folder.hold import HOLD_FILE, Hold


def test_a_rollback_puts_the_index_before_back_by_a_new_commit_and_holds_it(tmp_path: Path) -> None:
    """Rows and vectors byte for byte, a new created_at, one commit on top, a file that says who holds it."""
    world, (_, before, _) = make_history(tmp_path)
    bad = world.head()
    done = world.roll_back(now=lambda: LATER, author="Ann Owner <ann@example.org>")
    assert done.commit == world.head()
    assert git(world.remote, "rev-parse", "main~1") == bad
    check_put_back(read_index(world.remote, "main"), before)
    assert world.ids() == ["late-1", "skill-00", "skill-01"]
    was = git(world.remote, "rev-list", "main", "--", "search/skills.jsonl").split()[2]
    assert hold_of(world) == Hold(LATER_TEXT, "Ann Owner", was)
    assert (done.rolled_back_to, done.report.changed, done.report.skills) == (was, True, 3)
    assert "publish --resume" in done.report.notices[0]
    assert git(world.remote, "log", "-1", "--format=%s", "main") == f"Search index: back to that of {was[:12]}"
    assert git(world.remote, "show", "--name-only", "--format=", "main").split() == [
        f"search/{HOLD_FILE}",
        "search/index_manifest.json",
        "search/skills.jsonl",
        "search/vectors.f32",
    ]


def test_scheduled_runs_respect_a_hold_until_the_owner_resumes(tmp_path: Path) -> None:
    """A publish of a held hub commits and embeds nothing and does not fail; --resume is one commit without the hold."""
    world, _ = make_history(tmp_path)
    world.roll_back()
    held = world.head()
    night = world.publish()
    assert (night.commit, night.report.changed, night.report.held) == (None, False, hold_of(world))
    world.publish(build=BuildOptions(force=True))
    assert (world.head(), world.encoder.texts) == (held, [])
    planned = world.publish(build=BuildOptions(dry_run=True)).report
    assert (planned.added, planned.would_change, planned.held) == (("late-2",), False, hold_of(world))

    world.push_skill("late-3", "Came while the index was held.")
    assert world.publish().commit is None
    resumed = world.publish(resume=True)
    assert (resumed.commit, resumed.report.held) == (world.head(), None)
    assert "the index is not held any more" in resumed.report.notices
    assert len(world.encoder.texts) == 2  # late-2 and late-3: the others kept their vectors
    assert not is_held(world)
    assert world.ids() == ["late-1", "late-2", "late-3", "skill-00", "skill-01"]
    assert world.publish().commit is None
    assert world.publish(resume=True).report.notices == ("the index was not held: there was nothing to resume",)


def test_a_resume_whose_build_is_refused_leaves_the_hold(tmp_path: Path) -> None:
    """The hold goes with the commit of the new index, so a hub that shrank to nothing stays held."""
    world, _ = make_history(tmp_path)
    world.roll_back()
    world.maintainer.git("pull", "-q")
    world.maintainer.git("rm", "-q", "-r", "skills")
    world.maintainer.git("commit", "-q", "-m", "gone")
    world.maintainer.git("push", "-q")
    with pytest.raises(SourceError):
        world.publish(resume=True)
    assert is_held(world)


def test_resuming_a_current_index_only_ends_the_hold(tmp_path: Path) -> None:
    """`--rollback main` holds the present index; --resume then removes the file and no byte of the index."""
    world, (*_, last) = make_history(tmp_path)
    git(world.job, "fetch", "-q")
    world.roll_back("origin/main", now=lambda: LATER)
    check_put_back(read_index(world.remote, "main"), last)
    held = read_index(world.remote, "main")
    world.publish(resume=True)
    assert git(world.remote, "show", "--name-status", "--format=", "main") == f"D\tsearch/{HOLD_FILE}"
    assert read_index(world.remote, "main") == held


def test_a_rollback_to_a_revision_takes_that_commits_index(tmp_path: Path) -> None:
    """Any commit that is here and has an index; a held index can be exchanged for another by naming it."""
    world, (oldest, before, _) = make_history(tmp_path)
    git(world.job, "fetch", "-q")
    rows = git(world.job, "rev-list", "origin/main", "--", "search/skills.jsonl").split()
    world.roll_back(rows[2], now=lambda: LATER)
    check_put_back(read_index(world.remote, "main"), oldest)
    with pytest.raises(ConfigError, match=r"is held since .* say which: --rollback REV"):
        world.roll_back()
    world.roll_back(rows[1][:12], now=lambda: LATER)
    check_put_back(read_index(world.remote, "main"), before)


def test_what_cannot_be_put_back_is_refused_in_one_line(tmp_path: Path) -> None:
    """No index at that commit, no such commit, nothing earlier, an index that our reader does not accept."""
    world = make_world(tmp_path, skills=2)
    with pytest.raises(SourceError, match="has no earlier index in search/"):
        world.roll_back()
    world.publish()
    head = world.head()
    with pytest.raises(SourceError, match="has no earlier index in search/"):
        world.roll_back()
    with pytest.raises(SourceError, match=r"has no index in search/: `git log -- search` shows"):
        world.roll_back("HEAD")  # the job's own branch never moved
    with pytest.raises(SourceError, match="'no-such' is not a commit"):
        world.roll_back("no-such")
    hub = world.maintainer
    hub.git("pull", "-q")
    hub.write("search/skills.jsonl", "{}\n")
    hub.git("commit", "-q", "-am", "edited by hand")
    hub.git("push", "-q")
    damaged = world.head()
    git(world.job, "fetch", "-q")
    with pytest.raises(IndexCorrupt, match=r"cannot be put back .*name another commit"):
        world.roll_back(damaged)
    assert world.head() == damaged
    world.roll_back()  # the damaged one is another index than the one before it
    assert read_index(world.remote, "main").skills == read_index(world.remote, head).skills


def test_a_damaged_manifest_does_not_stand_in_the_way(tmp_path: Path) -> None:
    """An index that nobody can read is just what a rollback is for."""
    world, (*_, last) = make_history(tmp_path)
    hub = world.maintainer
    hub.git("pull", "-q")
    hub.write("search/index_manifest.json", "{")
    hub.git("commit", "-q", "-am", "a bad merge")
    hub.git("push", "-q")
    world.roll_back(now=lambda: LATER)
    check_put_back(read_index(world.remote, "main"), last)


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path) -> None:
    """Neither a revision that is cut off nor the index before can be found in a clone of one commit."""
    world, (_, before, _) = make_history(tmp_path)
    older = git(world.remote, "rev-parse", "main~2")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{world.remote}", str(tmp_path / "shallow"))
    world.job = tmp_path / "shallow"
    with pytest.raises(SourceError, match=r"no earlier index .* the clone is shallow: `git fetch --unshallow`"):
        world.roll_back()
    with pytest.raises(SourceError, match="the clone is shallow: `git fetch --unshallow` first"):
        world.roll_back(older)
    git(world.job, "fetch", "-q", "--unshallow")
    world.roll_back(now=lambda: LATER)
    check_put_back(read_index(world.remote, "main"), before)


def test_a_rollback_of_the_checked_out_branch_brings_folder_and_git_index_along(tmp_path: Path) -> None:
    """Without --push: the branch, the folder and git's index all hold it, other work stays; so after --resume."""
    world, (_, before, _) = make_history(tmp_path)
    world.job = world.maintainer.root
    world.maintainer.git("pull", "-q")
    world.maintainer.write("notes.txt", "mine\n")
    world.roll_back(push=False, now=lambda: LATER)
    assert world.maintainer.git("status", "--porcelain") == "?? notes.txt"
    assert (world.job / "search" / HOLD_FILE).is_file()
    check_put_back(read_index(world.job, "HEAD"), before)

    tools = BuildTools(encoder_for=lambda _: FakeEncoder())
    built = build_index(world.job, BuildOptions(), tools)
    assert (built.report.changed, built.report.held is not None) == (False, True)
    trial = build_index(world.job, BuildOptions(out=tmp_path / "trial"), tools)
    assert (trial.report.changed, trial.report.held) == (True, None)
    assert world.maintainer.git("status", "--porcelain") == "?? notes.txt"

    world.publish(push=False, resume=True)
    assert world.maintainer.git("status", "--porcelain") == "?? notes.txt"
    assert not (world.job / "search" / HOLD_FILE).exists()


@pytest.mark.parametrize("content", ["", "not JSON", '{"held_by": "\\u001b[31mMallory\\nnote: all is well", "x": [1]}'])
def test_a_hold_made_by_hand_holds_as_well(tmp_path: Path, content: str) -> None:
    """The file counts by being there; what it says is shown as one clean line."""
    world, _ = make_history(tmp_path, indexes=1)
    world.push_skill("late", "One more.")
    world.maintainer.git("pull", "-q")
    world.maintainer.write(f"search/{HOLD_FILE}", content)
    world.maintainer.git("add", "search")
    world.maintainer.git("commit", "-q", "-m", "hold")
    world.maintainer.git("push", "-q")
    report = world.publish().report
    assert report.held is not None
    assert report.notices[-1].isprintable()
    world.publish(resume=True)
    assert not is_held(world)


@pytest.mark.parametrize("orphan", [True, False])
def test_a_hub_in_a_folder_of_a_larger_repository_is_rolled_back_there(tmp_path: Path, orphan: bool) -> None:
    """History is searched and the hold is written at the hub's own index folder."""
    world = make_world(tmp_path, skills=2)
    hub = world.maintainer
    (hub.root / "hub").mkdir()
    hub.git("mv", "skills", "hub/skills")
    hub.git("commit", "-q", "-m", "move")
    world.job = hub.root / "hub"
    where: dict[str, Any] = {"push": False} | ({"branch": "search-index", "orphan": True} if orphan else {})
    branch = where.get("branch", "main")
    world.publish(**where)
    first = read_index(hub.root, branch, "hub/search")
    hub.write("hub/skills/late/SKILL.md", "---\nname: late\ndescription: Does one thing more.\n---\n")
    hub.git("add", "hub/skills")
    hub.git("commit", "-q", "-m", "one more")
    world.publish(**where)
    done = world.roll_back(now=lambda: LATER, **where)
    check_put_back(read_index(hub.root, branch, "hub/search"), first)
    assert done.place == f"{branch}:hub/search"
    assert world.publish(**where).report.held is not None
    world.publish(resume=True, **where)
    assert HOLD_FILE not in hub.git("ls-tree", "-r", "--name-only", branch)
