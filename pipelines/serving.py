"""The flow as a deployment that this process serves, on a schedule; one run at a time is one_run.py's part."""

import warnings

from prefect.client.schemas.schedules import CronSchedule
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

from hub_index.errors import ConfigError
from pipelines.build_index import build_hub_index


def check_cron(cron: str) -> None:
    """Raises ConfigError for a schedule that Prefect does not take, before a server is started for it."""
    try:
        CronSchedule(cron=cron)
    except ValueError as error:
        raise ConfigError(
            f"--cron {cron!a} is not a cron expression: five fields, minute hour day month weekday, such as "
            '"17 3 * * *" for 03:17 UTC each night'
        ) from error


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
        enforce_parameter_schema=False,  # the run says what is wrong with one, in the words of the command line
        print_starting_message=False,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
