"""F12: links and submodules are never followed, whatever they point to."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.errors import ConfigError
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_contents, read_hub

CANARY = "canary-of-a-private-file"


def _read_everything(hub: HubMaker) -> str:
    repo = open_repository(hub.root)
    state = read_hub(repo)
    return repr(state) + repr(list(read_contents(repo, state.snapshot.files)))


def test_f12_linked_skill_is_reported_and_its_target_never_read(tmp_path: Path) -> None:
    """Neither the target's text nor the target's name gets out, and the rest is read."""
    (tmp_path / "private").write_text(CANARY)
    hub = HubMaker(tmp_path / "hub")
    hub.skill("good")
    (hub.root / "skills/bad").mkdir()
    (hub.root / "skills/bad/SKILL.md").symlink_to(tmp_path / "private")
    (hub.root / "workflows").mkdir()
    (hub.root / "workflows/w.md").symlink_to(tmp_path / "private")
    hub.commit()
    snapshot = read_hub(open_repository(hub.root)).snapshot
    assert [file.id for file in snapshot.files] == ["good"]
    (problem,) = snapshot.problems
    assert (problem.level, problem.path) == ("warning", "skills/bad/SKILL.md")
    assert "workflows/w.md" in problem.reason
    everything = _read_everything(hub)
    assert CANARY not in everything
    assert str(tmp_path / "private") not in everything


def test_f12_linked_folder_is_mentioned_and_not_entered(tmp_path: Path) -> None:
    """A link to a folder outside of the hub is reported; links that belong to a skill are not."""
    outside = tmp_path / "outside/inner"
    outside.mkdir(parents=True)
    (outside / "SKILL.md").write_text(CANARY)
    hub = HubMaker(tmp_path / "hub")
    hub.skill("good")
    (hub.root / "skills/linked").symlink_to(tmp_path / "outside")
    (hub.root / "skills/good/data").symlink_to(tmp_path / "outside")
    hub.commit()
    snapshot = read_hub(open_repository(hub.root)).snapshot
    assert [(problem.level, problem.path) for problem in snapshot.problems] == [("warning", "skills/linked")]
    assert CANARY not in _read_everything(hub)


def test_f12_submodule_is_mentioned_and_not_entered(tmp_path: Path) -> None:
    """Skills of another repository are not this hub's."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("good")
    commit = hub.commit()
    hub.git("update-index", "--add", "--cacheinfo", f"160000,{commit},skills/module")
    hub.git("update-index", "--add", "--cacheinfo", f"160000,{commit},skills/odd/SKILL.md")
    hub.commit_index()
    snapshot = read_hub(open_repository(hub.root)).snapshot
    assert [file.id for file in snapshot.files] == ["good"]
    assert [(problem.level, problem.path) for problem in snapshot.problems] == [
        ("advice", "skills/module"),
        ("error", "skills/odd/SKILL.md"),
    ]


def test_f12_linked_settings_are_refused(tmp_path: Path) -> None:
    """A hub-index.toml that is a link is an error, not another file's content."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("good")
    (tmp_path / "private").write_text(f'model = "{CANARY}"')
    (hub.root / "hub-index.toml").symlink_to(tmp_path / "private")
    hub.commit()
    with pytest.raises(ConfigError, match="commit the file itself"):
        read_hub(open_repository(hub.root))


def test_f12_linked_skills_folder_in_a_hub_searched_whole(tmp_path: Path) -> None:
    """`skills` itself as a link is mentioned too: its author would look for it."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("other/a/SKILL.md", "x")
    (hub.root / "skills").symlink_to(tmp_path)
    hub.commit()
    snapshot = read_hub(open_repository(hub.root)).snapshot
    assert [file.id for file in snapshot.files] == ["other/a"]
    assert [(problem.level, problem.path) for problem in snapshot.problems] == [("warning", "skills")]
