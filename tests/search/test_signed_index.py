"""A search with allowed signers: whose index answers, what is remembered of it, and what is not believed."""

import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from support.builds.ssh_keys import allow, make_key, needs_ssh_keygen
from support.searches.search_world import SearchWorld, make_world

from hub_index.base.cache_notes import read_note, write_note
from hub_index.errors import ConfigError, IndexUntrusted
from hub_index.index import signature
from hub_index.index.folder.reading import read_files
from hub_index.index.format.manifest import SIGNATURE_FILE, decode_manifest, encode_manifest
from hub_index.index.signature import Signer, run_ssh_keygen
from hub_index.limits import MAX_ALLOWED_SIGNERS_BYTES
from hub_index.search.places.verified_records import _NOTED

_PROBE = """
import sys
from hub_index.search import open_index
results = open_index(hub=sys.argv[1], home=sys.argv[2], cache_dir=sys.argv[3]).search("slow queries", mode="keyword")
print(results.index_dir, "subprocess" in sys.modules)
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """The hub's owner's key."""
    return make_key(tmp_path / "key")


@pytest.fixture
def world(tmp_path: Path, key: Path) -> SearchWorld:
    """A signed hub, and a user who trusts its owner."""
    world = make_world(tmp_path)
    sign(world, key)
    allow(world.home / "allowed_signers", key)
    return world


def sign(world: SearchWorld, key: Path) -> None:
    """Puts the key's signature beside the manifest, as a sync would."""
    signed = Signer(key).sign(read_files(world.story.folder))
    assert signed.signature is not None
    (world.story.folder / SIGNATURE_FILE).write_bytes(signed.signature)


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What ssh-keygen is asked from now on."""
    calls: list[str] = []

    def counted(*arguments: str, stdin: bytes = b"") -> object:
        calls.append(arguments[1])
        return run_ssh_keygen(*arguments, stdin=stdin)

    monkeypatch.setattr(signature, "run_ssh_keygen", counted)
    return calls


@needs_ssh_keygen
@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_an_index_that_is_signed_answers(world: SearchWorld, mode: str) -> None:
    """In every mode, and without a word about it."""
    results = world.open().search("slow queries", mode=mode)
    assert (results.mode, results.index_dir, results.notices) == (mode, str(world.story.folder), ())


@needs_ssh_keygen
@pytest.mark.parametrize("damage", ["unsigned", "other key", "other manifest", "huge", "link"])
def test_an_index_without_a_right_signature_is_not_used(world: SearchWorld, tmp_path: Path, damage: str) -> None:
    """The checkout's own files answer, with the reason; --semantic raises."""
    signature, manifest = world.story.folder / SIGNATURE_FILE, world.story.folder / "index_manifest.json"
    if damage == "unsigned":
        signature.unlink()
    elif damage == "other key":
        sign(world, make_key(tmp_path / "other"))
    elif damage == "other manifest":
        manifest.write_bytes(manifest.read_bytes() + b"\n")
    elif damage == "huge":
        signature.write_bytes(signature.read_bytes() + b"\n" * 100_000)
    else:
        signature.rename(tmp_path / "elsewhere")
        signature.symlink_to(tmp_path / "elsewhere")
    results = world.open().search("slow queries")
    assert (results.mode, results.index_dir) == ("keyword", "")
    assert results.hits
    assert "sign" in results.fallback_reason
    with pytest.raises(IndexUntrusted):
        world.open().search("slow queries", mode="semantic")


@needs_ssh_keygen
def test_a_signature_for_another_purpose_is_none(world: SearchWorld, key: Path) -> None:
    """What the owner signed in another namespace, such as git's, says nothing of an index."""
    manifest = world.story.folder / "index_manifest.json"
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(key)]
    signature = subprocess.run(command, input=manifest.read_bytes(), capture_output=True, check=True).stdout
    (world.story.folder / SIGNATURE_FILE).write_bytes(signature)
    allow(world.home / "allowed_signers", key, options="")
    with pytest.raises(IndexUntrusted):
        world.open().search("slow queries", mode="semantic")


@needs_ssh_keygen
def test_a_signed_manifest_without_digests_is_refused(world: SearchWorld, key: Path) -> None:
    """It would say nothing of the files beside it."""
    folder = world.story.folder
    manifest = decode_manifest((folder / "index_manifest.json").read_bytes())
    (folder / "index_manifest.json").write_bytes(encode_manifest(replace(manifest, vector_sha256=None)))
    sign(world, key)
    with pytest.raises(IndexUntrusted, match="no digests"):
        world.open().search("slow queries", mode="semantic")


@needs_ssh_keygen
def test_who_has_no_allowed_signers_is_not_bothered(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong signature is ignored, and ssh-keygen is not started."""
    (world.home / "allowed_signers").unlink()
    (world.story.folder / SIGNATURE_FILE).write_bytes(b"nonsense")
    calls = count_calls(monkeypatch)
    assert world.open().search("slow queries").mode == "hybrid"
    assert calls == []


@needs_ssh_keygen
def test_a_known_verdict_starts_no_process(world: SearchWorld) -> None:
    """The second cold search does not even import subprocess."""
    command = [sys.executable, "-c", _PROBE, str(world.hub), str(world.home), str(world.cache)]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(2)]
    assert said == [[str(world.story.folder), "True"], [str(world.story.folder), "False"]]


@needs_ssh_keygen
def test_a_verdict_is_of_these_signers(world: SearchWorld, tmp_path: Path) -> None:
    """Another allowed_signers is asked anew: a key that was taken out counts no more."""
    assert world.open().search("slow queries").mode == "hybrid"
    allow(world.home / "allowed_signers", make_key(tmp_path / "other"))
    assert world.open().search("slow queries").mode == "keyword"


@needs_ssh_keygen
def test_a_cache_that_others_may_write_is_not_believed(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its verdicts are made again each time."""
    world.open().search("slow queries", mode="keyword")
    calls = count_calls(monkeypatch)
    world.open().search("slow queries", mode="keyword")
    assert calls == []
    os.chmod(world.cache, 0o777)
    for _ in range(2):
        world.open().search("slow queries", mode="keyword")
    assert calls == ["find-principals", "verify"] * 2


@needs_ssh_keygen
def test_a_note_cannot_put_other_skills_under_a_signed_manifest(world: SearchWorld) -> None:
    """Other records of a digest that a forged note names, beside the signed manifest: refused all the same."""
    world.open().search("slow queries", mode="keyword")
    skills = world.story.folder / "skills.jsonl"
    old = sha256(skills.read_bytes()).hexdigest()
    skills.write_bytes(skills.read_bytes().replace(b"slow", b"fast"))
    for file in (world.cache / "manifests").iterdir():
        note = read_note(str(world.cache), "manifests", file.name, _NOTED) or {}
        forged = {name: value.replace(old, sha256(skills.read_bytes()).hexdigest()) for name, value in note.items()}
        assert forged != note
        write_note(str(world.cache), "manifests", file.name, forged)
    assert world.open().search("slow queries", mode="keyword").index_dir == ""


@needs_ssh_keygen
def test_the_users_own_index_needs_no_signature(world: SearchWorld) -> None:
    """Nobody else has made it."""
    (world.story.folder / SIGNATURE_FILE).unlink()
    world.story.build(out=world.home / "search")
    assert world.open().search("slow queries").index_dir == str(world.home / "search")


def test_allowed_signers_that_are_named_and_missing_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for signatures does not go without because of a slip in a path."""
    world = make_world(tmp_path)
    (world.story.folder / SIGNATURE_FILE).write_bytes(b"anything")
    monkeypatch.setenv("AXON_ALLOWED_SIGNERS", str(tmp_path / "missing"))
    with pytest.raises(ConfigError, match="allowed signers"):
        world.open().search("slow queries", mode="keyword")


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "too large"])
def test_allowed_signers_that_are_no_file_of_lines_are_an_error(world: SearchWorld, kind: str) -> None:
    """A pipe hangs no search: it is told at once, as a folder is, and a file that no user has written by hand."""
    allowed = world.home / "allowed_signers"
    allowed.unlink()
    if kind == "a pipe":
        os.mkfifo(allowed)
    elif kind == "a folder":
        allowed.mkdir()
    else:
        allowed.write_bytes(b"#" * (MAX_ALLOWED_SIGNERS_BYTES + 1))
    asked = [sys.executable, "-c", _PROBE, *map(str, (world.hub, world.home, world.cache))]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "ConfigError: the allowed signers" in done.stderr


def test_allowed_signers_may_be_a_link(world: SearchWorld) -> None:
    """The file is the user's own, and may lie among other settings of theirs."""
    allowed = world.home / "allowed_signers"
    allowed.rename(world.home / "elsewhere")
    allowed.symlink_to("elsewhere")
    assert world.open().search("slides", mode="keyword").index_dir


def test_without_ssh_keygen_a_signed_index_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not checked is not trusted; the reason says what to install."""
    world = make_world(tmp_path)
    (world.story.folder / SIGNATURE_FILE).write_bytes(b"anything")
    (world.home / "allowed_signers").write_text("owner ssh-ed25519 AAAA\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(IndexUntrusted, match="ssh-keygen is not installed"):
        world.open().search("slow queries", mode="semantic")
