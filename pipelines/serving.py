"""The flow as a deployment that this process serves: a schedule, and one build at a time wherever it is served from."""

import warnings

from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

from pipelines.build_index import build_hub_index

# A run that starts while a build is running is dropped, not queued: the next one reads all that is there by then.
ONE_AT_A_TIME = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)


def serve_flow(name: str, parameters: dict[str, object], cron: str) -> None:
    """Serves a hub until the process is stopped; the name is the hub's own, since a server may hold many."""
    # Prefect's own handler of SIGTERM forgets to wait for its stop, which has been asked for by then
    warnings.filterwarnings("ignore", "coroutine 'Runner.astop' was never awaited", RuntimeWarning)
    build_hub_index.serve(
        name=name,
        tags=[name],
        schedule=Cron(cron, timezone="UTC"),
        parameters=parameters,
        limit=1,
        global_limit=ONE_AT_A_TIME,
        print_starting_message=False,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
