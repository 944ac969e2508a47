"""The embeddings endpoint answers what OpenAI's clients send, and refuses the rest in their words."""

import base64
import json
from collections.abc import Iterator

import numpy as np
import pytest
from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import ServingWorld, serving

from hub_index.limits import MAX_SERVED_BODY_BYTES, MAX_SERVED_INPUT_CHARS, MAX_SERVED_INPUTS

CANARY = "canary-text-that-nobody-may-log"


@pytest.fixture(scope="module")
def encoder() -> FakeEncoder:
    """Vectors of the right length that follow from the text alone."""
    return FakeEncoder(dim=512)


@pytest.fixture(scope="module")
def world(encoder: FakeEncoder) -> Iterator[ServingWorld]:
    """One server for all questions."""
    with serving(encoder) as running:
        yield running


def test_one_text_as_the_axon_client_sends_it(world: ServingWorld, encoder: FakeEncoder) -> None:
    """A string, a model name and a key that nobody looks at: one vector and the name come back."""
    reply = world.embed({"model": "usem3", "input": "slow queries"}, Authorization="Bearer anything")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert reply.value["model"] == "usem3"
    assert reply.value["usage"] == {"prompt_tokens": 2, "total_tokens": 2}
    (entry,) = reply.value["data"]
    assert (entry["object"], entry["index"]) == ("embedding", 0)
    assert np.array_equal(np.float32(entry["embedding"]), encoder.vector("slow queries"))


def test_many_texts_come_back_in_order_and_in_base64(world: ServingWorld, encoder: FakeEncoder) -> None:
    """More texts than are embedded at once, Chinese and a lone surrogate's neighbours among them."""
    texts = [f"text {number} 制作" for number in range(21)]
    reply = world.embed({"model": "usem3", "input": texts, "encoding_format": "base64", "dimensions": 512})
    entries = reply.value["data"]
    assert [entry["index"] for entry in entries] == list(range(21))
    for entry, text in zip(entries, texts, strict=True):
        row = np.frombuffer(base64.b64decode(entry["embedding"]), "<f4")
        assert np.array_equal(row, encoder.vector(text))


def test_the_models_are_listed(world: ServingWorld) -> None:
    """The plain model by the name that clients use, and the Axon client's; alone too."""
    listed = world.ask("GET", "/v1/models").value
    assert [model["id"] for model in listed["data"]] == ["usem3", "usem3-axon"]
    assert world.ask("GET", "/v1/models/usem3").value["id"] == "usem3"


def test_another_models_name_is_not_answered(world: ServingWorld) -> None:
    """A client must not store vectors under a model that did not make them."""
    reply = world.embed({"model": "text-embedding-3-small", "input": "a"})
    assert (reply.status, reply.value["error"]["code"]) == (404, "model_not_found")
    assert "usem3" in reply.value["error"]["message"]


GOOD = {"model": "usem3", "input": CANARY}


@pytest.mark.parametrize(
    ("value", "status", "param"),
    [
        ([GOOD], 400, None),
        ({"input": CANARY}, 400, "model"),
        ({"model": 7, "input": CANARY}, 400, "model"),
        ({"model": "usem3"}, 400, "input"),
        (GOOD | {"input": ""}, 400, "input"),
        (GOOD | {"input": []}, 400, "input"),
        (GOOD | {"input": None}, 400, "input"),
        (GOOD | {"input": {"a": 1}}, 400, "input"),
        (GOOD | {"input": [CANARY, ""]}, 400, "input"),
        (GOOD | {"input": [CANARY, None]}, 400, "input"),
        (GOOD | {"input": [1, 2, 3]}, 400, "input"),
        (GOOD | {"input": [[1, 2], [3]]}, 400, "input"),
        (GOOD | {"input": [CANARY, 5]}, 400, "input"),
        (GOOD | {"encoding_format": "hex"}, 400, "encoding_format"),
        (GOOD | {"encoding_format": ["float"]}, 400, "encoding_format"),
        (GOOD | {"dimensions": 256}, 400, "dimensions"),
        (GOOD | {"dimensions": "512"}, 400, "dimensions"),
        (GOOD | {"dimensions": True}, 400, "dimensions"),
        (GOOD | {"input": "x" * (MAX_SERVED_INPUT_CHARS + 1)}, 413, "input"),
        (GOOD | {"input": ["x"] * (MAX_SERVED_INPUTS + 1)}, 413, "input"),
    ],
)
def test_a_wrong_request_is_refused_in_openais_shape(
    world: ServingWorld, value: object, status: int, param: str | None
) -> None:
    """The parameter at fault is named, the text is not quoted."""
    reply = world.embed(value)
    error = reply.value["error"]
    assert (reply.status, error["param"], error["type"]) == (status, param, "invalid_request_error")
    assert CANARY not in error["message"]


def test_token_arrays_are_explained(world: ServingWorld) -> None:
    """A client that sends another tokenizer's numbers learns what to change."""
    message = world.embed({"model": "usem3", "input": [[15339, 1917]]}).value["error"]["message"]
    assert "tokens" in message
    assert "check_embedding_ctx_length" in message


@pytest.mark.parametrize("value", [{"input": "x" * MAX_SERVED_INPUT_CHARS}, {"input": ["x"] * MAX_SERVED_INPUTS}])
def test_the_last_size_that_is_allowed_is_answered(world: ServingWorld, value: dict[str, object]) -> None:
    """One below each refusal is a plain answer."""
    assert world.embed({"model": "usem3"} | value).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        b'{"model": "usem3", "input": "a"',
        b'{"model": "usem3", "input": "\xff"}',
        b"[" * 200_000,
        b'{"model": "usem3", "dimensions": ' + b"9" * 5000 + b"}",
        b"\x00" * 100,
    ],
)
def test_a_body_that_is_not_json_is_400(world: ServingWorld, body: bytes) -> None:
    """Broken, binary or absurd bodies are refused like any wrong request."""
    reply = world.ask("POST", "/v1/embeddings", body, Content_Type="application/json")
    assert reply.status == 400
    assert "message" in reply.value["error"]


def test_a_body_over_the_cap_is_413_though_the_client_is_still_sending(world: ServingWorld) -> None:
    """The client reads the refusal instead of a reset connection."""
    body = json.dumps({"model": "usem3", "input": "x" * MAX_SERVED_BODY_BYTES}).encode()
    reply = world.ask("POST", "/v1/embeddings", body, Content_Type="application/json")
    assert reply.status == 413
    assert str(MAX_SERVED_BODY_BYTES) in reply.value["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("POST", "/", 405),
        ("GET", "/v1/models/other", 404),
        ("GET", "/v1/embeddings", 405),
        ("POST", "/v1/models", 405),
        ("OPTIONS", "/v1/embeddings", 405),
        ("DELETE", "/v1/models/usem3", 405),
        ("BREW", "/v1/embeddings", 501),
        ("GET", "http://127.0.0.1/v1/models", 404),
        ("GET", "/v1/models?input=" + CANARY, 200),
        ("GET", "/" + CANARY, 404),
    ],
)
def test_other_paths_and_methods_are_answered_in_json(world: ServingWorld, method: str, path: str, status: int) -> None:
    """What is not served says so in JSON, not in HTML."""
    reply = world.ask(method, path)
    assert reply.status == status
    assert reply.headers["content-type"] in ("application/json", "application/problem+json")
    assert isinstance(reply.value, dict)
    assert ("allow" in reply.headers) == (status == 405)


def test_no_text_and_no_key_is_ever_logged(world: ServingWorld) -> None:
    """After all of this module's requests: lines of method, path and status, without a word of theirs."""
    world.embed({"model": "usem3", "input": CANARY}, Authorization=f"Bearer {CANARY}")
    world.ask("GET", "/healthz")  # a line is written once its answer is out, and before the next request is read
    assert "POST /v1/embeddings 200" in world.lines
    assert CANARY not in "\n".join(world.lines)
