"""What a build of a big hub need not do again: to judge paths and check lines that it knows; bytes are the same."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory, make_story
from support.hubs.hub_maker import HubMaker

from hub_index.hub import known_trees, snapshot
from hub_index.hub.git.repository import open_repository
from hub_index.hub.known_trees import KnownTrees
from hub_index.hub.snapshot import read_hub
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.format import verify
from hub_index.index.format.records import decode_records
from hub_index.index.format.verify import AcceptedSections

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def big(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every hub counts as a big one."""
    monkeypatch.setattr(known_trees, "MANY_FILES", 1)


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with nested skills, a document, a folder's other file, a refused name and names that differ in case."""
    maker = HubMaker(tmp_path / "hub")
    for name in ("alpha", "group/beta", "Alpha", "with\\backslash", "数据"):
        maker.skill(name)
    maker.write("skills/alpha/notes.md", "Notes.\n")
    maker.write("workflows/release.md", "# Release\n")
    maker.commit()
    return maker


def _edit(hub: HubMaker) -> None:
    hub.skill("alpha", "Does another, longer thing.")
    hub.write("workflows/release.md", "# Release again\n")
    hub.write("skills/alpha/notes.md", "Other notes.\n")


def _remove(hub: HubMaker) -> None:
    (hub.root / "skills/alpha/SKILL.md").unlink()


def _link(hub: HubMaker) -> None:
    _remove(hub)
    (hub.root / "skills/alpha/SKILL.md").symlink_to("../group/beta/SKILL.md")


def _settle(hub: HubMaker) -> None:
    hub.write("hub-index.toml", 'exclude = ["skills/group/**"]\n')


@pytest.mark.parametrize(
    ("change", "is_listed"),
    [
        (_edit, False),
        (lambda hub: (hub.root / "skills/alpha/SKILL.md").chmod(0o755), False),
        (lambda hub: hub.skill("gamma"), True),
        (_remove, True),
        (_link, True),
        (_settle, True),
    ],
    ids=["edit", "mode", "add", "remove", "link", "settings"],
)
def test_a_tree_with_other_bytes_is_the_same_state_without_a_listing(
    hub: HubMaker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[HubMaker], object],
    is_listed: bool,
) -> None:
    """Files, digest, problems and settings are those of a listing, which only other names, modes or settings need."""
    repo, known = open_repository(hub.root), KnownTrees(str(tmp_path / "cache"))
    read_hub(repo, "HEAD", known)
    change(hub)
    hub.commit()
    expected = read_hub(repo, "HEAD")
    listed: list[str] = []
    whole = snapshot.read_tree
    monkeypatch.setattr(snapshot, "read_tree", lambda *given: listed.append(given[1]) or whole(*given))  # type: ignore[func-returns-value]
    assert read_hub(repo, "HEAD", known) == expected
    assert bool(listed) == is_listed
    again = read_hub(repo, "HEAD", KnownTrees(str(tmp_path / "cache")))
    assert (list(again.snapshot.files), again.config) == (list(expected.snapshot.files), expected.config)
    assert len(listed) == is_listed


def test_a_copy_outside_of_the_roots_is_judged_by_all_bytes(hub: HubMaker, tmp_path: Path) -> None:
    """A copy of an indexed skill elsewhere is nobody's copy once that skill is edited."""
    repo, known = open_repository(hub.root), KnownTrees(str(tmp_path / "cache"))
    hub.write("other/alpha/SKILL.md", (hub.root / "skills/alpha/SKILL.md").read_bytes())
    hub.commit()
    assert read_hub(repo, "HEAD", known).snapshot.outside == ()
    hub.skill("alpha", "Does another thing.")
    hub.commit()
    assert [file.file for file in read_hub(repo, "HEAD", known).snapshot.outside] == ["other/alpha/SKILL.md"]


@pytest.mark.parametrize("damage", ["cut", "others-write"])
def test_a_listing_in_doubt_is_not_believed(hub: HubMaker, tmp_path: Path, damage: str) -> None:
    """A listing that is cut, or that others may write, is made anew."""
    repo, known = open_repository(hub.root), KnownTrees(str(tmp_path / "cache"))
    read_hub(repo, "HEAD", known)
    (listing,) = (tmp_path / "cache" / "listings").iterdir()
    listing.write_bytes(
        listing.read_bytes()[:-50] if damage == "cut" else listing.read_bytes().replace(b"beta", b"zeta")
    )
    listing.chmod(0o600 if damage == "cut" else 0o666)
    _edit(hub)
    hub.commit()
    assert read_hub(repo, "HEAD", known) == read_hub(repo, "HEAD")


def _build(story: BuildStory, cache: str) -> None:
    tools = BuildTools(
        encoder_for=lambda _: story.encoder,
        known_trees=KnownTrees(cache),
        accepted=AcceptedSections(cache),
        now=lambda: _NOW,
    )
    build_index(story.hub.root, BuildOptions(), tools)


@pytest.mark.parametrize("form", [1, 2])
def test_builds_that_know_much_give_the_bytes_of_a_build_from_nothing(tmp_path: Path, form: int) -> None:
    """After edits, additions and removals the folder is that of a hub that was built once, without any note."""
    story = make_story(tmp_path / "hub", skills=12)
    story.hub.write("hub-index.toml", f"format = {form}\n")
    story.hub.commit("format")
    cache = str(tmp_path / "cache")
    _build(story, cache)
    for number in (3, 4, 3):
        story.hub.skill(f"skill-{number:02}", f'Says "{number}" and\tmore.')
        story.hub.commit()
        _build(story, cache)
    story.hub.skill("new")
    (story.hub.root / "skills/skill-07/SKILL.md").unlink()
    story.hub.commit()
    _build(story, cache)
    known = {path.name: path.read_bytes() for path in story.folder.iterdir()}
    for path in story.folder.iterdir():
        path.unlink()
    _build(story, "")
    assert {path.name: path.read_bytes() for path in story.folder.iterdir()} == known


def test_lines_that_were_accepted_are_not_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second look at an index decodes without a check; where others may write the notes, with every check."""
    story = make_story(tmp_path / "hub", skills=3)
    cache = tmp_path / "cache"
    _build(story, str(cache))
    checked: list[int] = []
    whole = decode_records
    monkeypatch.setattr(verify, "decode_records", lambda *given: checked.append(given[1]) or whole(*given))  # type: ignore[func-returns-value]
    for number, mode in enumerate((0o700, 0o777)):
        (cache / "accepted").chmod(mode)
        story.hub.skill("skill-00", f"Does thing {number}.")
        story.hub.commit()
        _build(story, str(cache))
        assert checked == [3] * number
