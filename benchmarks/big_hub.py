"""Big hubs for the benchmarks: a real hub's skills, copied and perturbed until there are as many as were asked for.

`python -m benchmarks.big_hub FOLDER COUNT` makes one. Every copy has a text of its own, so that none is embedded for
another, and a body in which some words are other skills' words: vocabulary and lengths stay those of the real hub.
The same count gives the same commit every time.
"""

import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.hubs import make_hub, real_archive, skill_files

_WHEN = "1700000000 +0000"  # a fixed time: the same hub is the same commit
_SWAPPED = 0.1  # the share of words that a copy has from elsewhere
_POOL_WORDS = 50_000


def make_big_hub(folder: Path, count: int) -> Path:
    """A committed and checked out hub of exactly so many skills in that new folder."""
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    originals = _read_originals()
    with subprocess.Popen(["git", "-C", str(folder), "fast-import", "--quiet"], stdin=subprocess.PIPE) as git:
        assert git.stdin is not None
        git.stdin.write(b"commit refs/heads/main\ncommitter bench <bench@example.invalid> %s\n" % _WHEN.encode())
        git.stdin.write(b"data 3\nhub\n")
        for path, content in _skills(originals, count):
            git.stdin.write(b"M 100644 inline %s\ndata %d\n" % (path.encode(), len(content)))
            git.stdin.write(content + b"\n")
    if git.returncode:
        raise subprocess.CalledProcessError(git.returncode, "git fast-import")
    _git(folder, "reset", "-q", "--hard", "main")
    return folder


def edit_skill(hub: Path, number: int) -> None:
    """Commits another description of one skill; another number edits another one."""
    target = skill_files(hub)[number * 37]
    target.write_text(f"---\nname: edited\ndescription: An edited description, the {number}th of them.\n---\n")
    _git(hub, "commit", "-q", "-m", f"edit {number}", "--", str(target.relative_to(hub)))


def _read_originals() -> list[tuple[str, bytes]]:
    """(folder below skills/, content) of every skill of the real hub; of a made-up one where there is none."""
    if not (archive := real_archive()).exists():
        with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as place:
            hub = make_hub(Path(place) / "hub")
            return [
                (path.parent.relative_to(hub / "skills").as_posix(), path.read_bytes()) for path in skill_files(hub)
            ]
    found = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            folder, _, file = member.name.rpartition("/")
            if file == "SKILL.md" and folder.startswith("skills/") and (opened := tar.extractfile(member)):
                found[folder.removeprefix("skills/")] = opened.read()
    return sorted(found.items())


def _skills(originals: list[tuple[str, bytes]], count: int) -> Iterator[tuple[str, bytes]]:
    pool = _words(originals)
    for number in range(count):
        copy, original = divmod(number, len(originals))
        name, content = originals[original]
        if copy == 0:
            yield f"skills/{name}/SKILL.md", content
        else:
            yield f"skills/copy-{copy:03}/{name}/SKILL.md", _perturbed(content, pool, copy, name)


def _words(originals: list[tuple[str, bytes]]) -> list[bytes]:
    words: list[bytes] = []
    for _, content in originals:
        words += (word for word in content.split() if word.isalpha())
        if len(words) > _POOL_WORDS:
            break
    return words or [b"word"]


def _perturbed(content: bytes, pool: list[bytes], copy: int, name: str) -> bytes:
    """The skill with some plain words replaced, and a line of its own in the description."""
    chance = random.Random(f"{name} {copy}")
    return b"\n".join(_perturbed_line(line, pool, copy, chance) for line in content.split(b"\n"))


def _perturbed_line(line: bytes, pool: list[bytes], copy: int, chance: random.Random) -> bytes:
    if line.startswith(b"description:") and len(line) > len("description: >-"):
        own = b"%s, variant %d for %s" % (line.rstrip(b"\r\"'"), copy, chance.choice(pool))
        return own.replace(b'description: "', b"description: ").replace(b"description: '", b"description: ")
    if line.startswith((b"---", b"name:")):
        return line
    words = line.split(b" ")
    for place, word in enumerate(words):
        if word.isalpha() and chance.random() < _SWAPPED:
            words[place] = chance.choice(pool)
    return b" ".join(words)


def _git(hub: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "gc.auto=0"]
    subprocess.run(["git", "-C", str(hub), *identity, *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    make_big_hub(Path(sys.argv[1]), int(sys.argv[2]))
