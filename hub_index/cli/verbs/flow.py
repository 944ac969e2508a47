"""`hub-index flow run` and `flow serve`: the build as a Prefect flow, once or on a schedule."""

import argparse
import logging
import os

from hub_index.base.install_hint import install_hint
from hub_index.cli.arguments import VerbParser
from hub_index.cli.terminal import notice
from hub_index.cli.user_settings import as_variables
from hub_index.cli.wiring.flow_options import add_flow_options, flow_parameters, parse_options
from hub_index.errors import ConfigError, HubIndexError

_RUN_EXAMPLES = """\
  hub-index flow run path/to/clone --publish
  hub-index flow run path/to/hub --runner dask --dask-address tcp://scheduler:8786

Without PREFECT_API_URL Prefect starts a temporary server for the run (some 10 to 25 s)."""
_SERVE_EXAMPLES = """\
  hub-index flow serve path/to/clone --publish --cron "17 3 * * *"

Serves until it is stopped, one build at a time. Without PREFECT_API_URL a Prefect server is started on loopback and
ends with this command."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments; the first word says run or serve."""
    mode = arguments[0] if arguments else ""
    if mode == "run":
        parser = VerbParser("flow run", "Run the build as a Prefect flow, now.", _RUN_EXAMPLES)
    elif mode == "serve":
        parser = VerbParser("flow serve", "Run the build as a Prefect flow, on a schedule.", _SERVE_EXAMPLES)
    else:
        parser = VerbParser("flow", "Run (`flow run HUB`) or schedule (`flow serve HUB`) the build.", _RUN_EXAMPLES)
        parser.add_argument("mode", choices=("run", "serve"))
        parser.parse_args(arguments[:1])  # prints help or a usage error, and ends
    add_flow_options(parser)
    if mode == "serve":
        parser.add_argument("--cron", required=True, metavar="'M H D M W'", help="when to run, in UTC")
    parser.set_defaults(mode=mode)
    return parse_options(parser, arguments[1:])


def run(arguments: argparse.Namespace) -> int:
    """Runs or serves; no other verb imports Prefect."""
    _check_installed()
    from pipelines.offline import check_server_address, set_offline_defaults

    check_server_address(os.environ)
    set_offline_defaults(os.environ)
    os.environ |= as_variables(arguments)  # the flow reads its settings where it runs
    return _serve(arguments) if arguments.mode == "serve" else _run_once(arguments)


def _run_once(arguments: argparse.Namespace) -> int:
    from prefect import tags

    from hub_index.cli.text.report_text import print_report
    from hub_index.hub.git.address import name_hub
    from pipelines.build_index import build_hub_index

    if not arguments.debug:
        _hide_tracebacks()
    with tags(name_hub(arguments.hub)):
        outcome = build_hub_index(**flow_parameters(arguments))
    print_report(outcome.report, outcome.place, outcome.seconds, arguments, commit=outcome.commit)
    return 0


def _serve(arguments: argparse.Namespace) -> int:
    from pipelines.local_server import check_scheduler, local_server, needs_server, talk_to
    from pipelines.serving import check_cron

    check_cron(arguments.cron)
    if not needs_server(os.environ):
        return _serve_here(arguments)
    check_scheduler()
    with local_server() as url, talk_to(url):
        notice(f"a Prefect server is running at {url.removesuffix('/api')} until this command ends")
        return _serve_here(arguments)


def _serve_here(arguments: argparse.Namespace) -> int:
    from hub_index.hub.git.address import name_hub
    from pipelines.serving import serve_flow

    name = name_hub(arguments.hub)
    notice(f"serving {arguments.hub} as hub-index/{name}: {arguments.cron} (UTC); stop with Ctrl-C")
    serve_flow(name, flow_parameters(arguments), arguments.cron)
    return 0


def _hide_tracebacks() -> None:
    """A failure is one line on the command line; Prefect's server keeps the traceback."""
    for handler in logging.getLogger().handlers:  # where Prefect puts its console
        handler.addFilter(_is_not_ours)


def _is_not_ours(record: logging.LogRecord) -> bool:
    if record.exc_info and isinstance(record.exc_info[1], HubIndexError):
        return False
    return not (record.levelno == logging.ERROR and record.getMessage().startswith("Finished in state"))


def _check_installed() -> None:
    from importlib.util import find_spec

    if find_spec("prefect") is None:
        raise ConfigError(f"the flow needs Prefect: {install_hint('flow')}; for a cluster take [dask]")
