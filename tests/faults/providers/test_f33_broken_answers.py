"""F33 to F38: answers that look like answers and are not; nothing of them is ever stored."""

import gzip
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.models.provider_world import WIRES, served_encoder
from support.models.scripted_server import Reply, WireFormat, edited, endless, ok, raw, vector_of, with_vector

from hub_index.errors import ProviderBrokePromise

TEXTS = ["name: one", "name: two", "name: three"]
Edit = Callable[[dict[str, Any]], Any]


def _data(change: Callable[[list[dict[str, Any]]], Any]) -> Reply:
    def edit(payload: dict[str, Any]) -> dict[str, Any]:
        return {**payload, "data": change(payload["data"])}

    return edited(edit)


def _with_index(place: int, index: object) -> Reply:
    return _data(lambda data: [{**item, "index": index} if at == place else item for at, item in enumerate(data)])


WRONG_COUNTS: dict[str, Reply] = {
    "too few": _data(lambda data: data[:-1]),
    "too many": _data(lambda data: [*data, {**data[0], "index": 3}]),
    "none": _data(lambda data: []),
    "duplicate index": _with_index(1, 0),
    "missing index": _data(lambda data: [{"embedding": item["embedding"]} for item in data]),
    "index out of range": _with_index(2, 3),
    "index below zero": _with_index(0, -1),
    "index as text": _with_index(0, "0"),
    "index as truth": _with_index(0, False),
    "no list": _data(lambda data: {"0": data}),
    "items are not objects": _data(lambda data: ["x", "y", "z"]),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", WRONG_COUNTS)
def test_f33_indexes_must_be_exactly_those_asked_for(wire: WireFormat, fault: str) -> None:
    """An answer that does not pair one vector with each text is refused, and not asked for again."""
    with served_encoder(wire) as (server, encoder):
        server.default = WRONG_COUNTS[fault]
        with pytest.raises(ProviderBrokePromise):
            encoder.embed_documents(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("seed", range(4))
def test_f34_reordered_answers_are_paired_by_index(wire: WireFormat, seed: int) -> None:
    """Reversed and shuffled answers give each text its own vector."""
    texts = [f"name: {number}" for number in range(20)]

    def reorder(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return data[::-1] if seed == 0 else random.Random(seed).sample(data, len(data))

    with served_encoder(wire) as (server, encoder):
        server.default = _data(reorder)
        rows = encoder.embed_documents(texts)
    expected = np.array([vector_of(text, 8) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(rows, expected, atol=1e-6)


@pytest.mark.parametrize("wire", WIRES)
def test_f35_a_wrong_dimension_is_refused(wire: WireFormat) -> None:
    """A model that was asked for 16 numbers and gives 8 breaks its promise."""
    with served_encoder(wire) as (_, encoder):
        encoder._dim = 16
        with pytest.raises(ProviderBrokePromise, match="8 numbers instead of 16"):
            encoder.embed_documents(TEXTS)


@pytest.mark.parametrize("wire", WIRES)
def test_f35_dimensions_within_an_answer_must_agree(wire: WireFormat) -> None:
    """One short vector spoils the whole answer."""
    with served_encoder(wire) as (server, encoder):
        server.default = with_vector(1, [0.5] * 7)
        with pytest.raises(ProviderBrokePromise, match="7 and 8"):
            encoder.embed_documents(TEXTS)


@pytest.mark.parametrize("wire", WIRES)
def test_f35_dimensions_between_answers_must_agree(wire: WireFormat) -> None:
    """The first answer of an unknown model fixes the dimension; a later one of another length is refused."""
    with served_encoder(wire) as (server, encoder):
        before = encoder.dim
        encoder.embed_documents(TEXTS)
        assert (before, encoder.dim) == (None, 8)
        server.dim = 12
        with pytest.raises(ProviderBrokePromise, match="12 numbers instead of 8"):
            encoder.embed_documents(TEXTS)


def _numbers(bad: object) -> list[Any]:
    return [0.1, bad, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]


BAD_VECTORS: dict[str, Reply] = {
    "NaN": with_vector(1, _numbers(float("nan"))),
    "infinity": with_vector(1, _numbers(float("inf"))),
    "NaN in a list": with_vector(1, _numbers(float("nan")), as_list=True),
    "1e39 in a list": with_vector(1, _numbers(1e39), as_list=True),
    "an endless integer": with_vector(1, _numbers(10**400), as_list=True),
    "zero": with_vector(1, [0.0] * 8),
    "text in a list": with_vector(1, _numbers("0.2"), as_list=True),
    "null in a list": with_vector(1, _numbers(None), as_list=True),
    "a list in a list": with_vector(1, _numbers([0.2]), as_list=True),
    "no base64": edited(lambda p: p["data"][1].update(embedding="%%%") or p),
    "base64 of 3 bytes": edited(lambda p: p["data"][1].update(embedding="AAAA") or p),
    "empty": edited(lambda p: [item.update(embedding="") for item in p["data"]] and p),
    "nothing": edited(lambda p: p["data"][1].pop("embedding") and p),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", BAD_VECTORS)
def test_f36_vectors_that_are_none_are_refused(wire: WireFormat, fault: str) -> None:
    """Not finite, zero, or no numbers: refused, and the skill is named where one is at fault."""
    with served_encoder(wire) as (server, encoder):
        server.default = BAD_VECTORS[fault]
        with pytest.raises(ProviderBrokePromise) as caught:
            encoder.embed_documents(TEXTS)
    assert "name: two" in str(caught.value) or fault == "empty"
    assert len(server.requests) == 1


GARBAGE: dict[str, Reply] = {
    "HTML": raw(b"<!doctype html><title>Welcome to the hotel</title>", headers={"Content-Type": "text/html"}),
    "plain text": raw(b"it works", headers={"Content-Type": "text/plain"}),
    "broken JSON": raw(b'{"data": [{"index": 0, "embedding": [0.1,'),
    "an empty body": raw(b""),
    "a JSON string": raw(b'"hello"'),
    "JSON nested 100,000 deep": raw(b"[" * 100_000),
    "not UTF-8": raw(b'{"data": "\xff\xfe"}'),
    "compressed": raw(gzip.compress(b" " * 1000), headers={"Content-Encoding": "gzip"}),
    "endless": endless(),
    "204": raw(b"", code=204),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", GARBAGE)
def test_f37_anything_but_the_expected_json_is_refused(
    wire: WireFormat, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 200 with something else is refused at once; an endless one is read up to the cap and no further."""
    monkeypatch.setattr("hub_index.embedding.api.http_guard.MAX_ANSWER_BYTES", 1_000_000)
    with served_encoder(wire) as (server, encoder):
        encoder.policy = type(encoder.policy)(tries=3, timeout_s=10)
        server.default = GARBAGE[fault]
        with pytest.raises(ProviderBrokePromise):
            encoder.embed_documents(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize("wire", WIRES)
def test_f37_an_endless_error_is_capped_too(wire: WireFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap also holds for the body of an error."""
    monkeypatch.setattr("hub_index.embedding.api.http_guard.MAX_ANSWER_BYTES", 1_000_000)
    with served_encoder(wire) as (server, encoder):
        encoder.policy = type(encoder.policy)(tries=3, timeout_s=10)
        server.default = endless(400)
        with pytest.raises(ProviderBrokePromise, match="1000000 bytes"):
            encoder.embed_documents(TEXTS)


@pytest.mark.parametrize("wire", WIRES)
def test_f37_an_answer_of_just_the_cap_passes(wire: WireFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap itself is allowed; one byte more is not."""
    with served_encoder(wire) as (server, encoder):
        encoder.embed_documents(TEXTS)
        size = len(json.dumps(server.payload(server.requests[0])).encode())
        monkeypatch.setattr("hub_index.embedding.api.http_guard.MAX_ANSWER_BYTES", size)
        encoder.embed_documents(TEXTS)
        monkeypatch.setattr("hub_index.embedding.api.http_guard.MAX_ANSWER_BYTES", size - 1)
        with pytest.raises(ProviderBrokePromise):
            encoder.embed_documents(TEXTS)


OTHER_MODELS = ["voyage-4-large", "voyage-4-lite-turbo", "voyage-4", "gpt-4o", "voyage-4-lite-v2x"]
SAME_MODELS = [
    "voyage-4-lite",
    "VOYAGE-4-LITE",
    "voyage-4-lite-2026-01-15",
    "voyageai/voyage-4-lite",
    "voyage-4-lite-v2",
]


@pytest.mark.parametrize("wire", ["openai", "voyage"])
@pytest.mark.parametrize("name", OTHER_MODELS)
def test_f38_an_answer_by_another_model_is_refused(wire: WireFormat, name: str) -> None:
    """Vectors of another model are worse than none, and the message says whose they are."""
    with served_encoder(wire, "voyage-4-lite") as (server, encoder):
        encoder._dim = 8
        server.model = name
        with pytest.raises(ProviderBrokePromise, match=name):
            encoder.embed_documents(TEXTS)


@pytest.mark.parametrize("wire", ["openai", "voyage"])
@pytest.mark.parametrize("name", SAME_MODELS)
def test_f38_a_version_or_owner_in_the_name_is_no_other_model(wire: WireFormat, name: str) -> None:
    """Real services add a date, a version or an owner to the name that was asked for."""
    with served_encoder(wire, "voyage-4-lite") as (server, encoder):
        encoder._dim = 8
        server.model = name
        assert encoder.embed_documents(TEXTS).shape == (3, 8)


def test_f38_an_azure_deployment_may_have_any_name_but_must_not_change_its_model() -> None:
    """The first answer says which model a deployment serves; a second one that says otherwise is refused."""
    with served_encoder("azure-openai", "our-deployment") as (server, encoder):
        server.model = "text-embedding-3-small"
        encoder.embed_documents(TEXTS)
        server.model = "text-embedding-3-large"
        with pytest.raises(ProviderBrokePromise, match="3-large"):
            encoder.embed_documents(TEXTS)
        server.default = ok
