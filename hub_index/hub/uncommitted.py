"""Skills in the work tree that are missing in the commit: found, so that a notice can name them.

git looks at the work tree in a separate process while the commit is read: on 6,793 skills it takes 0.1 s, which the
build does not wait for.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from hub_index.base.characters import short_line
from hub_index.errors import SourceError
from hub_index.hub.config import HubConfig
from hub_index.hub.git.process import GitOutcome
from hub_index.hub.git.repository import ChangedFiles, Repository
from hub_index.hub.known_trees import NOTHING_KNOWN, KnownTrees, names_digest
from hub_index.hub.skill.problems import counted
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.known_listing import is_of_bytes_only
from hub_index.hub.tree.layout import PLACES, layout_of

_SHOWN = 3
_PATH_CHARS = 200


class Uncommitted:
    """The hub's new or changed files; git names them on demand."""

    def __init__(self, files: ChangedFiles) -> None:
        self._files = files

    def find_skills(self, config: HubConfig) -> tuple[str, ...]:
        """The files among them that would be indexed with these settled settings; may be called once."""
        kind_of = layout_of(config).kind_of
        try:
            return tuple(self._files(lambda path: kind_of(path) is not None))
        except SourceError:  # a commit can be built also if git cannot look at the work tree
            return ()


@contextmanager
def uncommitted_files(
    repo: Repository, rev: str = "HEAD", known: KnownTrees = NOTHING_KNOWN, *, tree: str | None = None
) -> Iterator[Uncommitted]:
    """The uncommitted files, while the block lasts; empty for any revision but the checkout's own.

    If a big hub's folders hold just the committed names, only the skills' own folders can hold new files: git is then
    asked for changed files only, in a quarter of the time. `tree` is the hub's folder at HEAD, if the caller knows it
    already.
    """
    if repo.bare or rev != "HEAD":
        yield Uncommitted(lambda _is_wanted: iter(()))
        return
    folders = _known_folders(repo, repo.tree_of("HEAD") if tree is None else tree, known) if known.is_kept else {}
    with repo.changed_files(with_new=not folders or not _hold_just(repo, folders)) as files:
        yield Uncommitted(files)


def _known_folders(repo: Repository, tree: str, known: KnownTrees) -> Mapping[str, str]:
    """{folder: digest of the names in it} of a tree, or of the one listed last where that one has the same names."""
    if folders := known.find_folders(tree):
        return folders
    before = known.listings.last_tree(str(repo.hub))
    folders = known.find_folders(before) if before else {}
    changes = repo.compare_trees(before, tree) if folders else []
    return folders if not isinstance(changes, GitOutcome) and all(map(is_of_bytes_only, changes)) else {}


def _hold_just(repo: Repository, folders: Mapping[str, str]) -> bool:
    """Whether the checkout's folders hold just the names of these digests."""
    missing = [folder for folder in PLACES if folder not in folders]
    if any(os.path.lexists(repo.hub / folder) for folder in missing):
        return False
    try:
        return all(
            names_digest(os.listdir(os.fsencode(repo.hub / folder))) == digest for folder, digest in folders.items()
        )
    except OSError:
        return False


def uncommitted_notice(paths: Sequence[str]) -> str:
    """A notice with the first few files; empty if every skill is committed."""
    if not paths:
        return ""
    are, them = ("is", "it") if len(paths) == 1 else ("are", "them")
    shown = ", ".join(short_line(shown_name(path), _PATH_CHARS) for path in paths[:_SHOWN])
    more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
    return (
        f"{counted(len(paths), 'skill')} {are} not committed (new or changed: {shown}{more}): only commits are read; "
        f"`git add` and commit {them}"
    )
