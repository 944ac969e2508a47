"""When files changed: one streaming pass over `git log`, ended as soon as everything asked for is known.

Gives a build its `hub_revision` (the newest commit that changed an indexed file) and the time of each row that
it meets for the first time. Commits come newest first; changes of the mode alone do not count; of a merge only
what differs from all of its parents does, since the rest was changed by an earlier commit.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from hub_index.errors import SourceError
from hub_index.hub.config import HubConfig
from hub_index.hub.git.repository import Repository
from hub_index.hub.tree.layout import REGULAR_MODES, Layout, layout_of
from hub_index.models import SkillFile

_LATEST_SECOND = 253_402_300_799  # the end of the year 9999: RFC 3339 has four digits for a year
_LOG = (
    "log",
    "--raw",
    "-r",
    "-z",
    "-c",
    "--root",
    "--full-history",
    "--no-abbrev",
    "--no-renames",
    # the rest keeps the user's settings out of the answer
    "--no-follow",
    "--no-relative",
    "--no-color",
    "--no-notes",
    "--no-mailmap",
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--format=commit %H %ct %P",
)


@dataclass(frozen=True, slots=True)
class History:
    """The newest commit that changed an indexed file, and {file: time of its last change}."""

    hub_revision: str
    updated_at: dict[str, str]
    is_cut: bool = False  # some times are those of the commits where a shallow clone ends: the files may be older


@dataclass(frozen=True, slots=True)
class _Change:
    """One path that a commit left different from all of its parents."""

    commit: str
    seconds: str
    is_first: bool  # the commit has no parents, or a shallow clone lacks them
    path: str  # from the hub's root
    before: tuple[tuple[str, str], ...]  # (mode, blob) in each parent
    mode: str
    blob: str

    def is_regular(self) -> bool:
        """Whether the commit left a plain file here that no parent had with these bytes."""
        return self.mode in REGULAR_MODES and not any(
            mode in REGULAR_MODES and blob == self.blob for mode, blob in self.before
        )

    def is_removal(self) -> bool:
        """Whether a plain file was here and is not any more."""
        return self.mode not in REGULAR_MODES and any(mode in REGULAR_MODES for mode, _ in self.before)


def read_history(  # noqa: PLR0913 - where it begins, what is wanted, and what is known
    repo: Repository,
    revision: str,
    files: Sequence[SkillFile],
    config: HubConfig,
    since: str | None = None,
    *,
    earlier: Mapping[str, str] = MappingProxyType({}),
) -> History:
    """The history behind a revision; times for `files` only, `config` with settled roots. Raises SourceError.

    A file's time in `earlier` is kept if some commit changed the file at that time.

    `since` may be an earlier `hub_revision`: if it is an ancestor, only the commits after it are walked, and all
    commits if these do not answer everything. It may come from anywhere: any text is safe here.
    """
    search = _Search({file.file: file.blob for file in files}, layout_of(config), dict(earlier))
    if repo.shallow:
        search.hub_revision = revision  # a history that is cut off cannot tell which change was the newest
    elif since and repo.is_ancestor(since, revision):
        # With `since` itself: it is the newest change unless a later walk finds another.
        search.walk(repo, revision, f"^{since}^@")
    search.walk(repo, revision)
    is_cut = repo.shallow and (search.has_first or bool(search.missing))
    if search.missing:  # only where history was grafted or cut
        seconds = next(repo.read_fields("log", "-1", "-z", "--no-show-signature", "--format=%ct", revision), "")
        search.updated_at |= dict.fromkeys(search.missing, _time(seconds.strip()))
    return History(search.hub_revision or revision, search.updated_at, is_cut)


def commit_times(repo: Repository, revision: str) -> set[str]:
    """The times of a revision and of all commits behind it. Raises SourceError."""
    fields = repo.read_fields("log", "-z", "--no-show-signature", "--format=%ct", revision)
    return {_time(seconds.strip()) for seconds in fields}


def find_removals(repo: Repository, revision: str, since: str, paths: Sequence[str]) -> dict[str, str]:
    """{path: newest commit that removed it} of the paths that are gone since an ancestor. Raises SourceError."""
    last: dict[str, _Change] = {}
    for change in _changes(repo, (revision, f"^{since}"), paths):
        last.setdefault(change.path, change)
    return {path: last[path].commit for path in paths if path in last and last[path].is_removal()}


class _Search:
    """The files whose last change is not known yet, fewer with every commit that is read, and what is known."""

    def __init__(self, wanted: dict[str, str], layout: Layout, earlier: dict[str, str]) -> None:
        self.missing = wanted
        self.earlier = earlier  # times that no commit has borne out yet
        self.layout = layout
        self.hub_revision = ""
        self.updated_at: dict[str, str] = {}
        self.has_first = False  # whether one of the times is that of a commit without parents

    def walk(self, repo: Repository, *revisions: str) -> None:
        """Looks at commits, newest first, until nothing is missing."""
        if self._is_done():
            return
        for change in _changes(repo, revisions, self.layout.folders()):
            self._take(change)
            if self._is_done():
                return

    def _is_done(self) -> bool:
        return bool(self.hub_revision) and not self.missing and not self.earlier

    def _take(self, change: _Change) -> None:
        is_new = change.is_regular()
        # The last change is the one that left today's bytes: a branch that was merged away does not date a file.
        if is_new and self.missing.get(change.path) == change.blob:
            del self.missing[change.path]
            self.updated_at[change.path] = _time(change.seconds)
            self.has_first = self.has_first or change.is_first
        if is_new and self.earlier.get(change.path) == _time(change.seconds):
            self.updated_at[change.path] = self.earlier.pop(change.path)
        if not self.hub_revision and (is_new or change.is_removal()) and self.layout.kind_of(change.path):
            self.hub_revision = change.commit


def _changes(repo: Repository, revisions: Iterable[str], folders: Iterable[str]) -> Iterator[_Change]:
    start = f"{repo.prefix}/" if repo.prefix else ""
    fields = repo.read_fields(*_LOG, *revisions, "--", *(folder or "." for folder in folders))
    commit, seconds, parents = "", "", ""
    for field in fields:
        facts = field.removeprefix("\n")  # git sets a line end between a commit and its list
        if facts.startswith("commit "):
            _, commit, seconds, parents = facts.split(" ", 3)
        elif facts.startswith(":"):
            path = next(fields, "")
            if path.startswith(start):
                yield _parse_change(commit, seconds, facts, path[len(start) :], is_first=not parents)
        elif facts:
            raise SourceError(f"git log answered in a form that is not understood in {repo.hub}: update git")


def _parse_change(commit: str, seconds: str, facts: str, path: str, *, is_first: bool) -> _Change:
    """`:mode mode blob blob M`, or of a merge with n parents `::… n + 1 modes, n + 1 blobs, letters`."""
    parents = len(facts) - len(facts.lstrip(":"))
    words = facts[parents:].split(" ")
    modes, blobs = words[: parents + 1], words[parents + 1 : 2 * parents + 2]
    before = tuple(zip(modes[:-1], blobs[:-1], strict=True))
    return _Change(commit, seconds, is_first, path, before, modes[-1], blobs[-1])


def _time(seconds: str) -> str:
    """RFC 3339 in UTC; what no calendar holds is moved to its nearest end."""
    number = int(seconds[:18]) if seconds.removeprefix("-").isdecimal() else 0  # 18 digits are far beyond any end
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(max(number, 0), _LATEST_SECOND)))
