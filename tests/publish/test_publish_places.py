"""Where an index may go: a branch of its own, the local branch, a sub-folder; and what is refused."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.builds.limited_files import hub_index_limited
from support.builds.publish_world import git, make_world, read_index
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.errors import ConfigError, PublishError, RemoteUnavailable, SourceError
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.format.validate import check_index
from hub_index.index.publish.publish import PublishOptions, PublishOutcome, publish_index


def commit_here(hub: Path, **options: Any) -> PublishOutcome:
    """`build --commit` with the fake encoder."""
    tools = BuildTools(encoder_for=lambda _: FakeEncoder())
    return publish_index(hub, BuildOptions(), PublishOptions(**options), tools)


def test_a_branch_of_its_own_holds_one_commit_however_often_it_is_published(tmp_path: Path) -> None:
    """--orphan: main gets no binaries, the index branch no history, and vectors are still reused."""
    world = make_world(tmp_path)
    world.publish(branch="search-index", orphan=True)
    world.push_skill("skill-01", "Does another thing now.")
    second = world.publish(branch="search-index", orphan=True)
    assert len(world.encoder.texts) == 1
    assert second.commit == world.head("search-index")
    assert world.commits("search-index") == 1
    assert len(world.ids("search-index")) == 4
    assert "search" not in git(world.remote, "ls-tree", "--name-only", "main").split()
    assert world.publish(branch="search-index", orphan=True).commit is None


def test_an_orphan_branch_moved_by_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    """The lease names the commit that was read: a newer index on that branch makes us build again."""
    world = make_world(tmp_path)
    world.publish(branch="search-index", orphan=True)
    world.push_skill("skill-01", "Does another thing now.")
    moved: list[str] = []

    def move_first(name: str, work: Any) -> Any:
        if name == "push" and not moved:
            tree = git(world.remote, "rev-parse", "search-index^{tree}")
            moved.append(git(world.remote, "commit-tree", tree, "-m", "somebody else"))
            git(world.remote, "update-ref", "refs/heads/search-index", moved[0])
        return work()

    assert world.publish(run_step=move_first, branch="search-index", orphan=True).tries == 2


def test_an_orphan_never_replaces_a_branch_that_holds_more_than_an_index(tmp_path: Path) -> None:
    """Neither the branch that is read nor anybody's work can be lost by a wrong --branch."""
    world = make_world(tmp_path)
    git(world.remote, "branch", "work", "main")
    before = world.head("work")
    for branch in ("main", "work"):
        with pytest.raises(ConfigError, match="--orphan"):
            world.publish(branch=branch, orphan=True)
    assert (world.head("work"), world.head()) == (before, before)


def test_a_local_commit_moves_the_branch_and_exactly_the_index_folder(tmp_path: Path) -> None:
    """Staged and unfinished work stays as it is, and the folder is clean in index and work tree."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one", "First.")
    hub.write("search/README.txt", "about this folder\n")
    hub.commit("skills")
    hub.skill("one", "Edited, not committed.")
    hub.write("new.txt", "staged\n")
    hub.git("add", "new.txt")
    before = hub.git("status", "--porcelain")
    head = hub.git("rev-parse", "HEAD")
    done = commit_here(hub.root)
    assert hub.git("rev-parse", "main") == done.commit
    assert hub.git("rev-parse", "main~1") == head
    assert hub.git("status", "--porcelain") == before
    assert (hub.root / "search" / "vectors.f32").read_bytes() == read_index(hub.root, "main").vectors
    assert (hub.root / "search" / "README.txt").read_text() == "about this folder\n"
    assert "search/README.txt" in hub.git("ls-tree", "-r", "--name-only", "main")
    assert commit_here(hub.root).commit is None
    assert hub.git("status", "--porcelain") == before


def test_a_local_commit_that_died_before_the_checkout_followed_is_finished_by_the_next(tmp_path: Path) -> None:
    """The branch moved, index and work tree did not: the next run commits nothing and brings them along."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one", "First.")
    hub.commit("skills")
    done = commit_here(hub.root)
    hub.git("reset", "-q", "HEAD~1")  # what the index looks like when the process dies right after update-ref
    hub.git("update-ref", "HEAD", str(done.commit))
    for file in (hub.root / "search").iterdir():
        file.unlink()
    assert hub.git("status", "--porcelain") != ""
    assert commit_here(hub.root).commit is None
    assert hub.git("status", "--porcelain") == ""


def test_a_detached_head_refuses_to_guess_a_remote_branch(tmp_path: Path) -> None:
    """Nobody has said which branch is meant; the message names a command that has the option, and a name settles it."""
    world = make_world(tmp_path)
    git(world.job, "checkout", "-q", "--detach")
    with pytest.raises(ConfigError, match="hub-index publish --push --branch"):
        world.publish()
    assert world.publish(branch="main").commit == world.head()


def test_several_remotes_are_settled_by_a_command_that_has_the_option(tmp_path: Path) -> None:
    """`build --push` has no --remote, so the message names the command that has it."""
    world = make_world(tmp_path)
    git(world.job, "remote", "rename", "origin", "one")
    git(world.job, "remote", "add", "two", str(world.remote))
    git(world.job, "checkout", "-q", "-b", "loose", "--no-track")
    with pytest.raises(ConfigError, match=r"one, two.*hub-index publish --push --remote"):
        world.publish()


def test_a_push_whose_outcome_is_unknown_does_not_claim_that_nothing_was_published(tmp_path: Path) -> None:
    """The remote took the commit and was gone before it could be asked: only another run can tell."""
    world = make_world(tmp_path)
    hook = world.remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nmv {world.remote} {world.remote}.away\nkill -9 $PPID\n")
    hook.chmod(0o755)
    with pytest.raises(PublishError) as caught:
        world.publish()
    assert "nothing was published" not in str(caught.value)
    assert "run again" in str(caught.value)
    world.remote.with_name("remote.git.away").rename(world.remote)
    hook.unlink()
    assert (world.publish().commit, world.commits()) == (None, 2)


def test_a_hub_in_a_folder_of_a_larger_repository_keeps_everything_around_it(tmp_path: Path) -> None:
    """The index lands in the hub's own output folder; every other entry of the trees stays exactly as it was."""
    repository = HubMaker(tmp_path / "big")
    repository.write("tools/agents/hub-index.toml", 'output = "public/index"\n')
    repository.write("tools/agents/skills/one/SKILL.md", "---\nname: one\ndescription: First.\n---\n")
    repository.write("tools/other.txt", "other\n")
    repository.write("run.sh", "#!/bin/sh\n")
    (repository.root / "run.sh").chmod(0o755)
    (repository.root / "link").symlink_to("run.sh")
    repository.commit("all")
    before = set(repository.git("ls-tree", "-r", "HEAD").split("\n"))
    done = commit_here(repository.root / "tools" / "agents")
    assert (done.folder, done.place) == ("public/index", "main:tools/agents/public/index")
    after = set(repository.git("ls-tree", "-r", "HEAD").split("\n"))
    assert before < after
    added = {line.split("\t")[1]: line.split()[0] for line in after - before}
    folder = "tools/agents/public/index"
    names = (".gitattributes", "index_manifest.json", "skills.jsonl", "vectors.f32")
    assert added == {f"{folder}/{name}": "100644" for name in names}
    check_index(read_index(repository.root, "HEAD", folder))
    assert repository.git("status", "--porcelain") == ""


@pytest.mark.parametrize("what", ["link", "file"])
def test_a_link_or_file_in_the_folders_place_is_refused(tmp_path: Path, what: str) -> None:
    """An index is never written through a link, nor over somebody's file."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one")
    if what == "link":
        (hub.root / "search").symlink_to("skills")
    else:
        hub.write("search", "mine\n")
    hub.commit("skills")
    with pytest.raises(PublishError, match="needs a folder"):
        commit_here(hub.root)


def test_a_missing_attributes_file_is_put_back(tmp_path: Path) -> None:
    """An index that is current but unprotected gets its attributes again, in a commit of their own."""
    world = make_world(tmp_path)
    world.publish()
    world.maintainer.git("pull", "-q")
    world.maintainer.git("rm", "-q", "search/.gitattributes")
    world.maintainer.git("commit", "-q", "-m", "tidy")
    world.maintainer.git("push", "-q")
    assert world.publish().commit == world.head()
    assert world.encoder.texts == []
    assert git(world.remote, "show", "--name-only", "--format=", "main") == "search/.gitattributes"


def test_author_and_message_are_the_users(tmp_path: Path) -> None:
    """What was asked for stands in the commit; a malformed author is refused before anything is built."""
    world = make_world(tmp_path)
    world.publish(author="A Robot <robot@example.invalid>", message="Index, please")
    assert git(world.remote, "log", "-1", "--format=%an <%ae>|%cn|%s", "main") == (
        "A Robot <robot@example.invalid>|A Robot|Index, please"
    )
    world.push_skill("new", "More.")
    with pytest.raises(ConfigError, match="--author"):
        world.publish(author="nobody")
    assert world.encoder.texts == []


def test_the_message_tells_what_was_embedded_from_what_the_cache_gave(tmp_path: Path) -> None:
    """A run that embeds nothing does not claim to have."""
    world = make_world(tmp_path)
    made: list[str] = []
    for branch in ("first", "second"):
        git(world.job, "branch", branch, "main")
        tools = BuildTools(encoder_for=lambda _: FakeEncoder(), cache=VectorCache(tmp_path / "cache"))
        done = publish_index(world.job, BuildOptions(), PublishOptions(branch=branch), tools)
        made.append(git(world.job, "log", "-1", "--format=%b", str(done.commit)))
    assert "4 texts embedded with" in made[0]
    assert "0 from the cache" in made[0]
    assert "0 texts embedded with" in made[1]
    assert "4 from the cache" in made[1]


def test_without_any_identity_the_program_signs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare CI machine has no user.name, and no guess from its host name is published."""
    world = make_world(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    world.publish()
    assert git(world.remote, "log", "-1", "--format=%an", "main") == "hub-index"


@pytest.mark.parametrize("limit_offset", [0, -1])
def test_a_file_over_the_limit_of_github_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit_offset: int
) -> None:
    """Exactly at the limit it passes, one byte above it nothing is published."""
    world = make_world(tmp_path)
    longest = len(world.maintainer_index().skills)
    monkeypatch.setattr("hub_index.index.publish.commit.MAX_GIT_FILE_BYTES", longest + limit_offset)
    if limit_offset == 0:
        assert world.publish().commit is not None
        return
    with pytest.raises(PublishError, match=r"skills\.jsonl has .* bytes and GitHub refuses"):
        world.publish()
    assert world.commits() == 1


def test_a_remote_that_refuses_says_why_and_one_that_is_away_may_be_tried_again(tmp_path: Path) -> None:
    """A hook's refusal is final and quoted; a remote that cannot be reached is another error."""
    world = make_world(tmp_path)
    hook = world.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'only humans push here' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(PublishError, match="only humans push here") as caught:
        world.publish()
    assert not isinstance(caught.value, RemoteUnavailable)
    git(world.job, "remote", "set-url", "origin", "http://token:s3cret@127.0.0.1:9/hub.git")
    with pytest.raises(RemoteUnavailable) as away:
        world.publish()
    assert "s3cret" not in str(away.value)


def test_wishes_that_contradict_each_other_are_usage_errors(tmp_path: Path) -> None:
    """--rev and --out cannot be published, --orphan needs a name, names must be git's."""
    world = make_world(tmp_path)
    for build, options in (
        (BuildOptions(rev="HEAD~0"), {}),
        (BuildOptions(out=tmp_path / "elsewhere"), {}),
        (BuildOptions(), {"orphan": True}),
        (BuildOptions(), {"branch": "--force"}),
        (BuildOptions(), {"branch": "a..b"}),
        (BuildOptions(), {"remote": "nowhere"}),
    ):
        with pytest.raises(ConfigError):
            world.publish(build=build, **options)
    with pytest.raises(SourceError, match="origin/absent"):
        world.publish(branch="absent")
    assert world.commits() == 1


def test_a_dry_run_reads_the_remote_and_changes_nothing(tmp_path: Path) -> None:
    """It says what the next run would embed."""
    world = make_world(tmp_path)
    before = world.head()
    done = world.publish(build=BuildOptions(dry_run=True))
    assert (done.commit, done.report.embedded, world.encoder.texts) == (None, 4, [])
    assert world.head() == before


@pytest.mark.parametrize("push", [False, True])
def test_what_is_advised_for_a_branch_that_is_not_there_works(tmp_path: Path, push: bool) -> None:
    """Followed to the letter the command makes the branch, and the next publish finds it."""
    world = make_world(tmp_path)
    with pytest.raises(SourceError, match=r"there is no branch (origin/)?a&b: .*lists those that are there") as refused:
        world.publish(push=push, branch="a&b")
    command = str(refused.value).split("`")[-2]
    subprocess.run(command, shell=True, cwd=world.job, check=True, capture_output=True)
    assert world.publish(push=push, branch="a&b").commit is not None


def test_a_branch_without_a_commit_is_said_to_have_none(tmp_path: Path) -> None:
    """`git init` or `git switch --orphan`: there is nothing to make, only to commit."""
    world = make_world(tmp_path)
    git(world.job, "switch", "-q", "--orphan", "new")
    with pytest.raises(SourceError, match="the branch new is checked out and has no commit yet; commit something"):
        world.publish(push=False)


def test_a_git_that_a_limit_stops_says_so(tmp_path: Path) -> None:
    """A signal leaves no word on stderr: the message names it and what to do, and the branch stays."""
    world = make_world(tmp_path)
    head = git(world.job, "rev-parse", "HEAD")
    done = hub_index_limited(40, "publish", str(world.job))
    assert done.code == 7
    assert "stopped by signal 25 (File size limit exceeded); no branch was moved by it, free space" in done.err
    assert git(world.job, "rev-parse", "HEAD") == head


def test_a_branch_whose_commit_cannot_be_read_is_said_to_be_damaged(tmp_path: Path) -> None:
    """It has a commit, and another one is not what it needs."""
    world = make_world(tmp_path)
    git(world.job, "commit", "-q", "--allow-empty", "-m", "loose")
    head = git(world.job, "rev-parse", "HEAD")
    (world.job / ".git/objects" / head[:2] / head[2:]).unlink()
    with pytest.raises(SourceError, match=f"main is at {head[:12]}, which git cannot read: run `git fsck`"):
        world.publish(push=False)
