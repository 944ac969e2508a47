"""A branch that holds the index alone has no history: its last three indexes are kept under refs/hub-index/."""

from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_world import PublishWorld, git, read_index
from support.builds.rollback_world import LATER, check_put_back, hold_of, is_held, make_history

from hub_index.errors import ConfigError, SourceError
from hub_index.index.publish.branches import plan_keeping, select_kept
from hub_index.limits import MAX_KEPT_INDEXES

BRANCH = "search-index"
ORPHAN: dict[str, Any] = {"branch": BRANCH, "orphan": True}


def kept_refs(repository: Path, branch: str = BRANCH) -> list[str]:
    """The names of the kept ones, oldest first."""
    return git(repository, "for-each-ref", "--format=%(refname)", f"refs/hub-index/{branch}/").split()


def roll_back_and_resume(world: PublishWorld, repository: Path, **options: Any) -> None:
    """The whole way: the index before is back and held, a scheduled run leaves it alone, --resume builds again."""
    before = read_index(repository, kept_refs(repository)[-1])
    world.roll_back(now=lambda: LATER, **ORPHAN, **options)
    check_put_back(read_index(repository, BRANCH), before)
    assert git(repository, "rev-list", "--count", BRANCH) == "1"
    held = git(repository, "rev-parse", BRANCH)
    night = world.publish(**ORPHAN, **options)
    assert (night.commit, night.report.held is not None) == (None, True)
    assert git(repository, "rev-parse", BRANCH) == held
    assert world.publish(resume=True, **ORPHAN, **options).report.skills == 6
    assert "index_hold" not in git(repository, "ls-tree", "-r", "--name-only", BRANCH)
    assert len(kept_refs(repository)) == MAX_KEPT_INDEXES


def test_five_publishes_keep_the_last_three_and_the_one_before_is_put_back(tmp_path: Path) -> None:
    """Of five indexes the fifth is published, three are kept on the remote and the first is gone."""
    world, published = make_history(tmp_path, indexes=5, **ORPHAN)
    refs = kept_refs(world.remote)
    assert refs == [f"refs/hub-index/{BRANCH}/00000{number}" for number in (2, 3, 4)]
    assert [read_index(world.remote, ref) for ref in refs] == published[1:4]
    assert kept_refs(world.job) == []
    roll_back_and_resume(world, world.remote)


def test_without_push_they_are_kept_in_the_repository_itself(tmp_path: Path) -> None:
    """The same story on a local branch that nobody has checked out."""
    world, _ = make_history(tmp_path, indexes=5)
    for ref in git(world.remote, "rev-list", "--reverse", "main", "--", "search/skills.jsonl").split():
        git(world.job, "fetch", "-q", "origin", ref)
        git(world.job, "reset", "-q", "--hard", ref)
        world.publish(push=False, **ORPHAN)
    assert len(kept_refs(world.job)) == MAX_KEPT_INDEXES
    assert kept_refs(world.remote) == []
    roll_back_and_resume(world, world.job, push=False)


@pytest.mark.parametrize("form", ["ref", "number", "commit"])
def test_a_kept_index_is_fetched_by_a_fresh_clone_that_names_it(tmp_path: Path, form: str) -> None:
    """By its ref, its number or its commit id; the clone that rolls back need not have published anything."""
    world, published = make_history(tmp_path, indexes=4, **ORPHAN)
    oldest = kept_refs(world.remote)[0]
    commit = git(world.remote, "rev-parse", oldest)
    names = {"ref": oldest, "number": oldest[-6:], "commit": commit[:10]}
    git(tmp_path, "clone", "-q", "--single-branch", str(world.remote), str(tmp_path / "fresh"))
    world.job = tmp_path / "fresh"
    world.roll_back(names[form], now=lambda: LATER, **ORPHAN)
    check_put_back(read_index(world.remote, BRANCH), published[0])
    assert hold_of(world, BRANCH).index_of == commit


def test_a_first_index_has_nothing_before_it(tmp_path: Path) -> None:
    """One publish keeps nothing, and a branch that is not there yet is said to be missing."""
    world, _ = make_history(tmp_path, indexes=1, **ORPHAN)
    assert kept_refs(world.remote) == []
    with pytest.raises(SourceError, match=f"origin/{BRANCH} has no earlier index"):
        world.roll_back(**ORPHAN)
    with pytest.raises(SourceError, match="there is no branch origin/other"):
        world.roll_back(branch="other", orphan=True)
    git(world.remote, "branch", "more", "main")
    with pytest.raises(ConfigError, match="holds more than an index"):
        world.roll_back(branch="more", orphan=True)


def test_a_remote_that_refuses_the_kept_refs_still_gets_the_index(tmp_path: Path) -> None:
    """The branch is pushed alone then, and the report says that the index before it was not kept."""
    world, _ = make_history(tmp_path, indexes=1, **ORPHAN)
    hook = world.remote / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ncase "$1" in refs/hub-index/*) echo "no such refs here" >&2; exit 1;; esac\n')
    hook.chmod(0o755)
    world.push_skill("late", "One more.")
    done = world.publish(**ORPHAN)
    assert done.commit == world.head(BRANCH)
    assert f"could not be kept as refs/hub-index/{BRANCH}/000001" in done.report.notices[-1]
    assert kept_refs(world.remote) == []
    assert not is_held(world, BRANCH)


def test_branches_whose_names_begin_alike_keep_their_own() -> None:
    """`a` and `a/b` cannot both be branches at once, but one may follow the other; numbers grow past six digits."""
    refs = {
        "refs/hub-index/a/000009": "1",
        "refs/hub-index/a/1000000": "2",
        "refs/hub-index/a/b/000003": "3",
        "refs/hub-index/a/mine": "4",
    }
    assert list(select_kept(refs, "refs/heads/a").values()) == ["2", "1"]
    assert plan_keeping(select_kept(refs, "refs/heads/a"), "refs/heads/a", "5").ref == "refs/hub-index/a/1000001"
