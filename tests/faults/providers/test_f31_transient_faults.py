"""F31: servers fail, hang, reset and break off; another try may help."""

import time

import pytest
from support.models.provider_world import IMPATIENT, WIRES, encoders_of, served_encoder
from support.models.scripted_server import Reply, ScriptedServer, WireFormat, dripping, half_body, hang, reset, status

from hub_index.embedding.api.retries import DOCUMENTS, RetryPolicy
from hub_index.errors import ProviderUnavailable

FAULTS: dict[str, Reply] = {
    "500": status(500),
    "502": status(502, b"<html>bad gateway</html>"),
    "503": status(503),
    "504": status(504),
    "529": status(529),
    "408": status(408),
    "timeout": hang,
    "dripping": dripping(0.05),
    "reset": reset,
    "half a body": half_body,
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", FAULTS)
def test_f31_a_fault_that_passes_is_survived(wire: WireFormat, fault: str) -> None:
    """After one fault the next try is answered, and the answer is used."""
    with served_encoder(wire) as (server, encoder):
        server.script = [FAULTS[fault]]
        if fault in ("timeout", "dripping"):
            encoder.policy = IMPATIENT
        assert encoder.embed_documents(["a", "b"]).shape == (2, 8)
    assert len(server.requests) == 2


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", ["500", "reset", "half a body"])
def test_f31_a_fault_that_stays_ends_in_unavailable(wire: WireFormat, fault: str) -> None:
    """A lasting fault is tried as often as the policy says and no more: the SDK adds no tries of its own."""
    with served_encoder(wire) as (server, encoder):
        server.default = FAULTS[fault]
        with pytest.raises(ProviderUnavailable):
            encoder.embed_documents(["a"])
    assert len(server.requests) == encoder.policy.tries


@pytest.mark.parametrize("wire", WIRES)
def test_f31_nobody_listens(wire: WireFormat) -> None:
    """A closed port is a transient fault, too."""
    with ScriptedServer(wire) as server:
        world = encoders_of(server)
    with world as encoder_of, pytest.raises(ProviderUnavailable, match="connection"):
        encoder_of(f"{wire}:m").embed_documents(["a"])


@pytest.mark.parametrize("wire", WIRES)
def test_f31_a_query_never_waits_longer_than_its_limit(wire: WireFormat) -> None:
    """Somebody is waiting for a search: a server that hangs is given up at the query's time limit."""
    with served_encoder(wire) as (server, encoder):
        encoder.policy = DOCUMENTS  # a minute for each try
        encoder.query_policy = RetryPolicy(tries=2, budget_s=0.4, timeout_s=0.4)
        server.default = hang
        start = time.monotonic()
        with pytest.raises(ProviderUnavailable):
            encoder.embed_query("a")
        assert time.monotonic() - start < 20
