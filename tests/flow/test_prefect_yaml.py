"""`prefect.yaml` and the page that explains it agree."""

import re
from typing import Any

import yaml
from support.processes.documented_commands import ROOT, work_pool_commands


def deployment_file() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "prefect.yaml").read_bytes())
    return loaded


def test_every_variable_of_the_file_is_set_on_the_page_before_it_is_deployed() -> None:
    """And in the file's own comment."""
    text = (ROOT / "prefect.yaml").read_text("utf-8")
    variables = set(re.findall(r"\{\{ \$(\w+) \}\}", text))
    commands = work_pool_commands()
    before = commands[: commands.index("prefect deploy --all")]
    assert variables == {"HUB_INDEX_HOME", "HUB_CLONE", "HUB_NAME"}
    assert variables <= {name for line in before for name in re.findall(r"export (\w+)=", line)}
    comment = text.split("\nname:")[0]
    assert all(name in comment for name in variables)


def test_pool_and_deployment_have_one_name_on_both() -> None:
    """The pool is made before anything is deployed, and the worker is that pool's."""
    (deployment,) = deployment_file()["deployments"]
    commands = work_pool_commands()
    pool = deployment["work_pool"]["name"]
    made = commands.index(f"prefect work-pool create {pool} --type process")
    assert made < commands.index("prefect deploy --all")
    assert commands[-1] == f"prefect worker start --pool {pool}"
    (name,) = [line.partition("HUB_NAME=")[2] for line in commands if "HUB_NAME=" in line]
    assert f"prefect deployment run hub-index/{name}" in commands


def test_the_files_parameters_are_the_flows() -> None:
    """A parameter that the flow does not have fails only when it is run; a limit of Prefect's outlives a dead run."""
    from pipelines.build_index import build_hub_index

    (deployment,) = deployment_file()["deployments"]
    assert set(deployment["parameters"]) <= set(build_hub_index.parameters.properties)
    assert "concurrency_limit" not in deployment
    assert deployment["entrypoint"] == "pipelines/build_index.py:build_hub_index"
