"""The flow as a deployment that this process serves: a schedule, and one build at a time wherever it is served from."""

from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

from pipelines.build_index import build_hub_index

# Whoever comes while a build runs is dropped, not queued: the next one reads everything that is there by then.
ONE_AT_A_TIME = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)


def serve_flow(parameters: dict[str, object], cron: str) -> None:
    """Serves until the process is stopped; the schedule is paused then."""
    build_hub_index.serve(
        name="hub-index",
        schedule=Cron(cron, timezone="UTC"),
        parameters=parameters,
        limit=1,
        global_limit=ONE_AT_A_TIME,
        print_starting_message=False,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
