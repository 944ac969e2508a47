"""F30: a provider that is busy says when to come back, in many ways, some of them absurd."""

from email.utils import formatdate

import pytest
from support.models.provider_world import WIRES, FakeClock, served_encoder
from support.models.scripted_server import WireFormat, status

from hub_index.embedding.api.retries import DOCUMENTS, parse_retry_after
from hub_index.errors import ProviderRefused, ProviderUnavailable

NOW = 1_700_000_000.0
FORMS = {
    "seconds": ({"Retry-After": "7"}, 7.0, 8.75),
    "a fraction": ({"Retry-After": "0.5"}, 0.5, 0.75),
    "a date": ({"Retry-After": formatdate(NOW + 20, usegmt=True)}, 20.0, 25.0),
    "a date in the past": ({"Retry-After": formatdate(NOW - 3600, usegmt=True)}, 0.0, 0.25),
    "milliseconds": ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5, 1.875),
    "a year": ({"Retry-After": "31536000"}, 60.0, 60.0),
    "a date in a century": ({"Retry-After": "Fri, 01 Jan 2123 00:00:00 GMT"}, 60.0, 60.0),
    "below zero": ({"Retry-After": "-5"}, 0.5, 1.0),
    "infinity": ({"Retry-After": "inf"}, 0.5, 1.0),
    "no number at all": ({"Retry-After": "soon"}, 0.5, 1.0),
    "nothing": ({}, 0.5, 1.0),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("form", FORMS)
def test_f30_each_form_of_retry_after_is_honoured_up_to_a_cap(wire: WireFormat, form: str) -> None:
    """The encoder waits as long as it was asked to, never longer than the cap, and then gets its answer."""
    headers, least, most = FORMS[form]
    with served_encoder(wire) as (server, encoder):
        encoder.policy, encoder.clock = DOCUMENTS, (clock := FakeClock(NOW))
        server.script = [status(429, headers=headers)]
        assert encoder.embed_documents(["a", "b"]).shape == (2, 8)
    assert len(server.requests) == 2
    assert len(clock.waits) == 1
    assert least <= clock.waits[0] <= most


@pytest.mark.parametrize("wire", WIRES)
def test_f30_tries_are_bounded(wire: WireFormat) -> None:
    """A provider that is always busy is asked a few times with growing waits, then it is unavailable."""
    with served_encoder(wire) as (server, encoder):
        encoder.policy, encoder.clock = DOCUMENTS, (clock := FakeClock(NOW))
        server.default = status(429)
        with pytest.raises(ProviderUnavailable, match=r"429.*6 tries.*again later"):
            encoder.embed_documents(["a"])
    assert len(server.requests) == DOCUMENTS.tries
    assert all(0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(clock.waits))


def test_f30_all_waits_together_have_a_budget() -> None:
    """Waits of a minute each end when the time for one request is used up."""
    with served_encoder() as (server, encoder):
        encoder.policy, encoder.clock = DOCUMENTS, (clock := FakeClock(NOW))
        server.default = status(429, headers={"Retry-After": "3600"})
        with pytest.raises(ProviderUnavailable):
            encoder.embed_documents(["a"])
    assert sum(clock.waits) <= DOCUMENTS.budget_s
    assert max(clock.waits) <= DOCUMENTS.max_wait_s


def test_f30_an_empty_account_is_not_waited_for() -> None:
    """OpenAI says 429 to an account without quota, too: waiting does not help."""
    with served_encoder() as (server, encoder):
        server.default = status(429, {"error": {"code": "insufficient_quota", "message": "pay"}})
        with pytest.raises(ProviderRefused, match="quota"):
            encoder.embed_documents(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("header", ["NaN", "1e999", "", "Fri, 99 Foo 2020", "\x00", "9" * 400])
def test_f30_an_absurd_header_says_nothing(header: str) -> None:
    """Whatever stands in the header, parsing it gives a usable number or none."""
    assert parse_retry_after(header, header, NOW) is None
