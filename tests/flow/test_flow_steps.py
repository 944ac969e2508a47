"""Steps as tasks: git's network is tried again, nothing else is; settings that respect the user's."""

import os
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from support.flows.prefect_server import PrefectServer

from hub_index.cli.verbs import flow as flow_verb
from hub_index.cli.wiring.flow_options import flow_parameters
from hub_index.errors import ConfigError, ProviderUnavailable, PublishError, RemoteUnavailable
from pipelines import local_server
from pipelines.offline import set_offline_defaults


@pytest.fixture
def steps(prefect: PrefectServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module under test, talking to the test's server, and not waiting between tries."""
    from prefect.settings import PREFECT_API_URL, PREFECT_LOGGING_TO_API_ENABLED, temporary_settings

    from pipelines import steps

    monkeypatch.setattr(steps, "NETWORK_RETRY_DELAYS_S", [0.0, 0.0, 0.0])
    with temporary_settings({PREFECT_API_URL: prefect.url, PREFECT_LOGGING_TO_API_ENABLED: False}):
        yield steps


class Flaky:
    """Work that fails so many times with an error before it succeeds."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.calls, self._failures, self._error = 0, failures, error

    def work(self) -> str:
        self.calls += 1
        if self.calls <= self._failures:
            raise self._error
        return "done"


def test_a_push_whose_network_failed_is_tried_again(steps: Any) -> None:
    """Three more times, then the error is the flow's."""
    flaky = Flaky(3, RemoteUnavailable("the network is away"))
    assert steps.run_as_task("push", flaky.work) == "done"
    assert flaky.calls == 4
    hopeless = Flaky(9, RemoteUnavailable("the network is away"))
    with pytest.raises(RemoteUnavailable):
        steps.run_as_task("fetch", hopeless.work)
    assert hopeless.calls == 4


@pytest.mark.parametrize(
    ("name", "error"),
    [("push", PublishError("refused")), ("embed", ProviderUnavailable("busy")), ("plan", RemoteUnavailable("odd"))],
)
def test_nothing_else_is_tried_again(steps: Any, name: str, error: Exception) -> None:
    """A refusal is final, and a provider's faults were retried in the encoder already."""
    flaky = Flaky(1, error)
    with pytest.raises(type(error)):
        steps.run_as_task(name, flaky.work)
    assert flaky.calls == 1


def test_offline_settings_leave_the_users_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user has set stays; the rest is quiet and offline."""
    environ = {"PREFECT_LOGGING_LEVEL": "DEBUG"}
    set_offline_defaults(environ)
    assert environ["PREFECT_LOGGING_LEVEL"] == "DEBUG"
    assert (environ["DO_NOT_TRACK"], environ["PREFECT_SERVER_ANALYTICS_ENABLED"]) == ("1", "false")


def test_the_verbs_arguments_are_the_flows_parameters() -> None:
    """Every parameter that the command line fills exists in the flow, with the same meaning for an unset one."""
    from pipelines.build_index import build_hub_index

    parameters = flow_parameters(flow_verb.parse(["run", "some/hub"]))
    signature = build_hub_index.parameters.properties
    assert set(parameters) == set(signature)
    assert parameters["hub"] == os.path.abspath("some/hub")
    defaults = {name: about.get("default") for name, about in signature.items() if name != "hub"}
    assert {name: parameters[name] for name in defaults} == defaults


def test_a_key_reaches_the_flow_as_a_full_path_and_needs_publish() -> None:
    """A served flow runs in another folder; what is signed is the index that is committed."""
    from pipelines.build_index import build_hub_index

    parameters = flow_parameters(flow_verb.parse(["run", "some/hub", "--publish", "--sign", "some/key"]))
    assert parameters["sign"] == os.path.abspath("some/key")
    with pytest.raises(ConfigError, match="--sign needs --publish"):
        build_hub_index.fn(hub="some/hub", sign="some/key")


@pytest.mark.parametrize(("sqlalchemy", "works"), [("2.0.57", True), ("2.1.8", False)])
def test_a_server_that_could_not_schedule_is_refused(
    monkeypatch: pytest.MonkeyPatch, sqlalchemy: str, works: bool
) -> None:
    """Prefect 3.8 inserts no scheduled run with SQLAlchemy 2.1, and says so only in its server's log."""
    versions = {"prefect": "3.8.8", "sqlalchemy": sqlalchemy}
    monkeypatch.setattr(local_server, "version", versions.__getitem__)
    with nullcontext() if works else pytest.raises(ConfigError, match="SQLAlchemy"):
        local_server.check_scheduler()


@pytest.mark.parametrize("arguments", [[], ["walk"], ["serve", "hub"], ["run", "hub", "--runner", "spark"]])
def test_a_wrong_option_is_a_usage_error(arguments: list[str]) -> None:
    """No mode, an unknown mode, a schedule without a time, an unknown runner."""
    with pytest.raises(SystemExit) as ended:
        flow_verb.parse(arguments)
    assert ended.value.code == 2
