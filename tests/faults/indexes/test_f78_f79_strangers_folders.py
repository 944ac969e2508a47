"""F78 and F79: an index never replaces somebody else's files, a folder of the system, or one that begins with a dot."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import BuildStory, make_story
from support.builds.publish_world import git
from support.builds.publish_world import make_world as make_publish_world
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError
from hub_index.hub.config import parse_config
from hub_index.index.build_tools import BuildOptions
from hub_index.index.folder.foreign_files import check_place, why_not_exchanged
from hub_index.index.folder.our_files import ATTRIBUTES, OUR_FILES

AXON_MANIFEST = {
    "index_version": 1,
    "created_at": "2026-01-01T00:00:00Z",
    "hub_revision": "0" * 40,
    "model_id": "openai:text-embedding-3-small",
    "dim": 4,
    "normalize": True,
    "vector_file": "vectors.f32",
    "skills_file": "skills.jsonl",
}


def _file(path: Path) -> None:
    path.write_text("precious")


def _link(path: Path) -> None:
    path.symlink_to("elsewhere")


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").write_text("precious")


def _listing(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize("name", OUR_FILES)
@pytest.mark.parametrize("make", [_file, _link, _folder])
@pytest.mark.parametrize("dry_run", [False, True])
def test_f78_a_stranger_s_file_of_one_of_our_names_stays(
    tmp_path: Path, name: str, make: Callable[[Path], None], dry_run: bool
) -> None:
    """Refused by build and plan before a text is embedded, with the name in the way and what to do."""
    story = make_story(tmp_path / "hub")
    out = tmp_path / "theirs"
    out.mkdir()
    make(out / name)
    before, inode = _listing(out), out.stat().st_ino
    with pytest.raises(ConfigError, match=f"theirs holds {name}, .*name another folder .*or remove"):
        story.build(out=out, dry_run=dry_run)
    assert (_listing(out), out.stat().st_ino) == (before, inode)
    assert not story.encoder.texts


def test_f78_the_folder_that_the_hub_names_is_looked_at_too(tmp_path: Path) -> None:
    """`output` in hub-index.toml comes with the hub: it cannot name a folder of others' data."""
    story = make_story(tmp_path / "hub")
    story.hub.write("hub-index.toml", 'output = "data"\n')
    story.hub.write("data/.gitattributes", "*.bin filter=lfs\n")
    story.hub.commit("settings")
    with pytest.raises(ConfigError, match=r"\.gitattributes"):
        story.build()
    assert (story.hub.root / "data/.gitattributes").read_text() == "*.bin filter=lfs\n"


def test_f78_files_of_other_names_stay_and_are_no_obstacle(tmp_path: Path) -> None:
    """A README and a folder beside the index are kept, before the first index and after."""
    story = make_story(tmp_path / "hub")
    _file(story.folder.parent / "x")
    story.folder.mkdir()
    _file(story.folder / "README.md")
    _folder(story.folder / "notes")
    story.build()
    story.build(force=True)
    assert _listing(story.folder / "notes") == {"inside": "precious"}
    assert (story.folder / "README.md").read_text() == "precious"


def test_f78_an_index_of_another_program_is_an_index(tmp_path: Path) -> None:
    """The Axon client writes such folders, without digests: a manifest that our reader accepts is enough."""
    story = make_story(tmp_path / "hub")
    story.folder.mkdir()
    (story.folder / "index_manifest.json").write_text(json.dumps(AXON_MANIFEST))
    (story.folder / "skills.jsonl").write_text("")
    (story.folder / "vectors.f32").write_bytes(b"")
    assert story.build().changed


@pytest.mark.parametrize("name", ["skills.jsonl", "vectors.f32", ".gitattributes"])
def test_f78_a_damaged_index_with_its_manifest_is_healed(tmp_path: Path, name: str) -> None:
    """The manifest says whose folder it is; what else is wrong is made anew."""
    story = make_story(tmp_path / "hub")
    story.build()
    good = story.files()
    (story.folder / name).write_text("damaged")
    story.build(force=True)
    assert story.files() == good | {"index_manifest.json": story.files()["index_manifest.json"]}
    assert (story.folder / ".gitattributes").read_bytes() == ATTRIBUTES


def test_f78_what_rm_leaves_behind_is_no_obstacle(tmp_path: Path) -> None:
    """`rm search/*` leaves our own .gitattributes, which nobody misses."""
    story = make_story(tmp_path / "hub")
    story.build()
    for name in OUR_FILES[:3]:
        (story.folder / name).unlink()
    assert story.build().changed


SPOILT: list[Any] = [{"index_version": 3}, {"dim": "four"}, {"vector_file": "../x"}]


@pytest.mark.parametrize("change", SPOILT)
def test_f78_a_manifest_that_our_reader_refuses_is_not_enough(tmp_path: Path, change: dict[str, Any]) -> None:
    """Damaged or of a newer format: refused with the reason, and built once the files are removed."""
    story = make_story(tmp_path / "hub")
    story.build()
    (story.folder / "index_manifest.json").write_text(json.dumps(story.manifest() | change))
    before = story.files()
    with pytest.raises(ConfigError, match=r"since index_manifest\.json: .*remove these files"):
        story.build()
    assert story.files() == before
    for name in OUR_FILES:
        (story.folder / name).unlink(missing_ok=True)
    assert story.build().changed


@pytest.mark.parametrize(
    ("place", "is_mount", "is_own", "reason"),
    [
        ("/", True, True, "system"),
        ("/etc", False, True, "system"),
        ("/data", False, True, "system"),
        ("/usr/lib", False, True, "system"),
        ("/etc/ssl/certs", False, True, "system"),
        ("/home/ann", False, True, "home"),
        ("/home", False, True, "system"),
        ("/mnt/disk", True, True, "mounted"),
        ("/srv/shared", False, False, "another user"),
        ("/dev/shm", False, True, "system"),
        ("/dev/shm/ann/out", False, True, ""),
        ("/home/ann/out", False, True, ""),
        ("/srv/hub/out", False, True, ""),
    ],
)
def test_f78_folders_that_must_keep_their_identity(
    monkeypatch: pytest.MonkeyPatch, place: str, is_mount: bool, is_own: bool, reason: str
) -> None:
    """The system's own, top-level folders, homes, mount points and other users' folders, for root as well."""
    monkeypatch.setenv("HOME", "/home/ann")
    found = why_not_exchanged(Path(place), is_mount=is_mount, is_own=is_own)
    assert reason in found
    assert bool(found) == bool(reason)


def test_f78_system_folders_are_refused_and_new_ones_in_them_are_not() -> None:
    """/etc is there and full; a folder that is not there yet is nobody's."""
    with pytest.raises(ConfigError, match="/etc/search"):
        check_place(Path("/etc"))
    check_place(Path("/etc/no-such-folder"))


@pytest.mark.parametrize("place", ["/srv", "/var/log", "/var/tmp", "/boot", "/etc/ssh"])
def test_f78_a_system_folder_need_not_be_full_to_be_refused(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty /srv is the machine's as well."""
    monkeypatch.setattr("os.listdir", lambda _: [])
    monkeypatch.setattr("os.stat", lambda _: os.stat_result((0o40755, *range(9))))
    with pytest.raises(ConfigError, match="folder of the system"):
        check_place(Path(place))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write into, and give away, another user's folder")
def test_f78_a_folder_keeps_its_owner_when_root_builds_into_it(tmp_path: Path) -> None:
    """An administrator's build does not lock out whose folder it is."""
    story = make_story(tmp_path / "hub")
    out = tmp_path / "out"
    out.mkdir()
    os.chown(out, 1234, 1235)
    assert story.build(out=out).changed
    assert (out.stat().st_uid, out.stat().st_gid) == (1234, 1235)


def test_f78_a_home_with_files_is_not_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--out ~ is refused by build and plan; an empty folder, and one with an index, may be given."""
    story = make_story(tmp_path / "hub")
    out = tmp_path / "ann"
    monkeypatch.setenv("HOME", str(out))
    out.mkdir()
    assert story.build(out=out).changed
    _file(out / "letter")
    assert not story.build(out=out).changed
    (out / "index_manifest.json").unlink()
    (out / "skills.jsonl").unlink()
    (out / "vectors.f32").unlink()
    for dry_run in (False, True):
        with pytest.raises(ConfigError, match="home folder"):
            story.build(out=out, dry_run=dry_run)
    assert (out / "letter").read_text() == "precious"


def test_f78_the_command_says_it_in_one_line(tmp_path: Path) -> None:
    """Exit 2 from build and plan, nothing on stdout."""
    make_story(tmp_path / "hub")
    (tmp_path / "out").mkdir()
    _file(tmp_path / "out" / "skills.jsonl")
    for verb in ("build", "plan"):
        outcome = hub_index_here(verb, str(tmp_path / "hub"), "--out", str(tmp_path / "out"))
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("name", OUR_FILES)
@pytest.mark.parametrize("push", [False, True])
@pytest.mark.parametrize("dry_run", [False, True])
def test_f78_tracked_files_are_not_committed_over(tmp_path: Path, name: str, push: bool, dry_run: bool) -> None:
    """publish looks at the tree of the branch's head, before anything is embedded; the branch does not move."""
    world = make_publish_world(tmp_path)
    world.maintainer.write(f"search/{name}", "precious\n")
    world.maintainer.commit("theirs")
    world.maintainer.git("push", "-q")
    git(world.job, "pull", "-q")
    head = world.head()
    with pytest.raises(ConfigError, match=f"search in commit .* holds {name}, "):
        world.publish(BuildOptions(dry_run=dry_run), push=push)
    assert (world.head(), git(world.job, "rev-parse", "HEAD"), world.encoder.texts) == (head, head, [])
    assert git(world.job, "status", "--porcelain") == ""


def test_f78_untracked_files_are_not_checked_out_over(tmp_path: Path) -> None:
    """A commit to the branch that is checked out would replace them; a push touches no checkout."""
    world = make_publish_world(tmp_path)
    (world.job / "search").mkdir()
    _file(world.job / "search" / "skills.jsonl")
    head = world.head()
    with pytest.raises(ConfigError, match=r"search holds skills\.jsonl"):
        world.publish(push=False)
    assert (git(world.job, "rev-parse", "HEAD"), world.encoder.texts) == (head, [])
    assert world.publish(push=True).commit == world.head()
    assert (world.job / "search" / "skills.jsonl").read_text() == "precious"


def test_f78_a_published_index_that_is_damaged_is_healed(tmp_path: Path) -> None:
    """With its manifest in order the next publish replaces it; our own .gitattributes alone is no obstacle."""
    world = make_publish_world(tmp_path)
    world.publish()
    world.maintainer.git("pull", "-q")
    world.maintainer.write("search/vectors.f32", "damaged")
    world.maintainer.commit("damage")
    world.maintainer.git("push", "-q")
    assert world.publish().commit == world.head()
    world.maintainer.git("pull", "-q")
    world.maintainer.git("rm", "-q", *(f"search/{name}" for name in OUR_FILES[:3]))
    world.maintainer.commit("gone")
    world.maintainer.git("push", "-q")
    assert world.publish().commit == world.head()
    assert world.ids()


@pytest.mark.parametrize("output", [".github", ".search", "docs/.hidden/index", ".gitlab/x"])
def test_f79_no_folder_of_the_hub_that_begins_with_a_dot(tmp_path: Path, output: str) -> None:
    """Refused in hub-index.toml, and as --out inside the hub; outside of it a dot is the user's own affair."""
    with pytest.raises(ConfigError, match="output has a part that begins with a dot"):
        parse_config(f'output = "{output}"'.encode())
    story: BuildStory = make_story(tmp_path / ".axon" / "hub")
    with pytest.raises(ConfigError, match="begins with a dot"):
        story.build(out=story.hub.root / output)
    assert not (story.hub.root / output).exists()
    assert story.build(out=tmp_path / ".cache" / output).changed
    assert story.build().changed


def test_f79_skills_may_lie_in_such_folders(tmp_path: Path) -> None:
    """Many hubs keep skills in .claude/skills: only the index may not go there."""
    assert parse_config(b'roots = [".claude/skills"]').roots == (".claude/skills",)
