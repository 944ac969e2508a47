"""F32: a wrong request or key stays wrong however often it is sent."""

import pytest
from support.models.provider_world import CANARY, WIRES, served_encoder
from support.models.scripted_server import WireFormat, status

from hub_index.errors import ConfigError, ProviderRefused
from hub_index.settings import KEY_VARIABLE

EXPECTED = {
    400: "status 400",
    401: KEY_VARIABLE,
    403: KEY_VARIABLE,
    404: "AXON_EMBEDDINGS_MODEL",
    409: "status 409",
    422: "status 422",
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("code", EXPECTED)
def test_f32_a_refusal_is_never_retried(wire: WireFormat, code: int) -> None:
    """One request is made, and the message names the variable to look at, never its value."""
    with served_encoder(wire) as (server, encoder):
        server.default = status(code, {"error": {"message": f"bad {CANARY}"}, "detail": f"bad {CANARY}"})
        with pytest.raises(ProviderRefused, match=EXPECTED[code]) as caught:
            encoder.embed_documents(["a"])
    assert len(server.requests) == 1
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("wire", WIRES)
def test_f32_the_servers_own_words_reach_the_user_tamed(wire: WireFormat) -> None:
    """What the server says is shown on one line, without control characters, and not at length."""
    with served_encoder(wire) as (server, encoder):
        server.default = status(400, {"error": {"message": "no\x1b[31m such\nthing " + "x" * 5000}, "detail": "no"})
        with pytest.raises(ProviderRefused) as caught:
            encoder.embed_documents(["a"])
    message = str(caught.value)
    assert len(message) < 600
    assert message.isprintable()


@pytest.mark.parametrize("model", ["openai:text-embedding-3-small", "voyage:voyage-4-lite"])
def test_f32_a_missing_key_is_named_before_any_request(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key the provider's own server is not asked at all; the message says which variable to set."""
    from hub_index.embedding.providers import make_encoder
    from hub_index.settings import read_settings

    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    encoder = make_encoder(model, read_settings())
    with pytest.raises(ConfigError, match=KEY_VARIABLE):
        encoder.embed_documents(["a"])
