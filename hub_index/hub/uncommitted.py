"""Skills that are in the work tree but not in the commit that is read: counted, so that their author is told.

git looks at the work tree in a process of its own while the commit is read: on 6,793 skills that takes it 0.1 s, which
nobody should have to wait for.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from hub_index.errors import SourceError
from hub_index.hub.config import HubConfig
from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.problems import counted
from hub_index.hub.tree.layout import layout_of


class Uncommitted:
    """The hub's files that are new or changed, told by git when they are asked for."""

    def __init__(self, files: Iterator[str]) -> None:
        self._files = files

    def count_skills(self, config: HubConfig) -> int:
        """How many of them would be indexed with these settled settings; may be asked once."""
        kind_of = layout_of(config).kind_of
        try:
            return sum(kind_of(path) is not None for path in self._files)
        except SourceError:  # a work tree that git cannot look at keeps nobody from building a commit
            return 0


@contextmanager
def uncommitted_files(repo: Repository, rev: str = "HEAD") -> Iterator[Uncommitted]:
    """What is not committed, while the block lasts; nothing for a revision that is not the checkout's own."""
    if repo.bare or rev != "HEAD":
        yield Uncommitted(iter(()))
        return
    with repo.changed_files() as files:
        yield Uncommitted(files)


def uncommitted_notice(skills: int) -> str:
    """What an author should know; empty where every skill is committed."""
    if skills == 0:
        return ""
    are, them = ("is", "it") if skills == 1 else ("are", "them")
    return (
        f"{counted(skills, 'skill')} {are} not committed (new or changed): only commits are read; `git add` and commit "
        f"{them}"
    )
