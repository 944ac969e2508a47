"""The staged files in git's index, as the tree of the next commit; the work tree is not read.

In a hook, GIT_INDEX_FILE names the index that git commits from: `git commit -a` and `git commit FILE` make a temporary
one. Our other commands ignore that variable; this module follows it if the index lies in the hub's own repository.
"""

import os
from collections.abc import Mapping, Sequence

from hub_index.errors import SourceError
from hub_index.hub.git.process import GitOutcome, run_git
from hub_index.hub.git.repository import Repository, decode_name
from hub_index.models import TreeEntry

_INDEX_VARIABLE = "GIT_INDEX_FILE"
_GONE, _UNMERGED = "D", "U"


def has_head(repo: Repository) -> bool:
    """Whether there is a commit at all that something can be staged on."""
    return _run(repo, "rev-parse", "--quiet", "--verify", "HEAD^{commit}").status == 0


def list_staged(repo: Repository, head: Sequence[TreeEntry]) -> list[TreeEntry]:
    """The entries of HEAD with everything that is staged, in git's order. Raises SourceError.

    Files that are only announced (`git add -N`) or in conflict are as HEAD has them: git would not commit them either.
    """
    if repo.bare:
        raise SourceError(f"{repo.hub} is a bare repository, in which nothing can be staged: name two revisions")
    base = "HEAD" if has_head(repo) else _run(repo, "hash-object", "-t", "tree", "--stdin").line
    options = ("--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--relative", "--ita-invisible-in-index")
    done = _run(repo, "diff-index", *options, base, variables=_index_of_a_hook(repo))
    if done.status != 0:
        raise SourceError(f"git cannot compare what is staged in {repo.hub} ({done.reason}): run `git status` there")
    fields = decode_name(done.out).split("\0")[:-1]
    entries = {entry.path: entry for entry in head}
    staged: list[tuple[str, str, str]] = []  # mode, blob, path
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        _, mode, _, blob, status = facts.split()
        if status[0] == _GONE:
            entries.pop(path, None)
        elif status[0] != _UNMERGED:
            staged.append((mode, blob, path))
    sizes = _sizes(repo, [blob for _, blob, _ in staged])
    entries |= {path: TreeEntry(mode, blob, sizes.get(blob, 0), path) for mode, blob, path in staged}
    return sorted(entries.values(), key=lambda entry: entry.path.encode("utf-8", "surrogateescape"))


def _sizes(repo: Repository, blobs: Sequence[str]) -> dict[str, int]:
    """{blob: bytes}; a submodule's commit, which is not here, has no size."""
    if not blobs:
        return {}
    asked = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    answers = (line.split() for line in _run(repo, "cat-file", "--batch-check", stdin=asked).out.decode().splitlines())
    return {answer[0]: int(answer[2]) for answer in answers if len(answer) == 3}


def _run(
    repo: Repository, *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> GitOutcome:
    place = ["-C", os.fspath(repo.hub), "--no-pager", "--literal-pathspecs"]
    return run_git([*place, *arguments], stdin=stdin, variables=variables)


def _index_of_a_hook(repo: Repository) -> dict[str, str]:
    """The variable with the index that git commits from, where git has started us; a hook's folder is its own."""
    named = os.environ.get(_INDEX_VARIABLE)
    if not named:
        return {}
    own = _run(repo, "rev-parse", "--absolute-git-dir").line
    index = os.path.realpath(named)
    return {_INDEX_VARIABLE: index} if own and index.startswith(os.path.join(os.path.realpath(own), "")) else {}
