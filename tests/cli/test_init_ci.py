"""`hub-index init --ci github` writes workflows that a hub can commit as they are."""

from pathlib import Path

import pytest
import yaml
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import CommandOutcome, hub_index_here

from hub_index.cli.wiring.hub_ci import parse_source
from hub_index.errors import ConfigError

_COMMIT = "0123456789abcdef0123456789abcdef01234567"
_FILES = (".github/workflows/hub-index.yml", ".github/workflows/hub-index-check.yml")


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of one skill."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    hub.commit("skills")
    return hub


def init(hub: HubMaker, source: str = f"someone/hub-index@{_COMMIT}") -> CommandOutcome:
    """The command, with a source."""
    return hub_index_here("init", hub.root, "--ci", "github", "--from", source)


def test_every_job_names_the_real_repository_and_commit(hub: HubMaker) -> None:
    """Nothing is left to replace, and the rights are those that our workflows ask for."""
    done = init(hub, f"https://github.com/someone/hub-index.git@{_COMMIT}")
    assert done.code == 0, done.err
    jobs = [job for name in _FILES for job in yaml.safe_load((hub.root / name).read_text())["jobs"].values()]
    assert {job["uses"].partition("/.github/")[0] for job in jobs} == {"someone/hub-index"}
    assert {job["uses"].partition("@")[2] for job in jobs} == {_COMMIT}
    assert {tuple(job["permissions"].items()) for job in jobs} == {
        (("contents", "write"),), (("issues", "write"),), (("contents", "read"),)
    }  # fmt: skip


def test_no_file_is_written_over_and_no_link_is_followed(hub: HubMaker, tmp_path: Path) -> None:
    """What is there stays, and the command says so."""
    assert init(hub).code == 0
    (hub.root / _FILES[0]).write_text("mine")
    again = init(hub)
    assert (again.code, (hub.root / _FILES[0]).read_text()) == (0, "mine")
    assert "left as it is" in again.out
    other = HubMaker(tmp_path / "other")
    other.skill("pdf", "Merge PDF files.")
    other.commit("skills")
    (tmp_path / "elsewhere").mkdir()
    (other.root / ".github").symlink_to(tmp_path / "elsewhere")
    assert init(other).code == 2
    assert not list((tmp_path / "elsewhere").iterdir())


def test_an_installation_without_an_address_asks_for_one(hub: HubMaker) -> None:
    """A clone's folder is no address that GitHub could use."""
    done = hub_index_here("init", hub.root, "--ci", "github")
    assert done.code == 2
    assert "--from" in done.err


@pytest.mark.parametrize(
    "text", ["x", f"a/b@{_COMMIT[:7]}", f"a/b c@{_COMMIT}", f"a/b@{_COMMIT}\n", f"${{{{x}}}}/b@{_COMMIT}"]
)
def test_a_source_that_is_not_a_repository_and_a_whole_commit_is_refused(text: str) -> None:
    """Nothing that YAML or a workflow could understand otherwise gets into the file."""
    with pytest.raises(ConfigError):
        parse_source(text)
