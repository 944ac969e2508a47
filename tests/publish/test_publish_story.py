"""A hub that keeps its own index fresh: a scheduled job and a maintainer with unfinished work, over one bare remote."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.builds.publish_world import git, make_world, read_index


def test_a_hub_keeps_its_index_fresh_while_its_maintainer_works(tmp_path: Path) -> None:
    """Each run embeds exactly the new texts and makes one commit a change; nobody's checkout is touched."""
    world = make_world(tmp_path, skills=4)
    hub = world.maintainer
    hub.write("README.md", "A hub, half rewritten.\n")
    hub.write("notes.txt", "not for git\n")
    hub.write("staged.txt", "for the next commit\n")
    hub.git("add", "staged.txt")
    unfinished = hub.git("status", "--porcelain")
    job_before = git(world.job, "status", "--porcelain", "--branch").split("\n")[1:]

    first = world.publish()
    assert first.commit == world.head()
    assert (len(world.encoder.texts), world.commits(), first.branch) == (4, 2, "origin/main")
    assert git(world.remote, "show", "--name-only", "--format=", "main").split() == [
        "search/.gitattributes",
        "search/index_manifest.json",
        "search/skills.jsonl",
        "search/vectors.f32",
    ]

    again = world.publish()
    assert (again.commit, again.report.changed, world.encoder.texts, world.commits()) == (None, False, [], 2)
    assert hub.git("status", "--porcelain") == unfinished

    world.push_skill("skill-01", "Does another thing now.")
    world.publish()
    assert len(world.encoder.texts) == 1
    assert world.commits() == 4

    hub.git("pull", "-q", "--rebase", "--autostash")
    hub.git("mv", "skills/skill-02", "skills/renamed")  # the frontmatter keeps its name, so the text is the same
    hub.git("commit", "-q", "-m", "rename", "--", "skills")
    hub.git("push", "-q")
    renamed = world.publish()
    assert world.encoder.texts == []
    assert renamed.commit == world.head()
    assert world.ids() == ["renamed", "skill-00", "skill-01", "skill-03"]

    hub.git("pull", "-q", "--rebase", "--autostash")
    hub.git("rm", "-q", "-r", "skills/skill-03")
    hub.git("commit", "-q", "-m", "remove", "--", "skills")
    hub.git("push", "-q")
    world.publish()
    assert world.encoder.texts == []
    assert world.ids() == ["renamed", "skill-00", "skill-01"]
    assert world.commits() == 8
    assert git(world.remote, "rev-list", "--merges", "main") == ""

    assert hub.git("status", "--porcelain") == unfinished
    assert git(world.job, "status", "--porcelain", "--branch").split("\n")[1:] == job_before
    assert git(world.job, "rev-parse", "main") == git(world.remote, "rev-list", "--max-parents=0", "main")

    index_now = read_index(world.remote, "main")
    hub.git("commit", "-q", "-m", "the staged file")
    hub.git("pull", "-q", "--rebase", "--autostash")
    hub.git("push", "-q")
    assert read_index(world.remote, "main") == index_now
    assert (hub.root / "search" / "vectors.f32").read_bytes() == index_now.vectors
    assert world.publish().commit is None


def test_a_racing_push_is_rebuilt_on_the_new_head_and_never_merged(tmp_path: Path) -> None:
    """Whoever pushes between our fetch and our push keeps their commit, and the index speaks of it."""
    world = make_world(tmp_path)
    raced: list[str] = []

    def race_once(name: str, work: Callable[[], Any]) -> Any:
        if name == "push" and not raced:
            raced.append(name)
            world.push_skill("late", "Came in between.")
        return work()

    done = world.publish(run_step=race_once)
    assert done.tries == 2
    assert world.ids() == ["late", "skill-00", "skill-01", "skill-02", "skill-03"]
    parents = git(world.remote, "rev-list", "--parents", "main").split("\n")
    assert all(len(line.split()) <= 2 for line in parents)
    assert len(parents) == 3
