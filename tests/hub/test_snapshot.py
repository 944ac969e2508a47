"""A hub at a revision, read whole from real commits."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.errors import ConfigError, SourceError
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.limits import MAX_HUB_CONFIG_BYTES
from hub_index.models import SkillFile


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with two skills and a workflow, committed."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("beta")
    maker.skill("alpha")
    maker.write("workflows/deploy.md", "Deploys.\n")
    maker.commit()
    return maker


def test_snapshot_names_its_commit(hub: HubMaker) -> None:
    """The revision is the commit that was read, however it was called."""
    state = read_hub(open_repository(hub.root), "main")
    assert state.snapshot.revision == hub.git("rev-parse", "HEAD")
    assert [file.id for file in state.snapshot.files] == ["alpha", "beta", "workflows:deploy"]
    assert state.config.roots == ("skills",)
    assert not state.snapshot.shallow


def test_older_revision_gives_its_own_files_and_settings(hub: HubMaker) -> None:
    """Settings come from the same tree as the skills."""
    old = hub.git("rev-parse", "HEAD")
    hub.write("hub-index.toml", 'exclude = ["skills/beta"]\noutput = "out"\n')
    hub.commit()
    repo = open_repository(hub.root)
    assert [file.id for file in read_hub(repo).snapshot.files] == ["alpha", "workflows:deploy"]
    assert read_hub(repo).config.output == "out"
    assert len(read_hub(repo, old).snapshot.files) == 3
    assert read_hub(repo, old).config.output == "search"


def test_digest_follows_files_and_nothing_else(hub: HubMaker) -> None:
    """A commit of the index, a README or a mode keeps it; an edit, a rename and a deletion change it."""
    repo = open_repository(hub.root)
    digests = [read_hub(repo).snapshot.source_digest]
    hub.write("search/index_manifest.json", "{}")
    hub.write("README.md", "x")
    (hub.root / "skills/alpha/SKILL.md").chmod(0o755)
    hub.commit()
    assert read_hub(repo).snapshot.source_digest == digests[0]
    for change in ("edit", "rename", "delete"):
        if change == "edit":
            hub.skill("alpha", "Another description.")
        elif change == "rename":
            (hub.root / "skills/alpha").rename(hub.root / "skills/gamma")
        else:
            (hub.root / "skills/gamma/SKILL.md").unlink()
        hub.commit(change)
        digests.append(read_hub(repo).snapshot.source_digest)
    assert len(set(digests)) == 4


def test_settings_that_are_too_large_are_not_read(hub: HubMaker) -> None:
    """The size is judged before the blob is."""
    hub.write("hub-index.toml", "#" * (MAX_HUB_CONFIG_BYTES + 1))
    hub.commit()
    with pytest.raises(ConfigError, match="shorten it"):
        read_hub(open_repository(hub.root))


def test_settings_of_a_subfolder_belong_to_that_hub(tmp_path: Path) -> None:
    """A hub in a sub-folder has its own file, and the repository's is not its own."""
    maker = HubMaker(tmp_path / "repo")
    maker.write("hub-index.toml", 'roots = ["nowhere"]')
    maker.write("sub/hub-index.toml", 'roots = ["lib"]')
    maker.write("sub/lib/a/SKILL.md", "x")
    maker.commit()
    assert [file.path for file in read_hub(open_repository(tmp_path / "repo/sub")).snapshot.files] == ["lib/a"]


def test_contents_are_the_committed_bytes_in_the_order_asked(hub: HubMaker) -> None:
    """Each file comes with its own bytes; equal files share a blob and are both read."""
    hub.write("skills/copy/SKILL.md", (hub.root / "skills/alpha/SKILL.md").read_bytes())
    hub.commit()
    repo = open_repository(hub.root)
    files = tuple(reversed(read_hub(repo).snapshot.files))
    read = list(read_contents(repo, files))
    assert tuple(file for file, _ in read) == files
    assert all(content == (hub.root / file.file).read_bytes() for file, content in read)


def test_missing_blob_names_the_file(hub: HubMaker) -> None:
    """A damaged repository is a SourceError that says which file could not be read."""
    repo = open_repository(hub.root)
    lost = SkillFile("x", "skills/x", "skills/x/SKILL.md", "skill", "0123456789" * 4, 5)
    with pytest.raises(SourceError, match=r"skills/x/SKILL\.md.*git fsck"):
        list(read_contents(repo, [*read_hub(repo).snapshot.files, lost]))
