"""The core's steps as Prefect tasks: the order is the core's; a task adds a name, a log and another try.

A step runs again only if git's network failed: a provider's faults are retried in the encoder, and the vector cache
keeps all embedded texts after a crash. Nothing is persisted, so that no result stores text or secrets.
"""

from collections.abc import Callable
from typing import Any

from prefect import Task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun

from hub_index.errors import RemoteUnavailable

NETWORK_RETRY_DELAYS_S = [2.0, 10.0, 30.0]
_NETWORK_STEPS = ("fetch", "push")


def run_as_task(name: str, work: Callable[[], Any]) -> Any:
    """The result of the step, run as a task of that name in this thread; raises the step's errors."""
    is_network = name in _NETWORK_STEPS
    step = Task(
        fn=work,
        name=name,
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=len(NETWORK_RETRY_DELAYS_S) if is_network else 0,
        retry_delay_seconds=NETWORK_RETRY_DELAYS_S if is_network else None,
        retry_condition_fn=is_network_fault if is_network else None,
    )
    return step()


def is_network_fault(_task: "Task[..., Any]", _run: TaskRun, state: "State[Any]") -> bool:
    """Whether another try may help."""
    error = state.data if isinstance(state.data, BaseException) else state.result(raise_on_failure=False)
    return isinstance(error, RemoteUnavailable)
