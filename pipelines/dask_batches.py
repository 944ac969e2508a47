"""Embedding batches on a Dask cluster, each a Prefect task: the core hands them over and keeps each answer at once.

Workers receive a pickled encoder, which holds no key: a provider's key is read on the worker, from its own
environment. A batch whose worker dies is run by another (Dask's own rule); a text's bits do not depend on where or
with whom it is embedded, so the result is that of the thread run, bit for bit, on processors of one kind.
"""

import logging
import os
import pickle
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import dask
from prefect import task
from prefect.cache_policies import NO_CACHE

from hub_index.embedding.answers import Answer
from hub_index.embedding.batches import PaidEncoder
from hub_index.embedding.threads import Batch, EmbedBatch, KeepAnswer
from hub_index.errors import ConfigError, ProviderUnavailable

if TYPE_CHECKING:
    from prefect_dask.task_runners import DaskTaskRunner

# Enough that a worker finds its next batch waiting, few enough that a crash of this process loses little.
_BATCHES_PER_THREAD = 2
_CONNECT_TIMEOUT_S = 30


class DaskBatches:
    """A BatchRunner over a cluster: the one at an address, or a local one of a worker per core while it runs."""

    def __init__(self, address: str | None = None) -> None:
        self._address = address

    def __call__(self, embed: EmbedBatch, batches: Sequence[Batch], concurrency: int, keep: KeepAnswer) -> None:
        """Embeds and keeps every batch. Raises the first error, ProviderUnavailable where the cluster is lost."""
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        _be_quiet()
        try:
            with _make_runner(self._address, len(batches)) as runner:
                threads = self._count_threads(runner)
                _run_all(runner, embed, batches, _window(embed, concurrency, threads), keep)
        except (KilledWorker, CommClosedError, FutureCancelledError) as error:
            raise ProviderUnavailable(
                f"the Dask cluster lost its workers ({type(error).__name__}); what was embedded is kept, run again"
            ) from error

    def _count_threads(self, runner: "DaskTaskRunner") -> int:
        try:
            return sum(runner.client.nthreads().values())  # type: ignore[no-untyped-call]
        except OSError as error:  # also a connection that timed out
            where = f"answers at {self._address}" if self._address else "can be started here"
            raise ConfigError(f"no Dask cluster {where}: see `dask scheduler`, or use --runner threads") from error


@task(name="embed batch", cache_policy=NO_CACHE, persist_result=False)
def embed_on_worker(embed: bytes, batch: bytes) -> Answer:
    """One batch's answer; both arguments are pickles, which Prefect passes on without looking inside."""
    return _load_embed(embed)(pickle.loads(batch))  # noqa: S301 - our own, over the cluster's connections


@lru_cache(maxsize=2)
def _load_embed(embed: bytes) -> EmbedBatch:
    """The encoder of this worker process, loaded once: a model takes a second, a batch a tenth of that."""
    loaded: EmbedBatch = pickle.loads(embed)  # noqa: S301
    return loaded


def _run_all(
    runner: "DaskTaskRunner", embed: EmbedBatch, batches: Sequence[Batch], window: int, keep: KeepAnswer
) -> None:
    from distributed import as_completed

    packed = pickle.dumps(embed)
    waiting = iter(batches)
    running: dict[Any, tuple[Batch, Any]] = {}

    def submit(batch: Batch) -> Any:
        future = runner.submit(embed_on_worker, {"embed": packed, "batch": pickle.dumps(list(batch))})
        running[future.wrapped_future.key] = (batch, future)
        return future.wrapped_future

    first = [submit(batch) for batch in islice(waiting, window)]
    finished = as_completed(first, loop=runner.client.loop)  # type: ignore[no-untyped-call]
    for done in finished:
        batch, future = running.pop(done.key)
        keep(batch, future.result())
        if (following := next(waiting, None)) is not None:
            finished.add(submit(following))  # type: ignore[no-untyped-call]


def _window(embed: EmbedBatch, concurrency: int, threads: int) -> int:
    """How many batches may be under way: what an API allows, or what keeps every thread of the cluster busy."""
    encoder = getattr(embed, "args", (None,))[0]
    return concurrency if isinstance(encoder, PaidEncoder) else max(1, threads) * _BATCHES_PER_THREAD


def _make_runner(address: str | None, batches: int) -> "DaskTaskRunner":
    from prefect_dask.task_runners import DaskTaskRunner

    if address:
        return DaskTaskRunner(address=address, client_kwargs={"timeout": _CONNECT_TIMEOUT_S})
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = {"n_workers": min(cores, batches), "threads_per_worker": 1, "dashboard_address": None}
    return DaskTaskRunner(cluster_kwargs=workers)


def _be_quiet() -> None:
    """`distributed` tells at INFO what only its developers want to know, and a cluster that ends is no news either."""
    levels = {"distributed": "warning", "distributed.nanny": "error", "distributed.worker": "error"}
    dask.config.set({"logging": levels})
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level.upper())
