"""F14 and the folder half of F09: names that differ only in case or normal form, and two spellings in one folder."""

from pathlib import Path

from support.hubs.hub_maker import HubMaker

from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.models import Problem, Snapshot


def _snapshot(hub: HubMaker) -> Snapshot:
    hub.commit_index()
    return read_hub(open_repository(hub.root)).snapshot


def _codes(problems: tuple[Problem, ...]) -> list[tuple[str, str, str]]:
    return [(problem.level, problem.path, problem.code) for problem in problems]


def test_f14_folders_that_differ_in_case_are_two_skills(tmp_path: Path) -> None:
    """Both are indexed, both are reported, each with its own bytes."""
    hub = HubMaker(tmp_path / "hub")
    hub.place(b"skills/Foo/SKILL.md", b"upper")
    hub.place(b"skills/foo/SKILL.md", b"lower")
    hub.place(b"skills/bar/SKILL.md", b"other")
    snapshot = _snapshot(hub)
    assert [file.id for file in snapshot.files] == ["Foo", "bar", "foo"]
    assert _codes(snapshot.problems) == [
        ("warning", "skills/Foo/SKILL.md", "case-twin"),
        ("warning", "skills/foo/SKILL.md", "case-twin"),
    ]
    contents = [content for _, content in read_contents(open_repository(hub.root), snapshot.files)]
    assert contents == [b"upper", b"other", b"lower"]


def test_f14_two_spellings_in_one_folder(tmp_path: Path) -> None:
    """SKILL.md wins; without it the first in byte order; the others are Problems that name the winner."""
    hub = HubMaker(tmp_path / "hub")
    for name in ("skill.md", "SKILL.md", "SKILL.MD"):
        hub.place(f"skills/a/{name}".encode(), name.encode())
    for name in ("skill.md", "Skill.md"):
        hub.place(f"skills/b/{name}".encode(), name.encode())
    snapshot = _snapshot(hub)
    assert [file.file for file in snapshot.files] == ["skills/a/SKILL.md", "skills/b/Skill.md"]
    assert _codes(snapshot.problems) == [
        ("error", "skills/a/SKILL.MD", "second-spelling"),
        ("error", "skills/a/skill.md", "second-spelling"),
        ("error", "skills/b/skill.md", "second-spelling"),
    ]
    assert "skills/a/SKILL.md" in snapshot.problems[0].reason


def test_f14_linked_spelling_does_not_hide_the_file(tmp_path: Path) -> None:
    """Where SKILL.md is a link and skill.md a file, the file is indexed, and nothing is missing."""
    hub = HubMaker(tmp_path / "hub")
    hub.place(b"skills/a/SKILL.md", b"skill.md", mode="120000")
    hub.place(b"skills/a/skill.md", b"text")
    snapshot = _snapshot(hub)
    assert [file.file for file in snapshot.files] == ["skills/a/skill.md"]
    assert _codes(snapshot.problems) == []


def test_f09_id_is_nfc_and_path_is_as_in_git(tmp_path: Path) -> None:
    """A folder from a Mac is found by the id that everybody types."""
    hub = HubMaker(tmp_path / "hub")
    hub.place("skills/cafe\u0301/SKILL.md".encode(), b"x")
    snapshot = _snapshot(hub)
    assert [(file.id, file.path) for file in snapshot.files] == [("caf\u00e9", "skills/cafe\u0301")]
    assert not snapshot.problems


def test_f09_folders_that_differ_in_normal_form_are_two_skills(tmp_path: Path) -> None:
    """Each keeps its own spelling as id, both are reported."""
    hub = HubMaker(tmp_path / "hub")
    hub.place("skills/caf\u00e9/SKILL.md".encode(), b"composed")
    hub.place("skills/cafe\u0301/SKILL.md".encode(), b"decomposed")
    snapshot = _snapshot(hub)
    assert [file.id for file in snapshot.files] == ["cafe\u0301", "caf\u00e9"]
    assert {(problem.level, problem.code) for problem in snapshot.problems} == {("warning", "normal-form-twin")}
    assert len(snapshot.problems) == 2


def test_f14_documents_that_differ_in_case(tmp_path: Path) -> None:
    """Workflows are treated alike."""
    hub = HubMaker(tmp_path / "hub")
    hub.place(b"workflows/Deploy.md", b"x")
    hub.place(b"workflows/deploy.md", b"y")
    snapshot = _snapshot(hub)
    assert [file.id for file in snapshot.files] == ["workflows:Deploy", "workflows:deploy"]
    assert [problem.code for problem in snapshot.problems] == ["case-twin", "case-twin"]
