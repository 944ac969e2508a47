"""Who may come in: other machines only with a token, and options that cannot be meant are refused at once."""

from pathlib import Path

import pytest
from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import Reply, ServingWorld, serving

from hub_index.errors import ConfigError
from hub_index.serve.http.serve_options import ServeOptions, find_binding
from hub_index.serve.http.tokens import TokenFile

ASK = {"model": "usem3", "input": "a"}
ANN, BOB = "ann-token-0123456789", "bob-token-0123456789"


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """Two tokens with names."""
    path = tmp_path / "tokens"
    path.write_text(f"# who may ask\nann {ANN}\n\nbob\t{BOB}\n")
    return path


def ask_with(world: ServingWorld, token: str) -> Reply:
    return world.embed(ASK, Authorization=f"Bearer {token}")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_are_let_in_only_with_tokens(host: str, token_file: Path) -> None:
    """An address that is not loopback needs --token-file too."""
    with pytest.raises(ConfigError, match="token-file"), serving(FakeEncoder(), host=host):
        pass
    assert not find_binding(ServeOptions(host=host, port=0, token_file=str(token_file))).is_loopback


def test_a_remote_server_asks_for_a_token_and_takes_any_name_of_its_own(token_file: Path) -> None:
    """The check against rebinding belongs to loopback: elsewhere the server has names that it does not know."""
    with serving(FakeEncoder(dim=512), host="0.0.0.0", token_file=str(token_file)) as world:
        refused = world.embed(ASK, Host="my-box.lan")
        assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
        good = {"Authorization": f"Bearer {ANN}"}
        assert world.embed(ASK, Host="my-box.lan", **good).status == 200
        assert world.embed(ASK, Host="my-box.lan", Origin="http://my-box.lan:80", **good).status == 200
        assert world.embed(ASK, Host="my-box.lan", Origin="https://evil.example", **good).status == 403


def test_tokens_have_names_and_are_revoked_without_a_restart(token_file: Path) -> None:
    """The log says who asked; a line that is taken out, or a file that is gone, lets nobody in any more."""
    with serving(FakeEncoder(dim=512), token_file=str(token_file)) as world:
        assert [ask_with(world, token).status for token in (ANN, BOB, ANN + "x", ANN[:-1], "")] == [200, 200] + [
            401
        ] * 3
        assert world.ask("GET", "/healthz").status == 401
        assert "POST /v1/embeddings 200 bob" in world.lines
        token_file.write_text(f"ann {ANN}\n")
        assert [ask_with(world, token).status for token in (ANN, BOB)] == [200, 401]
        token_file.write_text("ann short\n")
        assert ask_with(world, ANN).status == 401
        token_file.unlink()
        assert ask_with(world, ANN).status == 401
        token_file.write_text(f"bob {BOB}\n")
        assert [ask_with(world, token).status for token in (ANN, BOB)] == [401, 200]
        assert ANN not in "".join(world.lines)


def test_each_token_has_a_rate_of_its_own(token_file: Path) -> None:
    """Ann's flood does not cost Bob anything."""
    with serving(FakeEncoder(dim=512), token_file=str(token_file), requests_per_s=2) as world:
        assert [ask_with(world, ANN).status for _ in range(3)] == [200, 200, 429]
        assert ask_with(world, BOB).status == 200


@pytest.mark.parametrize(
    "content", ["", "# nothing\n", "ann\n", "ann short\n", f"a b {ANN}\n", f"ann {ANN}\nann {BOB}\n", f"än {ANN}\n"]
)
def test_a_file_that_is_not_one_of_tokens_is_refused_at_the_start(tmp_path: Path, content: str) -> None:
    """The message names the line and quotes nothing of it."""
    path = tmp_path / "tokens"
    path.write_text(content)
    with pytest.raises(ConfigError, match="token") as caught:
        TokenFile(str(path))
    assert ANN not in str(caught.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        TokenFile(str(tmp_path / "missing"))


@pytest.mark.parametrize("name", ["", "openai:usem3", "a b", "näme", "x" * 129, "a\nb"])
def test_a_model_name_that_nobody_could_ask_for_is_refused(name: str) -> None:
    """Exit 2 before a socket is opened."""
    with pytest.raises(ConfigError, match="model-name"), serving(FakeEncoder(), model_name=name):
        pass


def test_a_port_that_is_taken_is_named() -> None:
    """The message says which, and what to do."""
    with (
        serving(FakeEncoder(dim=512)) as world,
        pytest.raises(ConfigError, match=f"{world.port}.*--port"),
        serving(FakeEncoder(dim=512), port=world.port),
    ):
        pass
