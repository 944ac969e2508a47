"""What tests of the providers share: a scripted server per wire format, an encoder for it, texts, and a clock."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest

from hub_index.embedding.api.api_encoder import ApiEncoder
from hub_index.embedding.api.retries import RetryPolicy
from hub_index.embedding.providers import make_encoder
from hub_index.models import SkillText
from hub_index.settings import BASE_URL_VARIABLE, KEY_VARIABLE, read_settings
from support.models.scripted_server import ScriptedServer, WireFormat

CANARY = "canary-4f1d7c0b-never-show-this"
WIRES: tuple[WireFormat, ...] = ("openai", "azure-openai", "voyage")
QUICK = RetryPolicy(tries=3, first_wait_s=0.001, max_wait_s=0.002, budget_s=20.0, timeout_s=15.0)
IMPATIENT = replace(QUICK, timeout_s=1.0)  # for a server that never answers; a busy machine may need a second for one
MODEL = "a-model-nobody-knows"


class FakeClock:
    """A clock that jumps instead of waiting, and notes every wait."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.waits: list[float] = []
        self._start = now
        self._passed = 0.0

    def monotonic(self) -> float:
        """Seconds that have been waited."""
        return self._passed

    def now(self) -> float:
        """The time of day."""
        return self._start + self._passed

    def sleep(self, seconds: float) -> None:
        """Waits in no time."""
        self.waits.append(seconds)
        self._passed += seconds


@contextmanager
def served_encoder(
    wire: WireFormat = "openai", model: str = MODEL, dim: int = 8
) -> Iterator[tuple[ScriptedServer, ApiEncoder]]:
    """A server and an encoder that talks to it, quick to give up."""
    with ScriptedServer(wire, dim) as server, encoders_of(server) as encoder_of:
        yield server, encoder_of(f"{wire}:{model}")


@contextmanager
def named_server(
    monkeypatch: pytest.MonkeyPatch, wire: WireFormat = "openai", dim: int = 8
) -> Iterator[ScriptedServer]:
    """A server that the test's environment points at, with a key for it."""
    with ScriptedServer(wire, dim) as server:
        monkeypatch.setenv(BASE_URL_VARIABLE, server.url)
        monkeypatch.setenv(KEY_VARIABLE, CANARY)
        yield server


class encoders_of:  # noqa: N801 - reads as a word in a with statement
    """The environment that points at a server; gives a function from model to encoder, closed at the end."""

    def __init__(self, server: ScriptedServer, key: str = CANARY) -> None:
        self._patch = patch.dict(os.environ, {BASE_URL_VARIABLE: server.url, KEY_VARIABLE: key})
        self._made: list[ApiEncoder] = []

    def __enter__(self) -> "encoders_of":
        self._patch.start()
        return self

    def __call__(
        self, model: str, batch_size: int = 4, concurrency: int = 2, dimensions: int | None = None
    ) -> ApiEncoder:
        """An encoder for the model, quick to give up."""
        encoder = make_encoder(
            model, read_settings(), batch_size=batch_size, concurrency=concurrency, dimensions=dimensions, asked=model
        )
        assert isinstance(encoder, ApiEncoder)
        encoder.policy = QUICK
        self._made.append(encoder)
        return encoder

    def __exit__(self, *_: object) -> None:
        for encoder in self._made:
            encoder.close()
        self._patch.stop()


def skill_text(name: str, description: str = "Does a thing.") -> SkillText:
    """The embedding text of a skill."""
    text = f"name: {name}\ndescription: {description}"
    return SkillText(text, hashlib.sha256(text.encode()).hexdigest())


def skill_texts(count: int) -> list[SkillText]:
    """So many different texts."""
    return [skill_text(f"skill-{number:04}", f"Does thing number {number}.") for number in range(count)]
