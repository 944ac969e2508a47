"""Embedding batches on a Dask cluster, each a Prefect task: the core hands them over and keeps each answer at once.

Workers receive a pickled encoder, which holds no key: a provider's key is read on the worker, from its own
environment. A batch whose worker dies is run by another (Dask's own rule); a text's bits do not depend on the worker or
the batch, so the result is that of the thread run, bit for bit, on processors of one kind.
"""

import logging
import os
import pickle
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import dask
from prefect import task
from prefect.cache_policies import NO_CACHE

from hub_index.embedding.batches import PaidEncoder
from hub_index.embedding.threads import Batch, EmbedBatch, KeepAnswer
from hub_index.embedding.vector_checks import ModelAnswer
from hub_index.errors import ConfigError, ProviderUnavailable

if TYPE_CHECKING:
    from prefect_dask.task_runners import DaskTaskRunner

# A task costs Prefect and Dask some 0.2 s, a batch of the embedded model takes 0.15 s: several go together. What an API
# charges for goes batch by batch, so that a crash of this process pays again for no more than was in flight.
_BATCHES_PER_PARCEL = 8
_ROUNDS = 4
_PARCELS_PER_THREAD = 2  # so that a worker finds its next one waiting
_CONNECT_TIMEOUT_S = 30


class DaskBatches:
    """A BatchRunner over a cluster: the one at an address, or a local one of a worker per core while it runs."""

    def __init__(self, address: str | None = None) -> None:
        if address:
            check_address(address)
        self._address = address

    def __call__(self, embed: EmbedBatch, batches: Sequence[Batch], concurrency: int, keep: KeepAnswer) -> None:
        """Embeds and keeps every batch. Raises the first error, ProviderUnavailable if the cluster is lost."""
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        _be_quiet()
        try:
            with _make_runner(self._address, len(batches)) as runner:
                self._wait_for_worker(runner)
                if isinstance(getattr(embed, "args", (None,))[0], PaidEncoder):
                    _run_all(runner, embed, [[batch] for batch in batches], lambda: concurrency, keep)
                else:
                    parcels = _make_parcels(batches, _count_threads(runner))
                    _run_all(runner, embed, parcels, lambda: _count_threads(runner) * _PARCELS_PER_THREAD, keep)
        except (KilledWorker, CommClosedError, FutureCancelledError) as error:
            raise ProviderUnavailable(
                f"the Dask cluster lost its workers ({type(error).__name__}); what was embedded is kept, run again"
            ) from error

    def _wait_for_worker(self, runner: "DaskTaskRunner") -> None:
        try:
            runner.client.wait_for_workers(1, timeout=_CONNECT_TIMEOUT_S)
        except OSError as error:  # no answer, or no worker; TimeoutError is one of them
            where = f"answers at {self._address} with a worker" if self._address else "can be started here"
            raise ConfigError(
                f"no Dask cluster {where}: start `dask scheduler` and `dask worker`, or use --runner threads"
            ) from error


def check_address(address: str) -> None:
    """Raises ConfigError for a text that cannot be a scheduler's address, before any connection."""
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    try:
        scheme, place = parse_address(address)
        get_backend(scheme)
        parse_host_port(place)
    except ValueError as error:
        raise ConfigError(
            f"--dask-address {address!a} is not a scheduler's address ({error}); write it as tcp://HOST:8786"
        ) from error


@task(name="embed batches", cache_policy=NO_CACHE, persist_result=False)
def embed_on_worker(embed: bytes, batches: bytes) -> list[ModelAnswer]:
    """An answer per batch; both arguments are pickles, which Prefect passes on without looking inside."""
    return [_load_embed(embed)(batch) for batch in pickle.loads(batches)]  # noqa: S301 - our own, from the flow


@lru_cache(maxsize=2)
def _load_embed(embed: bytes) -> EmbedBatch:
    """The encoder of this worker process, loaded once: a model takes a second, a batch a tenth of that."""
    loaded: EmbedBatch = pickle.loads(embed)  # noqa: S301
    return loaded


def _run_all(
    runner: "DaskTaskRunner",
    embed: EmbedBatch,
    parcels: Sequence[Sequence[Batch]],
    window: Callable[[], int],
    keep: KeepAnswer,
) -> None:
    from distributed import as_completed

    packed = pickle.dumps(embed)
    waiting = deque(parcels)
    running: dict[Any, tuple[Sequence[Batch], Any]] = {}
    finished = as_completed([], loop=runner.client.loop)  # type: ignore[no-untyped-call]

    def top_up() -> None:
        for _ in range(window() - len(running)):
            if not waiting:
                return
            parcel = waiting.popleft()
            future = runner.submit(embed_on_worker, {"embed": packed, "batches": pickle.dumps(parcel)})
            running[future.wrapped_future.key] = (parcel, future)
            finished.add(future.wrapped_future)  # type: ignore[no-untyped-call]

    top_up()
    for done in finished:
        parcel, future = running.pop(done.key)
        for batch, answer in zip(parcel, future.result(), strict=True):
            keep(batch, answer)
        top_up()


def _make_parcels(batches: Sequence[Batch], threads: int) -> list[Sequence[Batch]]:
    """Several batches a task where they cost nothing but time, yet enough parcels that no worker idles at the end."""
    size = max(1, min(_BATCHES_PER_PARCEL, len(batches) // (threads * _ROUNDS)))
    return [batches[at : at + size] for at in range(0, len(batches), size)]


def _count_threads(runner: "DaskTaskRunner") -> int:
    """Threads of the cluster now: workers come and go."""
    return max(1, sum(runner.client.nthreads().values()))  # type: ignore[no-untyped-call]


def _make_runner(address: str | None, batches: int) -> "DaskTaskRunner":
    from prefect_dask.task_runners import DaskTaskRunner

    if address:
        return DaskTaskRunner(address=address, client_kwargs={"timeout": _CONNECT_TIMEOUT_S})
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = {"n_workers": min(cores, batches), "threads_per_worker": 1, "dashboard_address": None}
    return DaskTaskRunner(cluster_kwargs=workers)


def _be_quiet() -> None:
    """`distributed` logs at INFO what only its developers want to know, and at its end that it ends."""
    levels = {"distributed": "warning", "distributed.nanny": "error", "distributed.worker": "error"}
    dask.config.set({"logging": levels})
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level.upper())
