"""F91: what must not be copied into an agent's folder refuses the whole skill, from git and from a plain folder."""

import os
import shutil
from pathlib import Path

import pytest
from support.hubs.raw_trees import commit_raw
from support.installs.install_world import OLD_FILES, InstallWorld, make_install_world, read_folder

from hub_index.errors import SkillError, SourceError
from hub_index.installs.file_names import check_files
from hub_index.limits import MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES

_SKILL = "skills/db-advisor"
_GOOD = [("100755" if file.executable else "100644", f"{_SKILL}/{file.path}", file.content) for file in OLD_FILES]


@pytest.fixture
def world(tmp_path: Path) -> InstallWorld:
    """A hub with one good skill, which each test spoils."""
    return make_install_world(tmp_path)


@pytest.fixture
def plain(tmp_path: Path) -> InstallWorld:
    """The same without git."""
    return make_install_world(tmp_path, git=False)


def _assert_refused(world: InstallWorld, reason: str) -> None:
    outcome = world.run("add", "db-advisor", "--yes")
    assert outcome.code == 4, outcome.err
    assert reason in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.err.isprintable() or outcome.err[:-1].isprintable()
    assert not world.skill.parent.exists()
    assert not world.lock.exists()


@pytest.mark.parametrize(
    ("mode", "path", "reason"),
    [
        ("120000", "notes/link", "is a link"),
        ("160000", "notes/module", "is a submodule"),
        ("100644", "scripts/RUN.sh", "one name on some systems"),
        ("100644", "Scripts/other.sh", "one name on some systems"),
        ("100644", "scripts/run.sh", "one name on some systems"),
        ("100644", "scripts/run.sh/inside", "one name on some systems"),
        ("100644", "../other/SKILL.md", "is not installed"),
        ("100644", "../../../.ssh/authorized_keys", "is not installed"),
        ("100644", "notes/../../up", "is not installed"),
        ("100644", ".", "is not installed"),
        ("100644", "back\\slash", "a backslash"),
        ("100644", "C:/drive", "a drive"),
        ("100644", "turned\u202ename", "direction-changing"),
        ("100644", "bell\x07", "control"),
        ("100644", ".git/config", "git's own folder"),
        ("100644", "notes/.GIT/hooks/post-checkout", "git's own folder"),
        ("100644", "deep/" * 70 + "x", "folders"),
    ],
)
def test_f91_entries_of_a_commit(world: InstallWorld, mode: str, path: str, reason: str) -> None:
    """Links, submodules, and names that lead elsewhere or that another system reads otherwise: nothing is written."""
    content = world.hub.git("rev-parse", "HEAD").encode() if mode == "160000" else b"/etc/passwd"
    commit_raw(world.hub, [*_GOOD, (mode, f"{_SKILL}/{path}", content)])
    _assert_refused(world, reason)


@pytest.mark.parametrize("name", ["caf\u00e9.md", "技能.md", "with space", "--help", ".env.example"])
def test_f91_odd_but_harmless_names_pass(world: InstallWorld, name: str) -> None:
    """Any script, spaces, hyphens and hidden files are copied as they are."""
    commit_raw(world.hub, [*_GOOD, ("100644", f"{_SKILL}/{name}", b"words")])
    assert world.run("add", "db-advisor", "--yes").code == 0
    assert read_folder(world.skill)[name] == (False, b"words")


def test_f91_the_skill_itself_is_a_link_in_the_commit(world: InstallWorld) -> None:
    """A folder in the checkout that the commit has as a link or a submodule is not copied either."""
    commit_raw(world.hub, [("120000", _SKILL, b"../other")])
    _assert_refused(world, "is a link")
    commit_raw(world.hub, [("160000", _SKILL, world.hub.git("rev-parse", "HEAD").encode())])
    _assert_refused(world, "is a submodule")


def test_f91_ten_thousand_files(world: InstallWorld) -> None:
    """More files than a skill may have are refused before one is read."""
    blob = world.hub.git("rev-parse", f"HEAD:{_SKILL}/SKILL.md")
    lines = "".join(f"100644 blob {blob}\t{n:05}\n" for n in range(10_000))
    tree = world.hub.git("mktree", stdin=lines.encode())
    world.hub.git("read-tree", f"--prefix={_SKILL}/many/", tree)
    world.hub.commit_index()
    _assert_refused(world, f"more than {MAX_SKILL_FILES} files")


def test_f91_the_limits_are_met_exactly() -> None:
    """As many files and bytes as a skill may have pass, one more does not."""
    names = ["SKILL.md", *[str(n) for n in range(MAX_SKILL_FILES - 1)]]
    check_files("a", [(name, 0) for name in names])
    check_files("a", [("SKILL.md", MAX_SKILL_FOLDER_BYTES)])
    with pytest.raises(SkillError, match="more than 512 files"):
        check_files("a", [(name, 0) for name in [*names, "more"]])
    with pytest.raises(SkillError, match="16 MiB"):
        check_files("a", [("SKILL.md", 1), ("more", MAX_SKILL_FOLDER_BYTES)])


def test_f91_a_blob_that_is_not_what_the_tree_says(world: InstallWorld) -> None:
    """Every file is checked against its id in the commit's tree: an object that was exchanged is noticed."""
    first, second = (world.hub.git("rev-parse", f"HEAD:{_SKILL}/{name}") for name in ("SKILL.md", "notes/gone.md"))
    objects = world.hub.root / ".git/objects"
    target = objects / first[:2] / first[2:]
    target.chmod(0o644)
    shutil.copy(objects / second[:2] / second[2:], target)
    outcome = world.run("add", "db-advisor", "--yes")
    assert (outcome.code, world.skill.exists()) == (SourceError.exit_code, False)


def test_f91_files_that_git_lfs_keeps(world: InstallWorld) -> None:
    """A pointer is not the file."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5\n"
    commit_raw(world.hub, [*_GOOD, ("100644", f"{_SKILL}/model.bin", pointer)])
    _assert_refused(world, "Git LFS")


@pytest.mark.parametrize("kind", ["link", "linked folder", "pipe", "git", "case", "many", "large"])
def test_f91_entries_of_a_plain_folder(plain: InstallWorld, kind: str) -> None:
    """The same of a hub without git: no link is followed, no pipe waited for."""
    folder = plain.hub.root / _SKILL
    secret = plain.root / "secret"
    secret.mkdir()
    (secret / "key").write_text("a secret")
    if kind == "link":
        (folder / "key").symlink_to(secret / "key")
    elif kind == "linked folder":
        (folder / "more").symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(folder / "pipe")
    elif kind == "git":
        (folder / ".git").mkdir()
        (folder / ".git/config").write_text("[core]")
    elif kind == "case":
        (folder / "skill.md").write_text("twin")
    elif kind == "many":
        (folder / "many").mkdir()
        for n in range(10_000):
            (folder / f"many/{n}").touch()
    else:
        with open(folder / "large", "wb") as file:
            file.truncate(MAX_SKILL_FOLDER_BYTES + 1)
    reasons = {"pipe": "a pipe or a device", "git": "git's own", "case": "one name", "many": "512", "large": "16 MiB"}
    _assert_refused(plain, reasons.get(kind, "is a link"))


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "", "bell\x07", "a\\b"])
def test_f91_a_name_for_the_folder_that_leaves_it(world: InstallWorld, name: str) -> None:
    """--as takes one plain name."""
    outcome = world.run("add", "db-advisor", "--yes", "--as", name)
    assert outcome.code == 2
    assert not world.lock.exists()
