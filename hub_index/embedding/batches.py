"""Texts → {text_hash: vector}: looks into the cache, cuts the rest into batches, embeds, checks and keeps them.

Each batch that has been answered and checked goes to the cache at once, so a build that is killed pays again for at
most the requests under way. How batches are run is an argument: threads here, tasks in the Prefect flow.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hub_index.embedding.encoder import Encoder
from hub_index.embedding.probes import Probe, ProbeKeeper
from hub_index.embedding.threads import Batch, EmbedBatch, KeepAnswer, run_in_threads
from hub_index.embedding.vector_checks import ModelAnswer, check_dim, check_rows
from hub_index.embedding.vector_spool import VectorSpool
from hub_index.errors import ProviderError
from hub_index.models import SkillText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hub_index.embedding.cache.vector_cache import VectorCache

    Vectors = dict[str, NDArray[np.float32]]

# Calls `embed` for every batch and hands each answer to `keep` (any thread, any order); raises the first error.
# `embed` can be pickled wherever the encoder can.
BatchRunner = Callable[[EmbedBatch, Sequence[Batch], int, KeepAnswer], None]
Progress = Callable[[int], None]

FREE_ROWS_PER_FILE = 512  # of the embedded model, see _Keeper


@runtime_checkable
class PaidEncoder(Protocol):
    """The additions of an encoder behind an API: a limit of tokens per request, and the charged tokens."""

    @property
    def max_batch_tokens(self) -> int | None:
        """The most tokens of a request; None if unknown."""

    def estimate_tokens(self, text: str) -> int:
        """About how many tokens the text has after the cut."""

    def embed_answer(self, texts: Sequence[str]) -> ModelAnswer:
        """As embed_documents, with the tokens that were charged."""


@dataclass(slots=True)
class Usage:
    """The numbers of a run's summary, counted while it runs."""

    cached: int = 0
    embedded: int = 0
    kept: int = 0  # of these, in the vector cache
    batches: int = 0
    tokens: int = 0  # as charged by the provider; 0 if it does not say


def embed_texts(  # noqa: PLR0913 - all but the first two are optional and named
    encoder: Encoder,
    texts: Iterable[SkillText],
    *,
    cache: "VectorCache | None" = None,
    run: BatchRunner = run_in_threads,
    progress: Progress | None = None,
    usage: Usage | None = None,
    probes: Sequence[Probe] = (),
) -> "Mapping[str, NDArray[np.float32]]":
    """A vector per distinct text_hash, from the cache or from the encoder.

    `probes` ride along with the first texts that have to be embedded, if any, and nothing is asked for besides before
    they have come back as they were: what another model answers is not kept.
    `progress` may be called from other threads, never from two at once. The cache is left with a file per batch:
    `cache.merge` once the encoder is closed (its workers take memory, and so does a merge).
    Raises ProviderError after keeping the batches that were answered; KeyboardInterrupt likewise.
    """
    distinct = {text.text_hash: text for text in texts}
    if not distinct:
        return {}
    usage = usage if usage is not None else Usage()
    keeper = _Keeper(encoder, cache, progress, usage)
    if cache is not None:
        keeper.take_cached(cache.read_vectors(encoder.space, distinct.keys(), encoder.dim))
    missing = [text for text_hash, text in distinct.items() if text_hash not in keeper.vectors]
    if missing:
        batches = list(plan_batches(encoder, [*(probe.text for probe in probes), *missing]))
        probed = _count_probed(batches, len(probes))
        check = ProbeKeeper(probes, keeper.keep, encoder.model_id)
        try:
            for part, keep in ((batches[:probed], check.keep), (batches[probed:], keeper.keep)):
                if part:
                    run(partial(embed_batch, encoder), part, encoder.concurrency, keep)
        except ProviderError as error:
            usage.tokens += error.charged_tokens
            raise
        finally:
            keeper.flush()
    return keeper.vectors


def _count_probed(batches: Sequence[Batch], probes: int) -> int:
    """The number of batches with a probe; probes come first."""
    before = accumulate((len(batch) for batch in batches), initial=0)
    return sum(start < probes for start in before)


def uncached_texts(encoder: Encoder, texts: Iterable[SkillText], cache: "VectorCache | None") -> list[SkillText]:
    """The distinct texts that a run would have to embed, for a plan's counts and price."""
    distinct = {text.text_hash: text for text in texts}
    held = cache.read_held(encoder.space, distinct.keys(), encoder.dim) if cache is not None and distinct else set()
    return [text for text_hash, text in distinct.items() if text_hash not in held]


def embed_batch(encoder: Encoder, batch: Batch) -> ModelAnswer:
    """The vectors of one batch, checked; runs in any thread or process of the runner."""
    texts = [text.text for text in batch]
    answer = (
        encoder.embed_answer(texts) if isinstance(encoder, PaidEncoder) else ModelAnswer(encoder.embed_documents(texts))
    )
    check_rows(answer.rows, batch, encoder.dim, encoder.model_id)
    return answer


def plan_batches(encoder: Encoder, texts: Sequence[SkillText]) -> Iterator[Batch]:
    """The texts in order, cut where the next one would exceed the number of inputs or the tokens of a request."""
    count_tokens, limit = _token_limit(encoder)
    batch: list[SkillText] = []
    batch_tokens = 0
    for text in texts:
        tokens = count_tokens(text.text)
        if batch and (len(batch) >= encoder.batch_size or batch_tokens + tokens > limit):
            yield batch
            batch, batch_tokens = [], 0
        batch.append(text)
        batch_tokens += tokens
    if batch:
        yield batch


def _token_limit(encoder: Encoder) -> "tuple[Callable[[str], int], float]":
    """A counter of a text's tokens, and the most tokens of a request."""
    if not isinstance(encoder, PaidEncoder) or encoder.max_batch_tokens is None:
        return (lambda _: 0), float("inf")
    limit = encoder.max_batch_tokens
    always_fits = limit // encoder.batch_size
    estimate = encoder.estimate_tokens

    def count(text: str) -> int:
        # no tokenizer makes more tokens than bytes: where the bytes fit, the estimate's 30 µs are saved
        size = len(text.encode("utf-8", "surrogatepass"))
        return size if size <= always_fits else estimate(text)

    return count, limit


class _Keeper:
    """Collects the answers, writes them to the cache, and checks that all vectors have one length.

    Vectors of an API go to the cache at once; vectors computed on this machine go there a few hundred rows at a time: a
    file per batch would take 3 % of the embedded model's time, and a crash costs seconds, not money.
    """

    def __init__(self, encoder: Encoder, cache: "VectorCache | None", progress: Progress | None, usage: Usage) -> None:
        self.vectors = VectorSpool()
        self._encoder, self._cache, self._progress, self._usage = encoder, cache, progress, usage
        self._dim = encoder.dim
        self._lock = threading.Lock()
        self._unwritten: Vectors = {}
        self._is_paid = isinstance(encoder, PaidEncoder)

    def take_cached(self, found: "Vectors") -> None:
        self.vectors.add(found)
        self._usage.cached += len(found)
        if found:
            self._dim = next(iter(found.values())).shape[0]
            self._report(len(found))

    def keep(self, batch: Batch, answer: ModelAnswer) -> None:
        check_rows(answer.rows, batch, None, self._encoder.model_id)
        with self._lock:
            check_dim(answer.rows.shape[1], self._dim, self._encoder.model_id)
            self._dim = answer.rows.shape[1]
        rows = {text.text_hash: row for text, row in zip(batch, answer.rows, strict=True)}
        kept = 0
        if self._is_paid:
            kept = self._write(rows)  # outside the lock: every thread writes another file
        with self._lock:
            self.vectors.add(rows)
            if not self._is_paid:
                self._collect(rows)
            self._usage.kept += kept
            self._usage.batches += 1
            self._usage.embedded += len(batch)
            self._usage.tokens += answer.tokens or 0
            self._report(len(batch))

    def flush(self) -> None:
        """Writes the rows that are not in the cache yet."""
        with self._lock:
            self._collect({}, at_least=1)

    def _collect(self, rows: "Vectors", at_least: int = FREE_ROWS_PER_FILE) -> None:
        self._unwritten.update(rows)
        if len(self._unwritten) >= at_least:
            self._usage.kept += self._write(self._unwritten)
            self._unwritten = {}

    def _write(self, rows: "Vectors") -> int:
        if self._cache is None:
            return 0
        return self._cache.add(self._encoder.space, rows, self._encoder.model_id)

    def _report(self, count: int) -> None:
        if self._progress is not None:
            self._progress(count)
