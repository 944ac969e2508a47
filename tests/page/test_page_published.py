"""`publish --page`: one commit without history on a branch of its own, which is replaced only where it is our page."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_world import PublishWorld, git, make_world
from support.models.fake_encoder import FakeEncoder
from support.pages.page_world import DIM, NoDictionary
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError
from hub_index.page.hub_page import PageOutcome, write_hub_page
from hub_index.page.page_branch import PageTarget, PublishedPage, publish_page


class Publisher:
    """A remote with a published index, and the job that publishes its page."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.world: PublishWorld = make_world(root)
        self.world.encoder = FakeEncoder(dim=DIM)
        self.world.publish()

    def publish(self, **options: Any) -> PublishedPage:
        """What the job does after the index is out."""
        return publish_page(self.world.job, PageTarget(**{"output": "search", "push": True, **options}), self._make)

    def _make(self, site: Path, index_dir: Path, rev: str) -> PageOutcome:
        translator = NoDictionary(str(self.root / "cache"))
        return write_hub_page(
            self.world.job, site, FakeEncoder(dim=DIM), translator, index_dir=index_dir, rev=rev, with_model=False
        )

    def files(self) -> dict[str, str]:
        """Every file of the page's branch with its blob."""
        lines = git(self.world.remote, "ls-tree", "-r", "gh-pages").split("\n")
        return {name: facts.split()[2] for facts, _, name in (line.partition("\t") for line in lines)}

    def facts(self) -> dict[str, object]:
        """What the published page says of itself."""
        value: dict[str, object] = json.loads(git(self.world.remote, "show", "gh-pages:data/page.json"))
        return value

    def put(self, name: str, text: str) -> None:
        """Somebody's commit on the page's branch, without history, beside what is there."""
        folder = self.root / "pages"
        if not folder.exists():
            git(self.root, "clone", "-q", str(self.world.remote), str(folder))
        git(folder, "fetch", "-q", "origin")
        git(folder, "checkout", "-q", "-B", "gh-pages", "origin/gh-pages")
        (folder / name).write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--amend", "-m", "by hand")
        git(folder, "push", "-q", "-f", "origin", "gh-pages")


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    """Before its first page."""
    return Publisher(tmp_path)


def test_the_page_is_one_commit_on_its_own_branch(publisher: Publisher) -> None:
    """Page, list of files and .nojekyll; no history, nothing of the hub, and the job's clone has not moved."""
    before = git(publisher.world.job, "status", "--porcelain", "--branch")
    published = publisher.publish()
    assert (published.branch, published.commit) == ("origin/gh-pages", publisher.world.head("gh-pages"))
    assert publisher.world.commits("gh-pages") == 1
    assert {"index.html", "page_files.json", ".nojekyll", ".well-known/agent-skills/index.json"} <= set(
        publisher.files()
    )
    assert not [name for name in publisher.files() if name.startswith(("skills/", "search/"))]
    assert git(publisher.world.job, "status", "--porcelain", "--branch") == before


def test_an_unchanged_hub_gets_no_commit_and_an_edit_changes_its_own_files(publisher: Publisher) -> None:
    """Rows and axes are kept from the branch itself: no earlier folder is needed."""
    first = publisher.publish()
    assert publisher.publish().commit is None
    before = publisher.files()
    publisher.world.push_skill("skill-01", "Waters the office plants.")
    publisher.world.publish()
    again = publisher.publish()
    assert again.commit not in (None, first.commit)
    assert publisher.world.commits("gh-pages") == 1
    changed = {name for name, blob in publisher.files().items() if before.get(name) != blob}
    assert "data/records/0000.bin" in changed
    assert not changed & {"data/ids.bin", "data/axes.bin", "app.js", "index.html"}


def test_a_web_hosts_own_files_stay(publisher: Publisher) -> None:
    """The name of the site is the owner's."""
    publisher.publish()
    publisher.put("CNAME", "skills.example.org\n")
    publisher.world.push_skill("another", "Does another thing.")
    publisher.world.publish()
    publisher.publish()
    assert git(publisher.world.remote, "show", "gh-pages:CNAME") == "skills.example.org"
    assert publisher.facts()["count"] == 5


def test_a_branch_with_something_else_is_left_alone(publisher: Publisher) -> None:
    """A file that no page accounts for is somebody's work; so is a history."""
    publisher.publish()
    publisher.put("thesis.txt", "years of work\n")
    before = publisher.world.head("gh-pages")
    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        publisher.publish()
    git(publisher.world.remote, "branch", "site", "main")
    with pytest.raises(ConfigError, match="history"):
        publisher.publish(branch="site")
    assert publisher.world.head("gh-pages") == before


def test_the_hubs_own_branch_is_never_taken(publisher: Publisher) -> None:
    """Neither the skills' branch nor the index's becomes a page."""
    with pytest.raises(ConfigError, match="a separate branch"):
        publisher.publish(branch="main")


def test_a_page_is_made_from_an_index_on_a_branch_of_its_own(publisher: Publisher) -> None:
    """Skills come from one branch, the index from the other."""
    publisher.world.publish(branch="search-index", orphan=True)
    published = publisher.publish(index_branch="search-index", index_is_orphan=True)
    assert published.page.skills == 4


def test_without_a_remote_the_branch_is_the_clones(publisher: Publisher) -> None:
    """Nothing is pushed unless it is asked for."""
    git(publisher.world.job, "pull", "-q")
    published = publisher.publish(push=False)
    assert published.commit == git(publisher.world.job, "rev-parse", "gh-pages")
    assert "gh-pages" not in git(publisher.world.remote, "branch", "--list")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--page", "--dry-run"], "--dry-run publishes nothing"),
        (["--page-out", "site"], "add --page"),
        (["--page", "--page-out", "site", "--page-branch", "x"], "leave out"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path: Path, options: list[str], said: str) -> None:
    """Exit 2 before anything is read."""
    done = hub_index_here("publish", tmp_path, *options)
    assert done.code == 2
    assert said in done.err


def test_publish_makes_index_and_page_in_one_command(tmp_path: Path) -> None:
    """The whole command with the real model, into a folder: where the page is stands in the report."""
    world = make_world(tmp_path, skills=2)
    done = hub_index_here("publish", world.job, "--push", "--page", "--page-out", tmp_path / "site", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["page"]["folder"] == str(tmp_path / "site")
    assert json.loads((tmp_path / "site/data/page.json").read_bytes())["count"] == 2
    assert "search" in git(world.remote, "ls-tree", "--name-only", "main")


def test_a_strangers_branch_is_refused_before_the_index_goes_out(tmp_path: Path) -> None:
    """One exit 2, and neither an index nor a page: whoever mends the branch finds nothing half done."""
    world = make_world(tmp_path, skills=2)
    git(world.remote, "branch", "gh-pages", "main")
    before = world.head()
    done = hub_index_here("publish", world.job, "--push", "--page")
    assert done.code == 2
    assert "no page of ours accounts for" in done.err
    assert world.head() == before
