"""Two hubs on one Prefect server: each has deployments, runs, artifacts and tags of its own name."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.builds.build_story import make_story
from support.flows.prefect_server import shared_server
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index

from hub_index.hub.git.address import name_hub


@pytest.mark.parametrize(
    ("address", "readable"),
    [
        ("", "skills"),
        ("https://person:pa55@example.invalid/team/Agent_Hub.git?token=pa55", "agent-hub"),
        ("https://pa55@example.invalid/team/hub/", "hub"),
        ("pa55@example.invalid:team/hub.git", "hub"),
        ("ext::sh -c pa55", "skills"),
        ("../pa55.git", "skills"),
    ],
)
def test_f85_a_hubs_name_is_readable_and_holds_no_credential(tmp_path: Path, address: str, readable: str) -> None:
    """The last part of its address, else its folder, and a digest; only signs that artifact keys may have."""
    hub = HubMaker(tmp_path / "skills")
    if address:
        hub.git("config", "remote.origin.url", address)
    name = name_hub(hub.root)
    assert re.fullmatch(rf"{readable}-[0-9a-f]{{8}}", name)
    assert name == name_hub(hub.root / ".." / "skills")


def test_f85_hubs_of_one_folder_name_or_one_address_have_two_names(tmp_path: Path) -> None:
    """A deployment holds the clone's path: another clone of the same address would take it over."""
    hubs = [HubMaker(tmp_path / place / "hub") for place in "abcd"]
    for hub in hubs[2:]:
        hub.git("remote", "add", "origin", "https://example.invalid/team/hub.git")
    assert len({name_hub(hub.root) for hub in hubs}) == 4


def test_f85_a_folder_of_a_larger_repository_is_named_too_and_odd_names_are_still_names(tmp_path: Path) -> None:
    """Two hubs of a repository are told apart by eye; a Chinese name leaves the digest, no hub at all a name."""
    repository = HubMaker(tmp_path / "all")
    repository.git("remote", "add", "origin", "git@example.invalid:team/all.git")
    repository.write("first/skills/a/SKILL.md", "# A\n")
    assert name_hub(tmp_path / "all" / "first").startswith("all-first-")
    assert re.fullmatch(r"hub-[0-9a-f]{8}", name_hub(tmp_path / "技能"))


def test_f85_a_deployment_is_named_and_tagged_after_its_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect replaces a deployment of the same name in silence."""
    from pipelines import serving

    asked: dict[str, Any] = {}
    monkeypatch.setattr(serving, "build_hub_index", SimpleNamespace(serve=lambda **options: asked.update(options)))
    serving.serve_flow("team-hub-3f2a9c1d", {"hub": "/srv/hub"}, "17 3 * * *")
    assert (asked["name"], asked["tags"]) == ("team-hub-3f2a9c1d", ["team-hub-3f2a9c1d"])


def test_f85_runs_artifacts_and_tags_are_named_after_the_hub(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two hubs of one folder name, run once each: nobody's table or progress replaces the other's."""
    prefect = shared_server(tmp_path_factory)
    keys = set()
    for place in "ab":
        story = make_story(tmp_path / place / "hub", skills=1)
        done = hub_index(
            "flow", "run", story.hub.root, PREFECT_API_URL=prefect.url, PREFECT_HOME=str(tmp_path / "prefect")
        )
        assert done.code == 0, done.err
        name = name_hub(story.hub.root)
        (run,) = prefect.ask("flow_runs/filter", flow_runs={"name": {"like_": f"{name}@"}})
        assert (run["parameters"]["hub"], run["tags"]) == (str(story.hub.root), [name])
        artifacts = prefect.ask("artifacts/filter", flow_runs={"id": {"any_": [run["id"]]}})
        keys |= {artifact["key"] for artifact in artifacts}
        assert {f"hub-index-run-{name}", f"hub-index-progress-{name}"} <= keys
    assert len(keys) == 4
