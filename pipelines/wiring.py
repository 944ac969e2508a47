"""A flow's parameters → the options and tools of a build; keys are not among them, providers read those."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hub_index.embedding.cache.vector_cache import open_cache
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.providers import choose_model, make_encoder, query_connection
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.publish.publish import PublishOptions
from hub_index.search.measure.evaluator import IndexEvaluator
from hub_index.settings import Settings, read_settings
from pipelines.progress import ProgressArtifact
from pipelines.run_table import rename_run
from pipelines.steps import run_as_task

RunStep = Callable[[str, Callable[[], Any]], Any]
RunnerName = Literal["threads", "dask"]


@dataclass(frozen=True, slots=True)
class Runner:
    """Where batches are embedded; only `dask` takes an address."""

    name: RunnerName = "threads"
    dask_address: str | None = None


@dataclass(frozen=True, slots=True)
class FlowRequest:
    """The options of one run of the flow."""

    build: BuildOptions
    publish: PublishOptions | None  # None: the hub's folder is brought up to date, nothing is committed
    runner: Runner
    model: str | None = None
    cache: Path | None = None
    batch_size: int | None = None
    concurrency: int | None = None


def make_tools(request: FlowRequest, name: str) -> BuildTools:
    """The core's seams, filled by Prefect: steps are tasks, progress is an artifact."""
    settings = read_settings()
    run_batches = None
    if request.runner.name == "dask":
        from pipelines.dask_batches import DaskBatches

        run_batches = DaskBatches(request.runner.dask_address)
    return BuildTools(
        encoder_for=lambda hub_model: _make_encoder(request, settings, hub_model),
        cache=open_cache(request.cache, settings, write_only=request.build.force),
        run_batches=run_batches,
        run_step=_naming(name, _run_step_for_cluster if run_batches else run_as_task),
        watcher=ProgressArtifact(name),
        evaluate=IndexEvaluator(query_connection(settings, request.model)),
    )


def _naming(hub_name: str, run_step: RunStep) -> RunStep:
    """The same, but the run takes the name of the revision as soon as a step has read it."""

    def run(name: str, work: Callable[[], Any]) -> Any:
        result = run_step(name, work)
        if name == "snapshot":
            rename_run(hub_name, result.snapshot.revision)
        return result

    return run


def _run_step_for_cluster(name: str, work: Callable[[], Any]) -> Any:
    """As run_as_task, but `embed` runs directly: there each batch is a task, and a task cannot contain another."""
    return work() if name == "embed" else run_as_task(name, work)


def _make_encoder(request: FlowRequest, settings: Settings, hub_model: str | None) -> Encoder:
    model = choose_model(request.model, hub_model, settings)
    if request.runner.name == "dask" and model.startswith("local:"):
        from hub_index.embedding.local import LocalEncoder

        return LocalEncoder(settings.cache_dir, workers=0)  # a cluster's worker is the process; it starts none
    sizes = {"batch_size": request.batch_size, "concurrency": request.concurrency}
    return make_encoder(model, settings, asked=request.model, **sizes)
