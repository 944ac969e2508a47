"""F92: hub-index.lock and a project's folders may be a stranger's: they decide nothing outside of agents' folders."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.installs.install_world import OLD, OLD_FILES, InstallWorld, make_install_world, read_folder

from hub_index.errors import ConfigError
from hub_index.installs.agent_folders import project_root
from hub_index.installs.lock_file import InstallLock, encode_lock, parse_lock, read_lock

Spoil = Callable[[dict[str, Any]], object]


@pytest.fixture
def world(tmp_path: Path) -> InstallWorld:
    """A project with the skill installed."""
    world = make_install_world(tmp_path)
    world.add()
    return world


def _skill(**fields: object) -> Spoil:
    return lambda lock: lock["skills"][0].update(fields)


def _file(path: str = "SKILL.md", **fields: object) -> Spoil:
    return lambda lock: lock["skills"][0]["files"].setdefault(path, {}).update(fields)


def test_f92_a_lock_comes_back_as_it_was() -> None:
    """The same skills give the same bytes, and the bytes the same skills."""
    root = project_root("/project")
    content = encode_lock(InstallLock((OLD,)))
    assert parse_lock(content, root) == InstallLock((OLD,))
    assert encode_lock(parse_lock(content, root)) == content


@pytest.mark.parametrize(
    "spoil",
    [
        _skill(folder="../../home/.ssh"),
        _skill(folder=".claude/skills/.."),
        _skill(folder=".claude/skills/a/b"),
        _skill(folder=".claude/skills/.hidden"),
        _skill(folder=".claude/skills/"),
        _skill(folder="/etc/skills/db-advisor"),
        _skill(folder=".git/hooks/post-checkout"),
        _skill(folder="skills/db-advisor"),
        _skill(folder=7),
        _skill(path="../outside"),
        _skill(path="/etc"),
        _skill(commit="HEAD"),
        _skill(commit="--upload-pack=touch"),
        _skill(source=""),
        _skill(source="a" * 5_000),
        _skill(source="bell\x07"),
        _skill(more="field"),
        _skill(files=[]),
        _skill(files={}),
        _file("../up", executable=False, size=1, sha256="0" * 64),
        _file("notes/GONE.md", executable=False, size=1, sha256="0" * 64),
        _file("notes/.git/config", executable=False, size=1, sha256="0" * 64),
        _file(size=-1),
        _file(size=True),
        _file(size=1.5),
        _file(size=10**12),
        _file(sha256="0" * 63),
        _file(sha256="G" * 64),
        _file(executable=1),
        _file(mode="755"),
        lambda lock: lock["skills"].append(dict(lock["skills"][0])),
        lambda lock: lock.update(version=2),
        lambda lock: lock.update(version=True),
        lambda lock: lock.update(more=1),
        lambda lock: lock.update(skills={}),
        lambda lock: lock.pop("version"),
    ],
)
def test_f92_a_lock_with_other_values_is_refused(world: InstallWorld, spoil: Spoil) -> None:
    """Every command says which file is wrong, exit 2, and neither writes, removes nor reads what it names."""
    lock = json.loads(world.lock.read_text())
    spoil(lock)
    world.lock.write_text(json.dumps(lock))
    before = sorted(world.root.rglob("*"))
    for command in (
        ("installed",),
        ("update", "--yes"),
        ("remove", "db-advisor"),
        ("restore",),
        ("add", "other", "--yes"),
    ):
        outcome = world.run(*command, hub=command[0] != "remove")
        assert (outcome.code, "hub-index.lock" in outcome.err) == (2, True), (command, outcome.err)
    assert [path for path in sorted(world.root.rglob("*")) if "cache" not in path.parts] == [
        path for path in before if "cache" not in path.parts
    ]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 1, "version": 1, "skills": []}', b"\xff", b"null"])
def test_f92_a_lock_that_is_not_ours(world: InstallWorld, content: bytes) -> None:
    """Not JSON, not an object, a key twice."""
    world.lock.write_bytes(content)
    with pytest.raises(ConfigError, match=r"hub-index\.lock"):
        read_lock(project_root(str(world.project)))


def test_f92_a_lock_that_is_a_link_is_not_followed(world: InstallWorld) -> None:
    """What it leads to is neither read nor replaced."""
    target = world.root / "elsewhere"
    world.lock.rename(target)
    world.lock.symlink_to(target)
    assert world.run("installed").code == 2
    assert world.run("add", "other", "--yes").code == 2
    assert world.lock.is_symlink()


def test_f92_a_projects_link_does_not_lead_out_of_it(world: InstallWorld) -> None:
    """A cloned project whose `.claude/skills` is a link elsewhere: nothing is installed, removed or searched there."""
    outside = world.root / "outside"
    (world.project / ".claude/skills").rename(outside)
    (world.project / ".claude/skills").symlink_to(outside)
    before = read_folder(outside)
    for command in (("add", "other", "--yes"), ("remove", "db-advisor"), ("restore",), ("update", "--yes")):
        outcome = world.run(*command, hub=command[0] != "remove")
        assert (outcome.code, "leads out of the project" in outcome.err) == (2, True), (command, outcome.err)
    assert read_folder(outside) == before
    assert world.run("list", "--installed").out.count("db-advisor") == 1


def test_f92_links_inside_of_the_project_and_of_the_user_are_followed(world: InstallWorld) -> None:
    """One agent's folder may lead to another's, and the user's own to a folder of dotfiles."""
    (world.project / ".codex").mkdir()
    (world.project / ".codex/skills").symlink_to("../.claude/skills")
    assert world.run("add", "other", "--yes", "--agent", "codex").code == 0
    assert (world.project / ".claude/skills/other/SKILL.md").is_file()
    (world.root / "dotfiles/skills").mkdir(parents=True)
    (world.home / ".claude").mkdir()
    (world.home / ".claude/skills").symlink_to(world.root / "dotfiles/skills")
    assert world.run("add", "db-advisor", "--yes", "--user", "--agent", "claude").code == 0
    assert len(read_folder(world.root / "dotfiles/skills/db-advisor")) == len(OLD_FILES)
