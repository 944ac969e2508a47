"""Settings that cannot work are refused in one line, before a server is started or anything is embedded."""

from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import PrefectServer
from support.processes.cli_runner import hub_index, hub_index_here

from hub_index.errors import ConfigError


@pytest.mark.parametrize("cron", ["99 * * *", "", "every night", "60 * * * *"])
def test_a_wrong_schedule_is_named_beside_a_good_one(cron: str) -> None:
    """Too few fields, none, words, and a minute that no hour has."""
    from pipelines.serving import check_cron

    with pytest.raises(ConfigError) as refused:
        check_cron(cron)
    assert repr(cron) in str(refused.value)
    assert '"17 3 * * *"' in str(refused.value)


def test_a_wrong_schedule_is_refused_before_a_server_starts(tmp_path: Path) -> None:
    """Exit 2 and one line; Prefect has written nothing."""
    story = make_story(tmp_path / "hub", skills=1)
    home = tmp_path / "prefect"
    done = hub_index("flow", "serve", story.hub.root, "--cron", "99 * * *", PREFECT_HOME=str(home), PREFECT_API_URL="")
    assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert "'99 * * *'" in done.err
    assert not list(home.rglob("*.db*"))


def test_a_mistyped_address_of_the_server_is_refused_without_its_password(tmp_path: Path) -> None:
    """Prefect and its HTTP library would quote the part that they cannot read."""
    url = "https://bob:canary/x@127.0.0.1:1/api"
    done = hub_index_here("flow", "run", make_story(tmp_path / "hub", skills=1).hub.root, PREFECT_API_URL=url)
    assert (done.code, "PREFECT_API_URL" in done.err, "canary" in done.err) == (2, True, False), done.err


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "foo://host:1", "127.0.0.1:port"])
def test_a_wrong_dask_address_is_refused_before_anything_is_embedded(address: str) -> None:
    """The message names the address and what one looks like."""
    from pipelines.dask_batches import DaskBatches

    with pytest.raises(ConfigError, match="tcp://HOST:8786") as refused:
        DaskBatches(address)
    assert ascii(address) in str(refused.value)


def test_a_wrong_dask_address_is_one_line_and_exit_2(tmp_path: Path, prefect: PrefectServer) -> None:
    """No traceback on the terminal, and the run's table says why."""
    story = make_story(tmp_path / "hub", skills=2)
    environment: dict[str, Any] = {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
    done = hub_index("flow", "run", story.hub.root, "--runner", "dask", "--dask-address", "nonsense", **environment)
    assert (done.code, story.files()) == (2, {}), done.err
    assert "Traceback" not in done.err
    assert done.err.startswith("hub-index: --dask-address 'nonsense' is not a scheduler's address")
