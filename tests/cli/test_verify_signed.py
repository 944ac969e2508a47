"""`verify`, `search` and `sync` on the command line: five outcomes of a signed index, and the age of any."""

import json
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.builds.build_story import make_story
from support.builds.ssh_keys import allow, make_key, needs_ssh_keygen
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.model_copy import lend_model_copy
from support.processes.cli_runner import CommandOutcome, hub_index_here

from hub_index.index.format.manifest import SIGNATURE_FILE


class Story:
    """A hub that its owner signs, and a user with allowed signers."""

    def __init__(self, root: Path) -> None:
        self.hub, self.key = HubMaker(root / "hub"), root / "key"
        self.home, self.cache = root / "axon", root / "cache"

    @property
    def folder(self) -> Path:
        return self.hub.root / "search"

    def publish(self, key: Path) -> None:
        done = hub_index_here("publish", self.hub.root, "--sign", key)
        assert done.code == 0, done.err

    def run(self, *arguments: str | Path) -> CommandOutcome:
        """A command of the user's."""
        return hub_index_here(*arguments, AXON_HOME=str(self.home), HUB_INDEX_CACHE=str(self.cache))

    def verify(self, *options: str) -> CommandOutcome:
        return self.run("verify", "--hub", self.hub.root, *options)

    def search(self, *options: str) -> CommandOutcome:
        return self.run("search", "skill", "--hub", self.hub.root, *options)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything in order; to be copied."""
    root = tmp_path_factory.mktemp("signed")
    make_plain_hub(root / "hub", 3)
    story = Story(root)
    allow(story.home / "allowed_signers", make_key(story.key))
    story.publish(story.key)
    return root


@pytest.fixture
def story(template: Path, tmp_path: Path) -> Story:
    """A world of the test's own."""
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    story = Story(tmp_path)
    lend_model_copy(story.cache)
    return story


def check_refused(story: Story, words: str) -> None:
    """verify and a semantic search end with exit 6 and one line; a plain search answers by keywords and says why."""
    for done in (story.verify(), story.search("--semantic")):
        assert done.code == 6
        assert words in done.err
        assert len(done.err.strip().split("\n")) == 1
    plain = story.search("--json")
    answer = json.loads(plain.out)
    assert (plain.code, answer["mode"]) == (0, "keyword")
    assert answer["hits"]
    assert words in answer["fallback_reason"]


@needs_ssh_keygen
def test_a_good_signature(story: Story) -> None:
    """Valid, fresh and by whom; the search is the one without signatures."""
    done = story.verify()
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("valid, fresh, signed by owner@example.invalid: 3 skills")
    assert json.loads(story.verify("--json").out)["signature"] == "signed by owner@example.invalid"
    assert json.loads(story.search("--json").out)["mode"] == "hybrid"
    synced = story.run("sync", story.hub.root)
    assert synced.out.strip().endswith("fresh, signed by owner@example.invalid")


@needs_ssh_keygen
def test_an_unsigned_index(story: Story) -> None:
    """Refused by all three."""
    (story.folder / SIGNATURE_FILE).unlink()
    check_refused(story, "the index is not signed")
    story.hub.git("commit", "-q", "-a", "-m", "unsigned")
    assert "no index to use" in story.run("sync", story.hub.root).out


@needs_ssh_keygen
def test_a_wrong_key(story: Story, tmp_path: Path) -> None:
    """A right signature by somebody who is not allowed."""
    story.publish(make_key(tmp_path / "stranger"))
    check_refused(story, "is not a signature of this index by anybody in")


@needs_ssh_keygen
def test_an_altered_index(story: Story) -> None:
    """A valid index under the signature of another."""
    manifest = story.folder / "index_manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"created_at": "20', b'"created_at": "19'))
    check_refused(story, "is not a signature of this index by anybody in")


@needs_ssh_keygen
def test_an_older_index_replayed(story: Story, tmp_path: Path) -> None:
    """Rightly signed, and older than one accepted before: exit 6, a notice in search, and a way to accept it."""
    old = tmp_path / "old"
    shutil.copytree(story.folder, old)
    created = json.loads((old / "index_manifest.json").read_text())["created_at"]
    while datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") <= created:
        time.sleep(0.02)
    story.hub.skill("late", "Comes late and is new.")
    story.hub.commit("late")
    story.publish(story.key)
    assert story.verify().code == 0
    shutil.rmtree(story.folder)
    shutil.copytree(old, story.folder)
    done = story.run("verify", story.folder)
    assert done.code == 6
    assert "is older than one that was accepted here before" in done.err
    found = story.search()
    assert found.code == 0
    assert "is older than one that was accepted here before" in found.err
    assert story.run("verify", story.folder, "--allow-older").code == 0
    assert story.run("verify", story.folder).code == 0


@needs_ssh_keygen
def test_without_allowed_signers_a_signature_is_not_checked(story: Story) -> None:
    """verify says so; a broken one is nothing to complain about."""
    (story.home / "allowed_signers").unlink()
    (story.folder / SIGNATURE_FILE).write_text("nonsense")
    done = story.verify()
    assert done.code == 0
    assert "signed (not checked: no allowed_signers)" in done.out
    assert json.loads(story.search("--json").out)["mode"] == "hybrid"


def set_age(folder: Path, age: timedelta) -> None:
    """An index that was built so long ago."""
    file = folder / "index_manifest.json"
    created_at = (datetime.now(UTC) - age).strftime("%Y-%m-%dT%H:%M:%SZ")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"created_at": created_at}))


@pytest.mark.parametrize(
    ("hours", "max_age", "code"),
    [(47, "48h", 0), (49, "48h", 6), (49, "3d", 0), (73, "3d", 6), (1, "59m", 6), (1, "61m", 0), (-30, "48h", 6)],
)
def test_an_alarm_rings_for_an_index_that_is_too_old(tmp_path: Path, hours: int, max_age: str, code: int) -> None:
    """--max-age with minutes, hours or days; a time in the future would silence it for ever, and is refused as well."""
    story = make_story(tmp_path / "hub", skills=1)
    story.build()
    set_age(story.folder, timedelta(hours=hours))
    done = hub_index_here("verify", "--hub", story.hub.root, "--max-age", max_age)
    assert done.code == code, done.err
    assert ("was built" in done.err) == (code == 6)


@pytest.mark.parametrize("text", ["48", "h", "0h", "-1h", "1w", "1.5h", "", "٣h", "999999d"])
def test_an_age_that_is_none_is_a_usage_error(tmp_path: Path, text: str) -> None:
    """Exit 2, and what to write."""
    done = hub_index_here("verify", tmp_path, f"--max-age={text}")
    assert done.code == 2
    assert "write 90m, 48h or 7d" in done.err


def test_a_hub_alone_names_its_own_index(tmp_path: Path) -> None:
    """`verify --hub H` checks H's output folder, wherever it is called."""
    story = make_story(tmp_path / "hub", skills=2)
    (story.hub.root / "hub-index.toml").write_text('output = "found/here"\n')
    story.hub.commit("settings")
    assert hub_index_here("build", story.hub.root).code == 0
    done = hub_index_here("verify", "--hub", story.hub.root, cwd=tmp_path)
    assert (done.code, done.out[:12]) == (0, "valid, fresh")
