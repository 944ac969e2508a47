"""Makes real git hubs for tests: write files, commit, or place any mode and name by plumbing."""

import os
import subprocess
from pathlib import Path


class HubMaker:
    """A git repository under construction; one that is there already is used as it is."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if not (root / ".git").exists():  # a folder, or a worktree's file
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, stdin: bytes | None = None, when: str | None = None) -> str:
        """What git printed; raises where git failed. `when` is the committer's clock."""
        clock = {} if when is None else {"GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when}
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            input=stdin,
            capture_output=True,
            check=True,
            env={**os.environ, **clock},
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> None:
        """Puts a file into the work tree."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def skill(
        self, skill_id: str, description: str = "Does a thing.", name: str | None = None, body: str = "# Body\n"
    ) -> None:
        """Puts a well-formed skill into the work tree."""
        name = name if name is not None else skill_id.rsplit("/", 1)[-1]
        self.write(f"skills/{skill_id}/SKILL.md", f"---\nname: {name}\ndescription: {description}\n---\n\n{body}")

    def skills(self, count: int) -> None:
        """Puts so many plain skills into the work tree."""
        for number in range(count):
            self.skill(f"skill-{number:02}", f"Does thing number {number}.")

    def commit(self, message: str = "change", when: str | None = None) -> str:
        """Commits the whole work tree and gives the commit's id."""
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-m", message, when=when)
        return self.git("rev-parse", "HEAD")

    def place(self, path: bytes, content: bytes, mode: str = "100644") -> None:
        """Puts a blob of any mode and name into the index, past what a file system allows."""
        blob = self.git("hash-object", "-w", "--stdin", stdin=content)
        self.git("update-index", "--add", "-z", "--index-info", stdin=f"{mode} {blob}\t".encode() + path + b"\0")

    def commit_index(self, message: str = "change", when: str | None = None) -> str:
        """Commits the index as it is, without looking at the work tree."""
        tree = self.git("write-tree")
        head = subprocess.run(
            ["git", "-C", str(self.root), "rev-parse", "-q", "--verify", "HEAD"], capture_output=True, check=False
        )
        parent = ["-p", head.stdout.decode().strip()] if head.returncode == 0 else []
        commit = self.git("commit-tree", tree, "-m", message, *parent, when=when)
        self.git("update-ref", "HEAD", commit)
        return commit


def make_plain_hub(root: Path, skills: int) -> HubMaker:
    """A committed hub of so many plain skills."""
    hub = HubMaker(root)
    hub.skills(skills)
    hub.commit("skills")
    return hub


def make_hub(root: Path) -> HubMaker:
    """A committed hub of two skills, one of them in Chinese."""
    hub = HubMaker(root)
    hub.skill("one", "Analyze slow queries.")
    hub.skill("two", "制作演示文稿。")
    hub.commit("skills")
    return hub
