"""`--sign KEY`: the manifest's signature is committed with the index, and never stands beside another manifest."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.publish_world import PublishWorld, git, make_world, read_index
from support.builds.ssh_keys import allow, make_key, needs_ssh_keygen, without_ssh_keygen
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError
from hub_index.hub.git.repository import open_repository
from hub_index.index.folder.hold import HOLD_FILE
from hub_index.index.folder.our_files import OUR_FILES
from hub_index.index.format.manifest import SIGNATURE_FILE
from hub_index.index.publish.committed import read_committed
from hub_index.index.signature import check_signature
from hub_index.models import IndexFiles

PUBLISHED = set(OUR_FILES) - {HOLD_FILE}


def committed(repository: Path, commit: str) -> IndexFiles:
    """The index of a commit with its signature."""
    found = read_committed(open_repository(repository), commit, "search")
    assert found is not None
    return found


def names(world: PublishWorld, branch: str = "main") -> set[str]:
    """What lies in the published folder."""
    return set(git(world.remote, "ls-tree", "--name-only", f"{branch}:search").split("\n"))


@needs_ssh_keygen
def test_the_signature_is_committed_with_the_index(tmp_path: Path) -> None:
    """One commit holds both; a second run with the same key finds nothing to do."""
    world, key = make_world(tmp_path, skills=3), make_key(tmp_path / "key")
    first = world.publish(sign=key)
    assert (world.commits(), names(world)) == (2, PUBLISHED)
    files = committed(world.job, first.commit or "")
    allowed = allow(tmp_path / "allowed", key)
    assert check_signature(files.manifest, files.signature, str(allowed)) == "owner@example.invalid"
    again = world.publish(sign=key)
    assert (again.commit, again.report.changed, world.commits()) == (None, False, 2)


@needs_ssh_keygen
def test_without_the_option_the_folder_is_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No signature, no other file, and the other files are those of a signed index, bit for bit."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):  # records hold the time of their commit
        monkeypatch.setenv(name, "2026-02-01T00:00:00Z")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain, signed = make_world(tmp_path / "a", skills=2), make_world(tmp_path / "b", skills=2)
    plain.publish()
    signed.publish(sign=make_key(tmp_path / "key"))
    assert names(plain) == PUBLISHED - {SIGNATURE_FILE}
    one, other = read_index(plain.remote, "main"), read_index(signed.remote, "main")
    assert (one.skills, one.vectors) == (other.skills, other.vectors)


@needs_ssh_keygen
def test_an_unsigned_index_is_signed_by_a_commit(tmp_path: Path) -> None:
    """The hub has not changed: the manifest stays byte for byte, and the signature is added."""
    world = make_world(tmp_path, skills=3)
    world.publish()
    before = read_index(world.remote, "main")
    done = world.publish(sign=make_key(tmp_path / "key"))
    assert done.commit is not None
    assert read_index(world.remote, "main") == before
    assert names(world) == PUBLISHED


@needs_ssh_keygen
def test_another_key_signs_anew(tmp_path: Path) -> None:
    """A signature that this key has not made is replaced."""
    world = make_world(tmp_path, skills=2)
    first = world.publish(sign=make_key(tmp_path / "one"))
    second = world.publish(sign=make_key(tmp_path / "two"))
    old, new = committed(world.job, first.commit or ""), committed(world.job, second.commit or "")
    assert old.manifest == new.manifest
    assert old.signature != new.signature


@needs_ssh_keygen
def test_a_signer_takes_over_no_vectors_that_it_has_not_signed(tmp_path: Path) -> None:
    """Somebody pushes a valid index with vectors of their own: the next signed run makes them anew."""
    world, key = make_world(tmp_path, skills=3), make_key(tmp_path / "key")
    world.publish(sign=key)
    good = read_index(world.remote, "main")
    world.maintainer.git("pull", "-q")
    _poison(world, good)
    done = world.publish(sign=key)
    assert read_index(world.remote, "main").vectors == good.vectors
    assert done.report.embedded == 3
    assert any("--sign" in text for text in done.report.notices)


def _poison(world: PublishWorld, good: IndexFiles) -> None:
    """The first two vectors change places, and the digests agree."""
    from hashlib import sha256

    from hub_index.index.format.manifest import decode_manifest, encode_manifest

    stride = decode_manifest(good.manifest).dim * 4
    vectors = good.vectors[stride : 2 * stride] + good.vectors[:stride] + good.vectors[2 * stride :]
    manifest = replace(decode_manifest(good.manifest), vector_sha256=sha256(vectors).hexdigest())
    folder = world.maintainer.root / "search"
    (folder / "vectors.f32").write_bytes(vectors)
    (folder / "index_manifest.json").write_bytes(encode_manifest(manifest))
    world.maintainer.git("commit", "-q", "-a", "-m", "poison")
    world.maintainer.git("push", "-q")


@needs_ssh_keygen
def test_no_stale_signature_stays(tmp_path: Path) -> None:
    """A signed hub is published without a key: the same commit removes the signature, and a notice says so."""
    world = make_world(tmp_path, skills=2)
    world.publish(sign=make_key(tmp_path / "key"))
    world.push_skill("late", "Comes late and is new.")
    done = world.publish()
    assert names(world) == PUBLISHED - {SIGNATURE_FILE}
    assert any("its signature is removed" in text for text in done.report.notices)
    assert git(world.remote, "show", "--name-only", "--format=", "main").count(SIGNATURE_FILE) == 1


@needs_ssh_keygen
def test_an_unchanged_hub_keeps_its_signature_without_the_key(tmp_path: Path) -> None:
    """Nothing is new, so nothing is committed and the signature stays."""
    world = make_world(tmp_path, skills=2)
    world.publish(sign=make_key(tmp_path / "key"))
    assert world.publish().commit is None
    assert SIGNATURE_FILE in names(world)


@needs_ssh_keygen
def test_a_branch_of_its_own_is_signed_as_well(tmp_path: Path) -> None:
    """--orphan: a signed index is still one of ours, and is replaced by the next."""
    world, key = make_world(tmp_path, skills=2), make_key(tmp_path / "key")
    world.publish(branch="search-index", orphan=True, sign=key)
    assert names(world, "search-index") == PUBLISHED
    world.push_skill("late", "Comes late and is new.")
    world.publish(branch="search-index", orphan=True, sign=key)
    assert (names(world, "search-index"), world.commits("search-index")) == (PUBLISHED, 1)


@needs_ssh_keygen
def test_a_checkout_follows_the_signature(tmp_path: Path) -> None:
    """`build --commit --sign`, then without: work tree and git's index have the signature, then have it no more."""
    story, key = make_story(tmp_path / "hub", skills=2), make_key(tmp_path / "key")
    signature = story.hub.root / "search" / SIGNATURE_FILE
    first = hub_index_here("build", story.hub.root, "--commit", "--sign", key)
    assert first.code == 0, first.err
    assert signature.is_file()
    assert story.hub.git("status", "--porcelain") == ""
    story.hub.skill("late", "Comes late and is new.")
    story.hub.commit("late")
    second = hub_index_here("build", story.hub.root, "--commit")
    assert second.code == 0, second.err
    assert "its signature is removed" in second.err + second.out
    assert not signature.exists()
    assert story.hub.git("status", "--porcelain") == ""


@needs_ssh_keygen
def test_a_plain_build_leaves_no_stale_signature(tmp_path: Path) -> None:
    """The folder is swapped: an unchanged manifest keeps its signature, a new one loses it."""
    story, key = make_story(tmp_path / "hub", skills=2), make_key(tmp_path / "key")
    hub_index_here("build", story.hub.root, "--commit", "--sign", key)
    signature = story.hub.root / "search" / SIGNATURE_FILE
    (story.hub.root / "search" / ".gitattributes").unlink()
    assert hub_index_here("build", story.hub.root, "--force").code == 0
    assert signature.is_file()
    story.hub.skill("late", "Comes late and is new.")
    story.hub.commit("late")
    assert hub_index_here("build", story.hub.root).code == 0
    assert not signature.exists()


@needs_ssh_keygen
def test_a_key_with_a_passphrase_is_refused_and_nobody_is_asked(tmp_path: Path) -> None:
    """Exit 2 before anything is embedded, and what to do instead; a file that is no key is refused alike."""
    world = make_world(tmp_path, skills=1)
    done = hub_index_here("publish", world.job, "--push", "--sign", make_key(tmp_path / "key", "secret words"))
    assert (done.code, world.commits()) == (2, 1)
    assert "ssh-add" in done.err
    (tmp_path / "nothing").write_text("not a key")
    assert hub_index_here("publish", world.job, "--push", "--sign", tmp_path / "nothing").code == 2
    assert len(done.err.strip().split("\n")) == 1


def test_without_ssh_keygen_signing_says_what_to_install(tmp_path: Path) -> None:
    """Exit 2, one line, nothing published."""
    world = make_world(tmp_path, skills=1)
    done = hub_index_here(
        "publish", world.job, "--push", "--sign", tmp_path / "key", PATH=without_ssh_keygen(tmp_path / "bin")
    )
    assert (done.code, world.commits()) == (2, 1)
    assert "ssh-keygen is not installed: install OpenSSH's client" in done.err


def test_a_key_for_a_build_that_commits_nothing_is_a_usage_error(tmp_path: Path) -> None:
    """What is signed is what is committed."""
    story = make_story(tmp_path / "hub", skills=1)
    done = hub_index_here("build", story.hub.root, "--sign", tmp_path / "key")
    assert done.code == 2
    assert "--sign needs --commit or --push" in done.err


def test_a_lone_signature_is_somebody_elses(tmp_path: Path) -> None:
    """A file of that name without a manifest is not replaced."""
    story = make_story(tmp_path / "hub", skills=1)
    lone = story.hub.root / "search" / SIGNATURE_FILE
    lone.parent.mkdir()
    lone.write_text("mine")
    done = hub_index_here("build", story.hub.root)
    assert (done.code, lone.read_text()) == (2, "mine")


@needs_ssh_keygen
def test_a_rollback_signs_nothing_that_its_key_has_not_signed(tmp_path: Path) -> None:
    """Whoever may push can have put an index between: it is passed over, and refused where it is named."""
    world, key = make_world(tmp_path, skills=3), make_key(tmp_path / "key")
    first = world.publish(sign=key)
    world.push_skill("between", "Somebody else's index holds this skill.")
    between = world.publish()
    world.push_skill("late", "Does a third thing.")
    world.publish(sign=key)
    with pytest.raises(ConfigError, match="was not signed with this key"):
        world.roll_back(between.commit, sign=key)
    world.roll_back(sign=key)
    assert read_index(world.remote, "main").skills == committed(world.job, first.commit or "").skills


@needs_ssh_keygen
def test_a_rollback_finds_an_index_that_was_signed_after_it_was_published(tmp_path: Path) -> None:
    """A commit that adds nothing but the signature is an earlier index too, and the one that its key has signed."""
    world, key = make_world(tmp_path, skills=3), make_key(tmp_path / "key")
    world.publish()
    signed = world.publish(sign=key)
    world.push_skill("late", "Does a third thing.")
    world.publish(sign=key)
    assert world.roll_back(sign=key).rolled_back_to == signed.commit


@needs_ssh_keygen
def test_a_signed_hub_is_not_rolled_back_to_an_unsigned_index_by_chance(tmp_path: Path) -> None:
    """Readers who check would lose it: without a key it takes the name of a commit, and then a notice says so."""
    world, key = make_world(tmp_path, skills=3), make_key(tmp_path / "key")
    first = world.publish(sign=key)
    world.push_skill("late", "Does a third thing.")
    last = world.publish(sign=key)
    with pytest.raises(ConfigError, match=f"--sign KEY.*--rollback {(first.commit or '')[:12]}"):
        world.roll_back()
    assert git(world.remote, "rev-parse", "main") == last.commit
    assert any("its signature is removed" in text for text in world.roll_back(first.commit).report.notices)
