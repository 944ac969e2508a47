"""A skill's life in an agent's folder: added, updated, edited, removed, restored; from git and from a plain folder."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.installs.install_world import (
    NEW_FILES,
    OLD_FILES,
    InstallWorld,
    as_read,
    left_behind,
    make_install_world,
    read_folder,
    write_files,
)
from support.processes.screen import answer_on_a_terminal

from hub_index.installs.agent_folders import project_root

_OLD, _NEW = as_read(OLD_FILES), as_read(NEW_FILES)


def states(world: InstallWorld) -> list[str]:
    """What `installed` says of the one skill."""
    (entry,) = json.loads(world.run("installed", "--json").out)["skills"]
    return list(entry["states"])


@pytest.mark.parametrize("git", [True, False])
def test_add_update_remove(tmp_path: Path, git: bool) -> None:
    """The whole folder with its modes, the newest state after an update, and nothing after a removal."""
    world = make_install_world(tmp_path, git=git)
    world.add()
    assert read_folder(world.skill) == _OLD
    assert states(world) == ["current"]
    if git:
        world.change_hub()
    else:
        shutil.rmtree(world.hub.root / "skills/db-advisor")
        write_files(world.hub.root / "skills/db-advisor", NEW_FILES)
    assert states(world) == ["outdated"]
    outcome = world.run("update", "--yes")
    assert (outcome.code, read_folder(world.skill)) == (0, _NEW)
    assert "-# One" in outcome.out
    assert "+# Two" in outcome.out
    assert "- notes/gone.md" in outcome.out
    assert states(world) == ["current"]
    outcome = world.run("remove", "db-advisor", hub=False)
    assert (outcome.code, world.skill.exists()) == (0, False)
    assert json.loads(world.lock.read_text())["skills"] == []
    assert left_behind(project_root(str(world.project))) == []


def test_the_lock_says_where_a_skill_is_from(world: InstallWorld) -> None:
    """Hub, commit, path and a digest of each file; the same bytes when the same is installed again."""
    commit = world.hub.git("rev-parse", "HEAD")
    world.add()
    first = world.lock.read_bytes()
    (skill,) = json.loads(first)["skills"]
    assert (skill["source"], skill["commit"]) == (str(world.hub.root), commit)
    assert (skill["folder"], skill["path"]) == (".claude/skills/db-advisor", "skills/db-advisor")
    assert skill["files"]["scripts/run.sh"]["executable"] is True
    assert world.run("add", "db-advisor", "--yes").out.endswith("is installed already\n")
    world.run("remove", "db-advisor", hub=False)
    world.add()
    assert world.lock.read_bytes() == first


def test_the_lock_holds_no_password(world: InstallWorld) -> None:
    """The hub's address stands in it without user and password; the account of ssh stays."""
    world.hub.git("remote", "add", "origin", "https://me:secret-word@example.invalid/team/hub.git")
    world.add()
    assert "secret-word" not in world.lock.read_text()
    assert json.loads(world.lock.read_text())["skills"][0]["source"] == "https://example.invalid/team/hub.git"
    world.hub.git("remote", "set-url", "origin", "ssh://git@example.invalid/team/hub.git")
    world.run("remove", "db-advisor", hub=False)
    world.add()
    assert json.loads(world.lock.read_text())["skills"][0]["source"] == "ssh://git@example.invalid/team/hub.git"


def test_committed_files_are_copied_and_not_saved_ones(world: InstallWorld) -> None:
    """What the hub's owner has not committed yet is not what the lock could name."""
    (world.hub.root / "skills/db-advisor/SKILL.md").write_text("---\nname: db-advisor\ndescription: Draft.\n---\n")
    (world.hub.root / "skills/db-advisor/draft.md").write_text("draft")
    world.add()
    assert read_folder(world.skill) == _OLD


@pytest.mark.parametrize("edit", ["changed", "new", "deleted", "mode", "link"])
def test_edited_files_stay(world: InstallWorld, edit: str) -> None:
    """update, remove and restore leave a skill that the user edited as it is, and name the file."""
    world.add()
    path = world.skill / {"new": "mine.md", "mode": "scripts/run.sh"}.get(edit, "SKILL.md")
    if edit in ("deleted", "link"):
        path.unlink()
    if edit == "link":
        path.symlink_to(world.hub.root / "skills/db-advisor/SKILL.md")
    elif edit == "mode":
        path.chmod(0o644)
    elif edit != "deleted":
        path.write_text("my own words")
    world.change_hub()
    before = read_folder(world.skill)
    assert states(world) == ["edited", "outdated"]
    for command in (("update", "--yes"), ("remove", "db-advisor"), ("restore",)):
        outcome = world.run(*command, hub=command[0] != "remove")
        assert outcome.code == 4
        assert path.name in outcome.err
    assert read_folder(world.skill) == before


def test_what_scripts_leave_behind_is_no_edit(world: InstallWorld) -> None:
    """Python's bytecode appears when a skill is used; it goes with the skill."""
    world.add()
    (world.skill / "scripts/__pycache__").mkdir()
    (world.skill / "scripts/__pycache__/run.cpython-311.pyc").write_bytes(b"\0")
    assert states(world) == ["current"]
    assert world.run("remove", "db-advisor", hub=False).code == 0
    assert not world.skill.exists()


def test_a_skill_that_is_gone_from_its_hub_stays(world: InstallWorld) -> None:
    """`installed` and `update` say so; only `remove` removes it."""
    world.add()
    shutil.rmtree(world.hub.root / "skills/db-advisor")
    world.hub.commit("gone")
    assert states(world) == ["gone from its hub"]
    outcome = world.run("update", "--yes")
    assert (outcome.code, read_folder(world.skill)) == (0, _OLD)
    assert "gone from its hub" in outcome.out


@pytest.mark.parametrize("knows_it", [True, False])
def test_an_update_never_goes_back(world: InstallWorld, knows_it: bool) -> None:
    """A hub that was not synced since is older than what is installed: it is told, and nothing is taken from it."""
    old = world.hub.git("rev-parse", "HEAD")
    world.change_hub()
    world.add()
    world.hub.git("reset", "-q", "--hard", old)
    if not knows_it:
        world.hub.git("reflog", "expire", "--expire=now", "--all")
        world.hub.git("gc", "-q", "--prune=now")
    assert states(world) == ["newer than its hub here"]
    outcome = world.run("update", "--yes")
    assert (outcome.code, read_folder(world.skill)) == (3, _NEW)
    assert "hub-index sync" in outcome.err


def test_nothing_of_others_is_overwritten(world: InstallWorld) -> None:
    """A folder of that name, in whatever case, a file or a link stays; another name is offered."""
    for name in ("db-advisor", "DB-Advisor"):
        place = world.skill.parent / name
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text("mine")
        outcome = world.run("add", "db-advisor", "--yes")
        assert (outcome.code, (place / "SKILL.md").read_text()) == (4, "mine")
        assert "--as NAME" in outcome.err
        shutil.rmtree(place)
    world.skill.symlink_to(world.hub.root)
    assert world.run("add", "db-advisor", "--yes").code == 4
    assert world.run("add", "db-advisor", "--yes", "--as", "advisor").code == 0
    assert read_folder(world.skill.parent / "advisor") == _OLD


def test_another_hubs_skill_of_the_same_name_is_not_taken_for_it(world: InstallWorld, tmp_path: Path) -> None:
    """The folder belongs to the hub that it came from."""
    world.add()
    other = make_install_world(tmp_path / "second")
    outcome = world.run("add", "db-advisor", "--yes", "--hub", other.hub.root, hub=False)
    assert outcome.code == 4
    assert "--as NAME" in outcome.err


def test_restore_on_another_machine(world: InstallWorld, tmp_path: Path) -> None:
    """With the lock alone, the files of the recorded commit are there again, though the hub has moved on."""
    world.add()
    world.change_hub()
    shutil.rmtree(world.project / ".claude/skills")
    outcome = world.run("restore", hub=False)
    assert (outcome.code, read_folder(world.skill)) == (0, _OLD)
    assert world.run("restore", hub=False).out.endswith("is as the lock has it\n")


def test_restore_clones_a_hub_that_is_not_here(world: InstallWorld) -> None:
    """An address that no searched hub has is cloned into the cache, and fetched when an update asks."""
    bundle = world.root / "hub.bundle"
    world.hub.git("bundle", "create", str(bundle), "HEAD", "main")
    world.hub.git("remote", "add", "origin", str(bundle))
    world.add()
    shutil.rmtree(world.skill)
    world.hub.root.rename(world.root / "away")
    outcome = world.run("restore", hub=False)
    assert (outcome.code, read_folder(world.skill)) == (0, _OLD), outcome.err
    assert len(list((world.root / "cache/sources").glob("[0-9a-f]*"))) == 1
    world.hub.root = world.root / "away"
    world.change_hub()
    world.hub.git("bundle", "create", str(bundle), "HEAD", "main")
    assert world.run("update", "--yes", hub=False).code == 0
    assert read_folder(world.skill) == _NEW


@pytest.mark.parametrize("git", [True, False])
def test_restore_refuses_other_bytes(tmp_path: Path, git: bool) -> None:
    """Exit 6 where a digest differs, and nothing is written."""
    world = make_install_world(tmp_path, git=git)
    world.add()
    shutil.rmtree(world.skill)
    if git:
        lock = world.lock.read_text()
        digest = json.loads(lock)["skills"][0]["files"]["SKILL.md"]["sha256"]
        world.lock.write_text(lock.replace(digest, "0" * 64))
    else:
        write_files(world.hub.root / "skills/db-advisor", NEW_FILES)
    outcome = world.run("restore", hub=False)
    assert (outcome.code, world.skill.exists()) == (6, False)
    assert "differs from the digest in the lock" in outcome.err


def test_restore_without_the_hub_says_what_to_do(world: InstallWorld) -> None:
    """Exit 3: neither the recorded folder nor an address is there."""
    world.add()
    shutil.rmtree(world.skill)
    world.hub.root.rename(world.root / "away")
    outcome = world.run("restore", hub=False)
    assert outcome.code == 3
    assert "--hub" in outcome.err
    assert states_without_hub(world) == ["missing", "hub not here"]


def states_without_hub(world: InstallWorld) -> list[str]:
    """What `installed` says where the hub is not on the machine."""
    (entry,) = json.loads(world.run("installed", "--json", hub=False).out)["skills"]
    return list(entry["states"])


def test_without_a_terminal_nothing_is_changed_unless_yes_is_given(world: InstallWorld) -> None:
    """What would be copied, or would change, is shown; then exit 2 says --yes."""
    shown = world.run("add", "db-advisor")
    assert (shown.code, world.skill.exists()) == (2, False)
    assert "scripts/run.sh" in shown.out
    assert "--yes" in shown.err
    world.add()
    world.change_hub()
    shown = world.run("update")
    assert (shown.code, read_folder(world.skill)) == (2, _OLD)
    assert "+# Two" in shown.out


def test_on_a_terminal_it_asks(world: InstallWorld) -> None:
    """What is copied is shown before the question; anything but yes changes nothing."""
    for answer, is_there in (("\n", False), ("n\n", False), ("y\n", True)):
        own = {"HOME": str(world.home), "HUB_INDEX_CACHE": str(world.root / "cache")}
        arguments = ("add", "db-advisor", "--hub", str(world.hub.root))
        code, shown = answer_on_a_terminal(answer, *arguments, cwd=world.project, env=own)
        assert (code, world.skill.exists()) == (0 if is_there else 1, is_there), shown
        assert "Finds slow queries." in shown
        assert shown.index("scripts/run.sh") < shown.index("install it? [y/N]")


def test_an_ambiguous_name_has_candidates(world: InstallWorld) -> None:
    """As `show` resolves it: two skills of one name are told with their ids, and nothing is installed."""
    world.hub.skill("more/db-advisor", "Another one.", name="db-advisor")
    world.hub.skill("less/db-advisor", "A third one.", name="db-advisor")
    shutil.rmtree(world.hub.root / "skills/db-advisor")
    world.hub.commit("two")
    outcome = world.run("add", "db-advisor", "--yes")
    assert outcome.code == 2
    assert "more/db-advisor" in outcome.err
    assert "less/db-advisor" in outcome.err
    assert world.run("add", "more/db-advisor", "--yes").code == 0


def test_a_document_is_no_skill(world: InstallWorld) -> None:
    """A workflow is a single file, for which agents have no folder of skills."""
    world.hub.write("workflows/deploy.md", "---\nname: deploy\ndescription: Deploys it.\n---\n")
    world.hub.commit("workflow")
    outcome = world.run("add", "workflows:deploy", "--yes")
    assert outcome.code == 2
    assert "single document" in outcome.err


def test_a_hub_that_is_one_skill(world: InstallWorld) -> None:
    """A repository with a SKILL.md at its root is installed whole, under the skill's name."""
    single = type(world.hub)(world.root / "single")
    write_files(single.root, OLD_FILES)
    single.commit("skill")
    assert world.run("add", "db-advisor", "--yes", "--hub", single.root, hub=False).code == 0
    assert read_folder(world.skill) == _OLD


def test_a_hub_in_a_folder_of_its_repository(world: InstallWorld) -> None:
    """The lock has the path from the repository's root, by which another machine finds it."""
    mono = type(world.hub)(world.root / "mono")
    write_files(mono.root / "tools/hub/skills/db-advisor", OLD_FILES)
    mono.commit("skill")
    assert world.run("add", "db-advisor", "--yes", "--hub", mono.root / "tools/hub", hub=False).code == 0
    assert json.loads(world.lock.read_text())["skills"][0]["path"] == "tools/hub/skills/db-advisor"
    shutil.rmtree(world.skill)
    assert world.run("restore", hub=False).code == 0
    assert read_folder(world.skill) == _OLD


def test_no_search_module_of_git_is_needed_to_list_agents_folders() -> None:
    """`search --installed` looks at the table alone: neither git nor dataclasses are loaded by it."""
    code = (
        "import sys; from hub_index.installs.agent_folders import installed_places; installed_places(); "
        "print(sorted({'dataclasses', 'subprocess', 'json', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "[]\n"


def test_a_difference_counts_what_a_reader_would_not_see(world: InstallWorld) -> None:
    """Invisible characters reach an agent, so the line that has some says so; controls reach no terminal."""
    world.add()
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    world.hub.write(
        "skills/db-advisor/SKILL.md", f"---\nname: db-advisor\ndescription: Finds.\n---\nRead{hidden}\x1b[2J\n"
    )
    world.hub.commit("hidden")
    shown = world.run("update", "--yes").out
    assert "+Read[2J [5 hidden characters]" in shown
    assert "\x1b" not in shown
