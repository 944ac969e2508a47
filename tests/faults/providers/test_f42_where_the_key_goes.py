"""F42: the key goes to the configured host and nowhere else."""

import pytest
from support.models.provider_world import CANARY, WIRES, encoders_of, served_encoder
from support.models.scripted_server import ScriptedServer, WireFormat, redirect

from hub_index.embedding.providers import make_encoder
from hub_index.errors import ConfigError, ProviderRefused
from hub_index.settings import read_settings


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_f42_redirects_are_refused(wire: WireFormat, code: int) -> None:
    """The other server sees no request at all, let alone a key."""
    with ScriptedServer(wire) as other, served_encoder(wire) as (server, encoder):
        server.default = redirect(code, other.url + "/embeddings")
        with pytest.raises(ProviderRefused, match="AXON_EMBEDDINGS_BASE_URL"):
            encoder.embed_documents(["a"])
        assert len(server.requests) == 1
        assert other.requests == []


REFUSED = [
    "http://example.invalid/v1",
    "http://10.0.0.7/v1",
    "http://127.0.0.1.example.invalid/v1",
    "http://localhost.example.invalid/v1",
    "http://[::2]/v1",
    "http://0.0.0.0/v1",
    "https://user:secret@example.invalid/v1",
    "https://example.invalid/v1?key=1",
    "ftp://example.invalid/v1",
    "example.invalid/v1",
    "https://",
    "http://[::1",
    "https://example.invalid:99999/v1",
]


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize("url", REFUSED)
def test_f42_addresses_that_would_show_the_key_are_refused(
    provider: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain http to another machine, credentials in the address and non-addresses: a ConfigError without the value."""
    monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", url)
    with pytest.raises(ConfigError, match="AXON_EMBEDDINGS_BASE_URL") as caught:
        make_encoder(f"{provider}:m", read_settings())
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "allow"),
    [
        ("http://127.0.0.1:11434/v1", ""),
        ("http://127.8.9.1/v1", ""),
        ("http://[::1]:80/v1", ""),
        ("http://localhost:8080/v1", ""),
        ("https://example.invalid/v1", ""),
        ("http://10.0.0.7/v1", "1"),
    ],
)
def test_f42_loopback_tls_and_what_the_user_allows_pass(url: str, allow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ollama on this machine needs no permission, TEI in a private network needs one."""
    monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", url)
    monkeypatch.setenv("AXON_EMBEDDINGS_ALLOW_HTTP", allow)
    assert make_encoder("openai:m", read_settings()).model_id == "openai:m"


def test_f42_a_key_is_not_sent_to_another_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that asks for voyage does not get the key that the user has set for openai."""
    monkeypatch.setenv("AXON_EMBEDDINGS_PROVIDER", "openai")
    with pytest.raises(ConfigError, match="AXON_EMBEDDINGS_PROVIDER"):
        make_encoder("voyage:voyage-4-lite", read_settings())


@pytest.mark.parametrize("wire", WIRES)
def test_f42_neither_netrc_nor_a_proxy_for_plain_http_gets_in_between(
    wire: WireFormat, monkeypatch: pytest.MonkeyPatch, own_world: object
) -> None:
    """A netrc entry does not replace the key, and a proxy in the environment is not told it."""
    from pathlib import Path

    (Path(str(own_world)) / ".netrc").write_text("machine 127.0.0.1 login someone password else\n")
    with ScriptedServer(wire) as proxy, ScriptedServer(wire) as server, encoders_of(server) as encoder_of:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
        encoder_of(f"{wire}:m").embed_documents(["a"])
        sent = {name.lower(): text for name, text in server.requests[0].headers.items()}
        assert CANARY in (sent.get("api-key", ""), sent.get("authorization", "").removeprefix("Bearer "))
        assert proxy.requests == []
