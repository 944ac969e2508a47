"""Texts to vectors: what is asked for, what is kept, and what happens when it goes wrong half way."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.models.provider_world import encoders_of, served_encoder, skill_text, skill_texts
from support.models.scripted_server import ScriptedServer, slow, status

from hub_index.embedding.api.retries import DOCUMENTS
from hub_index.embedding.batches import Usage, embed_batch, embed_texts, plan_batches, uncached_texts
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.encoder import TokenCount
from hub_index.errors import ProviderBrokePromise, ProviderRefused


class SmallEncoder:
    """An encoder without a network; `fail_at` is the call that fails, `dims` the length per call."""

    model_id = "test:small"
    space = "sha256:" + "5" * 64
    batch_size = 3

    def __init__(
        self, concurrency: int = 1, fail_at: int | None = None, dims: Callable[[int], int] = lambda _: 4
    ) -> None:
        self.concurrency = concurrency
        self.dim: int | None = None
        self.calls: list[list[str]] = []
        self._fail_at, self._dims = fail_at, dims
        self._lock = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors along one axis."""
        with self._lock:
            self.calls.append(list(texts))
            call = len(self.calls)
        if call == self._fail_at:
            raise ProviderRefused("no")
        rows = np.zeros((len(texts), self._dims(call)), np.float32)
        rows[:, 0] = 1
        return rows

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The same vector as for a document."""
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def count_tokens(self, texts: Sequence[str]) -> TokenCount:
        """One token per letter."""
        return TokenCount(sum(map(len, texts)), exact=True)

    def as_read(self, text: str) -> str:
        """Every letter."""
        return text

    def close(self) -> None:
        """Nothing to close."""


def test_each_distinct_text_is_embedded_once_in_batches() -> None:
    """Equal texts share a vector, batches have at most the encoder's size, progress counts every text."""
    texts = skill_texts(7)
    done: list[int] = []
    encoder = SmallEncoder()
    vectors = embed_texts(encoder, [*texts, *texts], progress=done.append)
    assert set(vectors) == {text.text_hash for text in texts}
    assert [len(call) for call in encoder.calls] == [3, 3, 1]
    assert done == [3, 3, 1]


def test_no_texts_need_no_numpy() -> None:
    """An unchanged build asks for nothing and must not pay for importing anything."""
    code = (
        "import sys; from pathlib import Path; from hub_index.embedding.batches import embed_texts;"
        "from hub_index.embedding.cache.vector_cache import VectorCache;"
        "assert embed_texts(None, [], cache=VectorCache(Path('x'))) == {};"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'pyarrow', 'openai')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_batches_respect_the_tokens_of_a_request() -> None:
    """Long texts make smaller batches, and a text that fills a request alone still gets its own."""
    with served_encoder() as (_, encoder):
        encoder.known = replace(encoder.known, max_batch_tokens=1000)
        texts = [skill_text(f"n{number}", "word " * 300) for number in range(5)] + [skill_text("big", "word " * 3000)]
        batches = list(plan_batches(encoder, texts))
        assert [len(batch) for batch in batches] == [2, 2, 1, 1]
        assert all(sum(encoder.estimate_tokens(t.text) for t in batch) <= 800 for batch in batches[:-1])


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_failure_keeps_what_was_answered(tmp_path: Path, concurrency: int) -> None:
    """After an error half way the next run asks only for the texts that were not answered."""
    texts = skill_texts(30)
    failing = SmallEncoder(concurrency, fail_at=5)
    with pytest.raises(ProviderRefused):
        embed_texts(failing, texts, cache=VectorCache(tmp_path))
    answered = sum(map(len, failing.calls)) - 3
    assert len(failing.calls) <= 4 + concurrency
    again, usage = SmallEncoder(), Usage()
    vectors = embed_texts(again, texts, cache=VectorCache(tmp_path), usage=usage)
    assert len(vectors) == 30
    assert (usage.cached, usage.embedded) == (answered, 30 - answered)


def test_a_dimension_that_changes_between_batches_is_refused_and_never_stored(tmp_path: Path) -> None:
    """F35: the first batch fixes the length; the odd one is not in the cache afterwards."""
    texts = skill_texts(9)
    with pytest.raises(ProviderBrokePromise, match="5 numbers instead of 4"):
        embed_texts(SmallEncoder(dims=lambda call: 5 if call == 2 else 4), texts, cache=VectorCache(tmp_path))
    held = VectorCache(tmp_path).read_vectors(SmallEncoder.space, [text.text_hash for text in texts], None)
    assert {row.shape for row in held.values()} == {(4,)}
    assert len(held) == 3


def test_a_dimension_other_than_the_caches_is_refused(tmp_path: Path) -> None:
    """F35: a server that changed its model under the same name does not mix its vectors with earlier ones."""
    texts = skill_texts(6)
    embed_texts(SmallEncoder(), texts[:3], cache=VectorCache(tmp_path))
    with pytest.raises(ProviderBrokePromise):
        embed_texts(SmallEncoder(dims=lambda _: 6), texts, cache=VectorCache(tmp_path))


@pytest.mark.parametrize("row", [[0.0, 0, 0, 0], [float("nan"), 1, 0, 0], [2.0, 0, 0, 0], [float("inf"), 0, 0, 0]])
def test_whatever_an_encoder_returns_is_checked(row: list[float], tmp_path: Path) -> None:
    """F36: a row that is not finite and of norm 1 is refused by the skill's name, and nothing is stored."""

    class Broken(SmallEncoder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([[1.0, 0, 0, 0], row, [1.0, 0, 0, 0]], np.float32)

    texts = skill_texts(3)
    with pytest.raises(ProviderBrokePromise, match="skill-0001"):
        embed_texts(Broken(), texts, cache=VectorCache(tmp_path))
    assert uncached_texts(SmallEncoder(), texts, VectorCache(tmp_path)) == texts


def test_threads_work_at_once_but_never_more_than_asked() -> None:
    """With concurrency 4 four requests are under way together, and not five."""
    running: list[int] = []
    lock, full = threading.Lock(), threading.Event()
    peak = 0

    class Watching(SmallEncoder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            nonlocal peak
            with lock:
                running.append(1)
                peak = max(peak, len(running))
                if peak == 4:
                    full.set()
            full.wait(5)
            time.sleep(0.02)
            with lock:
                running.pop()
            return super().embed_documents(texts)

    embed_texts(Watching(concurrency=4), skill_texts(60))
    assert peak == 4


def test_an_encoder_travels_without_its_key_or_connection() -> None:
    """What a cluster's worker receives holds no secret, and works."""
    from support.models.provider_world import CANARY

    with served_encoder() as (_, encoder):
        first = encoder.embed_documents(["a"])
        packed = pickle.dumps(encoder)
        assert CANARY.encode() not in packed
        copy = pickle.loads(packed)
        assert np.array_equal(embed_batch(copy, [skill_text("x")]).rows, embed_batch(encoder, [skill_text("x")]).rows)
        assert copy.dim == first.shape[1]
        copy.close()


@pytest.mark.parametrize("wire", ["openai", "azure-openai", "voyage"])
def test_the_provider_says_what_it_charged(wire: str) -> None:
    """Tokens in the summary are those of the provider's answers."""
    texts = skill_texts(10)
    with ScriptedServer(wire) as server, encoders_of(server) as encoder_of:  # type: ignore[arg-type]
        usage = Usage()
        embed_texts(encoder_of(f"{wire}:m"), texts, usage=usage)
    assert usage.tokens == sum(len(text.text.split()) for text in texts)
    assert (usage.batches, usage.embedded, usage.cached) == (3, 10, 0)


def test_switching_the_model_and_back_asks_once_per_model(tmp_path: Path) -> None:
    """Each model's vectors stay in the cache; an unchanged run makes no request."""
    texts = skill_texts(10)
    with ScriptedServer() as server, encoders_of(server) as encoder_of:
        for model in ("one", "two", "one", "two", "one"):
            embed_texts(encoder_of(f"openai:{model}"), texts, cache=VectorCache(tmp_path))
    assert set(server.times_requested.values()) == {2}


def test_f41_a_noisy_provider_is_not_asked_again(tmp_path: Path) -> None:
    """Unchanged texts keep their first vectors, bit for bit, though the provider would answer otherwise now."""
    texts = skill_texts(10)
    with served_encoder() as (server, encoder):
        first = embed_texts(encoder, texts, cache=VectorCache(tmp_path))
        server.default = status(400)
        second = embed_texts(encoder, texts, cache=VectorCache(tmp_path))
    assert all(np.array_equal(first[text_hash], second[text_hash]) for text_hash in first)


def test_write_only_asks_again_and_keeps_the_new(tmp_path: Path) -> None:
    """build --force ignores what the cache holds, and writes to it."""
    texts = skill_texts(4)
    with served_encoder() as (server, encoder):
        embed_texts(encoder, texts, cache=VectorCache(tmp_path))
        embed_texts(encoder, texts, cache=VectorCache(tmp_path, write_only=True))
        assert len(server.requests) == 2
        embed_texts(encoder, texts, cache=VectorCache(tmp_path))
        assert len(server.requests) == 2


def test_an_error_ends_the_waits_of_other_requests() -> None:
    """One batch is refused while another waits half a minute for its next try: the run ends at once."""
    with ScriptedServer() as server, encoders_of(server) as encoder_of:
        encoder = encoder_of("openai:m", batch_size=1, concurrency=2)
        encoder.policy = DOCUMENTS
        server.script = [status(429, headers={"Retry-After": "30"}), slow(0.2)]
        server.default = status(400)
        start = time.monotonic()
        with pytest.raises(ProviderRefused):
            embed_texts(encoder, skill_texts(5))
        assert time.monotonic() - start < 20


CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from support.models.provider_world import skill_texts
from hub_index.embedding.batches import embed_texts
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.providers import make_encoder
from hub_index.settings import read_settings
encoder = make_encoder("openai:m", read_settings(), batch_size=5, concurrency=2, asked="openai:m")
try:
    embed_texts(encoder, skill_texts(100), cache=VectorCache(Path(sys.argv[1])))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_keeps_what_was_paid_for(tmp_path: Path) -> None:
    """An interrupt ends the run within a moment; every text that the server has answered is in the cache."""
    tests = str(Path(__file__).parent.parent)
    with ScriptedServer() as server, encoders_of(server) as encoder_of:
        server.default = slow(0.1)
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path), tests], env=os.environ.copy())
        while len(server.requests) < 6 and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 130
        asked = len(server.times_requested)
        assert asked < 100
        server.default = status(400)
        left = uncached_texts(encoder_of("openai:m"), skill_texts(100), VectorCache(tmp_path))
        assert len(left) == 100 - asked
