"""An index in parts on a branch: only what changed is committed and sent; rolled back, signed, orphaned, synced."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_world import PublishWorld, git, make_world
from support.builds.ssh_keys import allow, make_key, needs_ssh_keygen
from support.processes.cli_runner import hub_index_here

from hub_index.errors import PublishError
from hub_index.hub.git.repository import open_repository
from hub_index.index.folder.verification import verify_folder
from hub_index.index.format.validate import check_index
from hub_index.index.publish import commit as commit_module
from hub_index.index.publish.committed import read_committed
from hub_index.index.signature import check_signature
from hub_index.models import IndexFiles

SKILLS = 20


@pytest.fixture
def world(tmp_path: Path) -> PublishWorld:
    """A remote whose hub chooses format 2, with a published index."""
    made = make_world(tmp_path, skills=SKILLS)
    _choose(made, "format = 2\n")
    made.publish()
    return made


def _choose(world: PublishWorld, settings: str) -> None:
    hub = world.maintainer
    hub.git("pull", "-q", "--rebase")
    hub.write("hub-index.toml", settings)
    hub.git("add", "hub-index.toml")
    hub.git("commit", "-q", "-m", "settings")
    hub.git("push", "-q")


def _committed(repository: Path, rev: str = "main") -> IndexFiles:
    files = read_committed(open_repository(repository), git(repository, "rev-parse", rev), "search")
    assert files is not None
    check_index(files)
    return files


def _blobs(world: PublishWorld, rev: str = "main") -> dict[str, str]:
    lines = git(world.remote, "ls-tree", f"{rev}:search").split("\n")
    return {line.split("\t")[1]: line.split()[2] for line in lines}


def test_an_edit_sends_one_part_of_each_kind(world: PublishWorld) -> None:
    """The commit has new blobs for the manifest and one part, and every other entry is the old one."""
    before = _blobs(world)
    assert set(before) == {
        *(".gitattributes", "index_manifest.json"),
        *("skills-0.jsonl", "skills-1.jsonl", "vectors-0.f32", "vectors-1.f32"),
    }
    world.push_skill("skill-05", "Does another thing now.")
    world.publish()
    after = _blobs(world)
    changed = sorted(name.partition("-")[0] for name in before if before[name] != after[name])
    assert (changed, len(world.encoder.texts)) == (["index_manifest.json", "skills", "vectors"], 1)
    _committed(world.remote)
    assert world.publish().commit is None


def test_the_hub_changes_its_format_and_old_files_go(world: PublishWorld) -> None:
    """From parts to one file and back: the tree holds one format's files only, and nothing is embedded."""
    _choose(world, "")
    assert world.publish().commit is None or "vectors-0.f32" in _blobs(world)
    _choose(world, "format = 1\n")
    world.publish()
    assert (world.encoder.texts, set(_blobs(world))) == (
        [],
        {".gitattributes", "index_manifest.json", "skills.jsonl", "vectors.f32"},
    )
    _choose(world, "format = 2\n")
    world.publish()
    assert world.encoder.texts == []
    assert {"skills.jsonl", "vectors.f32"}.isdisjoint(_blobs(world))


def test_an_earlier_index_in_parts_is_put_back(world: PublishWorld) -> None:
    """Parts of then, byte for byte, under a manifest with a new time; also from the other format."""
    then = _blobs(world)
    world.push_skill("skill-05", "Does another thing now.")
    world.publish()
    world.roll_back()
    now = _blobs(world)
    assert {name: now[name] for name in then if "-" in name} == {name: then[name] for name in then if "-" in name}
    assert "index_hold.json" in now
    _committed(world.remote)
    world.publish(resume=True)
    _choose(world, "format = 1\n")
    world.publish()
    world.roll_back()
    assert "skills-0.jsonl" in _blobs(world)


def test_a_branch_of_its_own_holds_parts_and_nothing_else(world: PublishWorld) -> None:
    """--orphan replaces the branch as ever."""
    options: dict[str, Any] = {"branch": "search-index", "orphan": True}
    world.publish(**options)
    world.push_skill("skill-05", "Does another thing now.")
    assert world.publish(**options).commit
    assert git(world.remote, "rev-list", "--count", "search-index") == "1"
    _committed(world.remote, "search-index")


def test_a_checkout_of_the_branch_follows(world: PublishWorld) -> None:
    """A maintainer who commits the index here gets parts in folder and git's index, and loses none by it."""
    hub = world.maintainer
    hub.git("pull", "-q", "--rebase")
    for settings, name in (("format = 1\n", "vectors.f32"), ("format = 2\n", "vectors-1.f32")):
        hub.write("hub-index.toml", settings)
        hub.git("commit", "-q", "-a", "-m", "settings")
        done = hub_index_here("publish", str(hub.root))
        assert done.code == 0, done.err
        assert hub.git("status", "--porcelain") == ""
        assert (hub.root / "search" / name).exists()
        assert verify_folder(hub.root / "search").rows == SKILLS
    assert not (hub.root / "search" / "vectors.f32").exists()


def test_a_rollback_looks_past_an_index_that_differs_only_in_its_format(world: PublishWorld) -> None:
    """The bad rows are in both formats: what is put back is the index before them."""
    good = _committed(world.remote)
    world.push_skill("skill-05", "Is a bad text.")
    world.publish()
    _choose(world, "format = 1\n")
    assert world.publish().commit
    world.roll_back()
    back = _committed(world.remote)
    assert [part.skills for part in back.parts] == [part.skills for part in good.parts]


@needs_ssh_keygen
def test_a_signature_covers_every_part(world: PublishWorld, tmp_path: Path) -> None:
    """The manifest that is signed names the digest of each part."""
    key = make_key(tmp_path / "key")
    world.publish(sign=key)
    files = _committed(world.remote)
    assert check_signature(files.manifest, files.signature, str(allow(tmp_path / "allowed", key)))
    assert len(json.loads(files.manifest)["parts"]) == 2


def test_a_synced_hub_is_searched_and_verified(world: PublishWorld, tmp_path: Path) -> None:
    """Whoever syncs the hub finds the index whole, and searches it by words."""
    home = {"AXON_HOME": str(tmp_path / "home")}
    synced = hub_index_here("sync", str(world.remote), "--json", env=home)
    assert synced.code == 0, synced.err
    assert json.loads(synced.out)["index"]["count"] == SKILLS
    hub = json.loads(synced.out)["hub"]
    assert hub_index_here("verify", "--hub", hub, env=home).code == 0
    found = hub_index_here("search", "thing number 7", "--keyword", "--json", env=home)
    assert json.loads(found.out)["hits"][0]["id"] == "skill-07"


def test_files_over_the_hosts_limit_are_refused_with_what_to_do(
    world: PublishWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub that insists on format 1 is told to let go of it."""
    _choose(world, "format = 1\n")
    monkeypatch.setattr(commit_module, "MAX_GIT_FILE_BYTES", 100)
    with pytest.raises(PublishError, match=r"take `format = 1` out of hub-index\.toml"):
        world.publish()
