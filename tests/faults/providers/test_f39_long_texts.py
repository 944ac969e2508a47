"""F39: a text that is too long for its model is cut before it is sent, or named; never tried again and again."""

import pytest
from support.models.provider_world import WIRES, encoders_of, served_encoder
from support.models.scripted_server import ScriptedServer, WireFormat, status

from hub_index.embedding.api.token_estimate import cut_text, estimate_tokens
from hub_index.errors import ProviderRefused

LONG = {
    "english": "name: x\ndescription: " + "Finds slow queries and explains their plans. " * 2000,
    "chinese": "name: x\ndescription: " + "分析数据库的慢查询并给出索引建议。" * 2000,
    "encoded": "name: x\ndescription: " + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY" * 2000,
    "emoji": "name: x\ndescription: " + "🧪🔬" * 4000,
    "digits": "name: x\ndescription: " + "1234567890" * 4000,
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("language", LONG)
def test_f39_a_long_text_is_cut_before_it_is_sent(wire: WireFormat, language: str) -> None:
    """What the server sees is a beginning of the text that fits the limit."""
    with served_encoder(wire) as (server, encoder):
        object.__setattr__(encoder.known, "max_input_tokens", 500)
        encoder.embed_documents([LONG[language]])
    sent = server.requests[0].texts[0]
    assert LONG[language].startswith(sent)
    assert estimate_tokens(sent) <= 500 / 1.25 + 1
    assert len(sent.encode()) >= 0.8 * 500  # cut no shorter than a token a byte, less the margin


def test_f39_a_text_within_the_limit_is_never_touched() -> None:
    """Both sides of the limit: as many bytes as tokens always fit; the longest record in English fits OpenAI's."""
    assert cut_text("x" * 100, 100) == "x" * 100
    assert cut_text("长" * 62, 100) == "长" * 61  # 61 × 1.3 estimated tokens and a quarter more are just within 100
    longest = "name: n\ndescription: " + ("word and " * 1200)[:8192]
    assert cut_text(longest, 8192) == longest
    assert cut_text("长" * 10_000, None) == "长" * 10_000


def test_f39_the_limit_is_part_of_the_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another limit cuts other texts, so its vectors are not reused (F28)."""
    with ScriptedServer() as server, encoders_of(server) as encoder_of:
        unlimited = encoder_of("openai:nobody").space
        monkeypatch.setenv("AXON_EMBEDDINGS_MAX_TOKENS", "512")
        assert encoder_of("openai:nobody").space != unlimited


TOO_LONG = {
    "with its place": ({"message": "Invalid 'input[1]': maximum input length is 8192 tokens."}, "name: short two"),
    "without": ({"message": "This model's maximum context length is 512 tokens."}, "name: the long one"),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("form", TOO_LONG)
def test_f39_a_refused_text_is_named_and_not_tried_again(wire: WireFormat, form: str) -> None:
    """The server says 400: the message names the skill (by the server's index, else the longest) and what to do."""
    body, named = TOO_LONG[form]
    texts = ["name: short one", "name: short two", "name: the long one\ndescription: " + "words " * 50]
    with served_encoder(wire) as (server, encoder):
        server.default = status(400, {"error": body, "detail": body["message"]})
        with pytest.raises(ProviderRefused, match="AXON_EMBEDDINGS_MAX_TOKENS") as caught:
            encoder.embed_documents(texts)
    assert named in str(caught.value)
    assert len(server.requests) == 1
