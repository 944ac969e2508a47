"""F01: a blob of 100 MB is never read: its size is asked first."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.limits import MAX_SKILL_BYTES
from hub_index.models import Problem

_READ = """
import resource, sys, time
from pathlib import Path
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.models import Problem
repo = open_repository(Path(sys.argv[1]))
read = {file.id: content for file, content in read_contents(repo, read_hub(repo).snapshot.files)}
assert isinstance(read["huge"], Problem) and isinstance(read["small"], bytes)
# ru_maxrss of ourselves would still hold the peak of the process that started us; VmHWM starts at exec
own = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
gits = resource.getrusage(resource.RUSAGE_CHILDREN)
print(int(own) // 1024, gits.ru_maxrss // 1024, time.process_time() + gits.ru_utime + gits.ru_stime)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
def test_f01_huge_file_costs_neither_memory_nor_time(tmp_path: Path) -> None:
    """100 MB of SKILL.md: a Problem, the others read, small peaks in us and in git, within seconds of a processor."""
    hub = HubMaker(tmp_path / "hub")
    hub.git("config", "core.compression", "0")
    hub.skill("small")
    hub.write("skills/huge/SKILL.md", b"x" * 100_000_000)
    hub.commit()
    done = subprocess.run([sys.executable, "-c", _READ, str(hub.root)], capture_output=True, check=True, text=True)
    own_mib, git_mib, seconds = map(float, done.stdout.split())
    assert own_mib < 90
    assert git_mib < 90
    assert seconds < 5


def test_f01_both_sides_of_the_limit(tmp_path: Path) -> None:
    """The largest file that is allowed is read, one byte more is a Problem that says both sizes."""
    hub = HubMaker(tmp_path / "hub")
    hub.write("skills/fits/SKILL.md", b"x" * MAX_SKILL_BYTES)
    hub.write("skills/over/SKILL.md", b"x" * (MAX_SKILL_BYTES + 1))
    hub.commit()
    repo = open_repository(hub.root)
    state = read_hub(repo)
    fits, over = (content for _, content in read_contents(repo, state.snapshot.files))
    assert isinstance(fits, bytes)
    assert len(fits) == MAX_SKILL_BYTES
    assert isinstance(over, Problem)
    assert (over.level, over.path, over.code) == ("error", "skills/over/SKILL.md", "too-large")
    assert str(MAX_SKILL_BYTES + 1) in over.reason


def test_f01_oversized_file_still_counts_for_the_digest(tmp_path: Path) -> None:
    """An edit of it is an edit of the hub."""
    hub = HubMaker(tmp_path / "hub")
    repo_digests = set()
    for letter in (b"x", b"y"):
        hub.write("skills/over/SKILL.md", letter * (MAX_SKILL_BYTES + 1))
        hub.commit()
        repo_digests.add(read_hub(open_repository(hub.root)).snapshot.source_digest)
    assert len(repo_digests) == 2
