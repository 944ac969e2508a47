"""A skill's folder that is deep, or full of enormous files, costs its reader little, and a deadline ends the rest."""

import os
from pathlib import Path
from time import thread_time

import pytest
from support.servers.service_world import ServiceWorld

from hub_index.errors import AnswerStopped, SkillUnknown
from hub_index.limits import MAX_PATH_STEPS, MAX_SKILL_FOLDER_BYTES
from hub_index.service.reading.raw_files import find_raw_skill, read_raw_file
from hub_index.service.reading.skill_files import digest_files, find_paths
from hub_index.service.requests import Deadline, ReadRequest

MUCH_S = 1.0  # of processor time; before these were mended each took several
BYTES = 17_000_000  # more than a skill may have


def make_sparse(path: Path, size: int) -> None:
    """A file of that size that takes no room on the disk."""
    path.touch()
    os.truncate(path, size)


def test_files_that_lie_too_deep_are_named_once(world: ServiceWorld) -> None:
    """The others are listed, and a client that checks digests hears that there are more."""
    hub = world.add_hub("deep", {"a": ("Deep slides.", "# A\n")})
    hub.write("skills/a/near/f.txt", "near")
    for name in ("x", "y"):
        hub.write("/".join(["skills/a", *["d"] * (MAX_PATH_STEPS - 2), name, "f.txt"]), "far")
    with world.open("deep") as service:
        answer = service.read(ReadRequest("a"))
        assert [file.path for file in answer.files] == ["SKILL.md", "near/f.txt"]
        assert [notice for notice in answer.notices if f"more than {MAX_PATH_STEPS} folders" in notice] == [
            f"files more than {MAX_PATH_STEPS} folders deep, or at longer paths than a skill's, are not listed"
        ]
        assert not find_raw_skill(service, "skill://deep/skills/a/SKILL.md").is_complete
        with pytest.raises(SkillUnknown, match=r"it has .*near/f\.txt"):
            service.read(ReadRequest("a", file="nothing.txt"))


def test_enormous_files_are_refused_unread(world: ServiceWorld) -> None:
    """By their sizes alone, on every read; what fits beside them is listed."""
    hub = world.add_hub("heavy", {"a": ("Heavy.", "# A\n")})
    for number in range(200):
        make_sparse(hub.root / f"skills/a/big{number}", BYTES)
    with world.open("heavy") as service:
        service.read(ReadRequest("a", end=1))
        began = thread_time()
        answer = service.read(ReadRequest("a"))
        assert [file.path for file in answer.files] == ["SKILL.md"]
        assert any("200 files are not listed" in notice for notice in answer.notices)
        skill = find_raw_skill(service, "skill://heavy/skills/a/SKILL.md")
        assert thread_time() - began < MUCH_S
        assert read_raw_file(skill)


def test_all_files_together_have_one_budget(tmp_path: Path) -> None:
    """A file that no longer fits is refused, a smaller one behind it is not; one of no bytes always fits."""
    for name, size in (("a", MAX_SKILL_FOLDER_BYTES - 10), ("b", 11), ("c", 10), ("d", 1), ("e", 0)):
        make_sparse(tmp_path / name, size)
    files = digest_files(str(tmp_path), "", list("abcde"), Deadline())
    assert [file.path for file in files] == ["a", "c", "e"]


def test_a_deadline_ends_a_walk_and_the_hashing(tmp_path: Path) -> None:
    """Both look at it from folder to folder and from file to file."""
    make_sparse(tmp_path / "a", 1)
    for work in (
        lambda deadline: find_paths(str(tmp_path), "", deadline),
        lambda deadline: digest_files(str(tmp_path), "", ["a"], deadline),
    ):
        assert work(Deadline())
        with pytest.raises(AnswerStopped):
            work(Deadline(0))


def test_a_uri_of_thousands_of_steps_costs_little(world: ServiceWorld) -> None:
    """No record lies so deep; a file of a skill may be named by a uri that is deeper than a record."""
    world.add_hub("steps", {"a": ("Steps.", "# A\n")})
    with world.open("steps") as service:
        service.show("a")
        began = thread_time()
        with pytest.raises(SkillUnknown, match="no skill at that uri"):
            service.read(ReadRequest(f"skill://steps/{'a/' * 2_000}x"))
        assert thread_time() - began < MUCH_S / 4
        deep = "/".join(["skills/a", *["d"] * 200, "f.txt"])
        with pytest.raises(SkillUnknown, match="no file"):
            service.read(ReadRequest(f"skill://steps/{deep}"))
