"""The build as a Prefect flow: the core's own order, run step by step as tasks, with a table at the end.

snapshot → plan → embed → assemble → store, or with `publish` fetch → … → commit → push; a hub with labelled
queries has `evaluate` after assemble. There is no data logic here and no second copy of the order: `build_index` and
`publish_index` run as they do on the command line, and only their seams are Prefect's. The flow fails with the core's
errors; parameters hold no secret.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import flow, tags
from prefect.client.schemas.objects import State
from prefect.runtime import deployment, flow_run
from prefect.states import Cancelled

from hub_index.base.named_folder import named_folder
from hub_index.cli.wiring.build_wiring import build_options
from hub_index.cli.wiring.flow_options import read_parameters
from hub_index.errors import ConfigError, IndexBusy
from hub_index.hub.git.address import name_hub
from hub_index.index.build import build_index
from hub_index.index.publish.publish import PublishOptions, publish_index
from hub_index.index.reporting.report import BuildReport
from hub_index.index.reporting.summary import RunNames, format_summary
from hub_index.settings import read_settings
from pipelines.one_run import only_run
from pipelines.run_table import RunTable
from pipelines.wiring import FlowRequest, Runner, RunnerName, make_tools

if TYPE_CHECKING:
    from argparse import Namespace


@dataclass(frozen=True, slots=True)
class FlowOutcome:
    """The result of a run, and the place of its index."""

    report: BuildReport
    place: str
    seconds: float
    commit: str | None = None


def name_run() -> str:
    """The name of a run: its hub's, or `without-a-hub` for a run that can only fail."""
    try:
        return name_hub(Path(named_folder("hub", str(flow_run.parameters.get("hub") or ""))))
    except ConfigError:
        return "without-a-hub"


# validate_parameters: they are checked once, and as the command line checks its options
@flow(name="hub-index", flow_run_name=name_run, persist_result=False, retries=0, validate_parameters=False)
def build_hub_index(  # noqa: PLR0913, PLR0917 - a deployment's parameters are this list
    hub: str | None,
    publish: bool = False,
    remote: str | None = None,
    branch: str | None = None,
    orphan: bool = False,
    author: str | None = None,
    message: str | None = None,
    sign: str | None = None,
    rev: str = "HEAD",
    out: str | None = None,
    force: bool = False,
    strict: bool = False,
    allow_shrink: bool = False,
    accept: list[str] | None = None,
    dry_run: bool = False,
    model: str | None = None,
    model_alias: str | None = None,
    cache: str | None = None,
    batch_size: int | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    max_drop: float | None = None,
    runner: RunnerName = "threads",
    dask_address: str | None = None,
) -> "FlowOutcome | State[Any]":
    """Brings a hub's index up to date: in its folder, or with `publish` by one commit on the remote's branch.

    Raises ConfigError where the command line would, and without a hub, which does not mean the current folder.
    """
    parameters = {name: value for name, value in locals().items() if name != "hub"}
    asked = read_parameters(named_folder("the flow's parameter hub", hub), parameters)
    return run_build(asked.hub, request_of(asked))


def request_of(asked: "Namespace") -> FlowRequest:
    """The request of a run's options."""
    key = asked.sign
    to = PublishOptions(True, asked.remote, asked.branch, asked.orphan, asked.author, asked.message, sign=key)
    return FlowRequest(
        build=build_options(asked),
        publish=to if asked.publish else None,
        runner=Runner(asked.runner, asked.dask_address),
        model=asked.model,
        cache=asked.cache,
        batch_size=asked.batch_size,
        concurrency=asked.concurrency,
    )


def run_build(hub: Path, request: FlowRequest) -> "FlowOutcome | State[Any]":
    """One build inside a flow run, unless another of the hub is at work. Raises what the core raises, and IndexBusy."""
    name = name_hub(hub)
    with only_run(name, read_settings().cache_dir) as is_ours:
        return _run_alone(hub, name, request) if is_ours else _step_aside(name)


def _run_alone(hub: Path, name: str, request: FlowRequest) -> FlowOutcome:
    started_s = time.monotonic()
    with tags(name), RunTable(name) as table:
        tools = replace(make_tools(request, name), ledger=table.ledger)
        if request.publish is not None:
            published = publish_index(hub, request.build, request.publish, tools)
            report, place, commit = published.report, published.place, published.commit
        else:
            built = build_index(hub, request.build, tools)
            report, place, commit = built.report, str(built.index_dir), None
    outcome = FlowOutcome(report, place, time.monotonic() - started_s, commit)
    table.show(format_summary(report, outcome.seconds, place, RunNames(name, commit)))
    return outcome


def _step_aside(name: str) -> "State[Any]":
    """The end of a run that finds another at work: cancelled if a deployment started it, else IndexBusy.

    It is not queued: the next run reads the newest commit by then.
    """
    reason = f"another run of {name} is at work on this machine"
    if deployment.id is None:
        raise IndexBusy(f"{reason}; wait for it or stop it")
    return Cancelled(message=reason)
