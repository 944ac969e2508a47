"""The build as a Prefect flow: the core's own order, run step by step as tasks, with a table at the end.

snapshot → plan → embed → assemble → store, or with `publish` fetch → … → commit → push; a hub with labelled
queries has `evaluate` after assemble. There is no data logic here and no second copy of the order: `build_index` and
`publish_index` run as they do on the command line, and only their seams are Prefect's. The flow fails with the core's
errors; parameters hold no secret.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prefect import flow, tags
from prefect.client.schemas.objects import State
from prefect.runtime import deployment, flow_run
from prefect.states import Cancelled

from hub_index.errors import ConfigError, IndexBusy
from hub_index.hub.hub_name import name_hub
from hub_index.index.build import BuildOptions, build_index
from hub_index.index.publish.publish import PublishOptions, publish_index
from hub_index.index.report import BuildReport
from hub_index.index.summary import RunNames, format_summary
from hub_index.limits import DEFAULT_MAX_DROP
from hub_index.named_folder import named_folder
from hub_index.settings import read_settings
from pipelines.one_run import only_run
from pipelines.run_table import RunTable
from pipelines.wiring import FlowRequest, Runner, RunnerName, make_tools


@dataclass(frozen=True, slots=True)
class FlowOutcome:
    """What a run did, and where its index is."""

    report: BuildReport
    place: str
    seconds: float
    commit: str | None = None


def name_run() -> str:
    """A run is called after its hub, and its revision once that is known; without a hub it lives only to say so."""
    try:
        return name_hub(Path(named_folder("hub", flow_run.parameters.get("hub"))))
    except ConfigError:
        return "without-a-hub"


@flow(name="hub-index", flow_run_name=name_run, persist_result=False, retries=0)
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

    Raises ConfigError without a hub: the current folder is never meant by an empty one.
    """
    key = Path(sign) if sign else None
    if key is not None and not publish:
        raise ConfigError("--sign needs --publish: what is signed is the index that is committed")
    return run_build(
        Path(named_folder("the flow's parameter hub", hub)),
        FlowRequest(
            build=BuildOptions(
                rev=rev,
                out=Path(out) if out else None,
                force=force,
                strict=strict,
                allow_shrink=allow_shrink,
                accept=frozenset(accept or ()),
                dry_run=dry_run,
                model_alias=model_alias,
                max_cost_usd=max_cost,
                max_drop=DEFAULT_MAX_DROP if max_drop is None else max_drop,
            ),
            publish=PublishOptions(True, remote, branch, orphan, author, message, sign=key) if publish else None,
            runner=Runner(runner, dask_address),
            model=model,
            cache=cache,
            batch_size=batch_size,
            concurrency=concurrency,
        ),
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
    """What becomes of a run that finds another at work: cancelled where a deployment started it, else IndexBusy.

    It is not queued: the next one reads all that is there by then.
    """
    reason = f"another run of {name} is at work on this machine"
    if deployment.id is None:
        raise IndexBusy(f"{reason}; wait for it or stop it")
    return Cancelled(message=reason)
