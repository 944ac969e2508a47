"""A page → one commit without history on a separate branch, for a host that serves a branch (GitHub Pages).

The branch is replaced only if our page's list accounts for everything in it; CNAME and .nojekyll stay. Skills and
index are read from the branches as they are now, here or on the remote; no work tree is read.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hub_index.errors import ConfigError, IndexMissing, PublishError, PublishRace
from hub_index.hub.git.repository import Repository, decode_name, open_repository
from hub_index.index.folder.writing import write_files
from hub_index.index.publish.branches import BranchHost, Move, Refs, check_found
from hub_index.index.publish.commit import Authorship, choose_identity, write_commit
from hub_index.index.publish.committed import read_committed
from hub_index.index.publish.git_writer import GitWriter, parse_tree
from hub_index.index.publish.local_branch import LocalBranch
from hub_index.index.publish.publish import MAX_TRIES
from hub_index.index.publish.remote import Remote
from hub_index.limits import MAX_GIT_FILE_BYTES
from hub_index.page.data.data_file import KEPT_FILES
from hub_index.page.hub_page import PageOutcome
from hub_index.page.page_folder import HOST_FILES, LISTING, check_strangers, parse_listing

PAGE_BRANCH = "gh-pages"
_ADVICE = "name another branch with --page-branch, or delete this one if it is not needed"

MakePage = Callable[[Path, Path, str], PageOutcome]  # the page's folder, the index, the commit of the skills


@dataclass(frozen=True, slots=True)
class PageTarget:
    """The branch of a page, and the place of its index: the options of `publish`."""

    output: str  # the index folder, from the hub's root
    branch: str = PAGE_BRANCH
    push: bool = False
    remote: str | None = None
    index_branch: str | None = None
    index_is_orphan: bool = False
    author: str | None = None


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """The page, and the commit that holds it; no commit: the branch held it already."""

    page: PageOutcome
    branch: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class _Task:
    repo: Repository
    writer: GitWriter
    host: BranchHost
    index: Refs
    target: PageTarget


def publish_page(hub: Path, target: PageTarget, make: MakePage) -> PublishedPage:
    """Makes the page of a branch's head and puts it on its own branch.

    Raises ConfigError, SourceError, PublishError, IndexUnusable, and what making a page raises.
    """
    with _open_task(hub, target) as task:
        place = _find_place(task)
        for _ in range(MAX_TRIES - 1):
            try:
                return _publish_once(task, place, make)
            except PublishRace:
                continue  # somebody else moved the branch: on its new head
        return _publish_once(task, place, make)


def check_page_branch(hub: Path, target: PageTarget) -> None:
    """Raises ConfigError where `publish_page` would refuse the branch: asked before an index goes out."""
    with _open_task(hub, target) as task:
        place = _find_place(task)
        if head := task.host.read_head(place):
            _check_branch(task.writer, head, task.host.label(place))


def _find_place(task: _Task) -> str:
    """The page's branch. Raises ConfigError for one that is in use."""
    task.writer.check_names(task.target.branch, None)
    place = task.host.find_refs(task.target.branch, orphan=True).target
    if place in (task.index.source, task.index.target):
        label = task.host.label(place)
        raise ConfigError(f"{label} holds the hub or its index, and a page needs a separate branch")
    return place


def write_page_folder(hub: Path, target: PageTarget, folder: Path, make: MakePage) -> PageOutcome:
    """Makes the page of a branch's head in a folder. Raises as `publish_page`."""
    with _open_task(hub, target) as task, TemporaryDirectory(prefix="hub-index-page-") as temporary:
        return make(folder, _write_index(task, Path(temporary)), _read_source(task))


@contextmanager
def _open_task(hub: Path, target: PageTarget) -> Iterator[_Task]:
    repo = open_repository(hub)
    with closing(GitWriter(hub)) as writer:
        host: BranchHost = Remote(writer, target.remote) if target.push else LocalBranch(writer, repo)
        index = host.find_refs(target.index_branch, orphan=target.index_is_orphan)
        yield _Task(repo, writer, host, index, target)


def _publish_once(task: _Task, place: str, make: MakePage) -> PublishedPage:
    writer, label = task.writer, task.host.label(place)
    head = task.host.read_head(place)
    kept = _check_branch(writer, head, label) if head else {}
    source = _read_source(task)
    with TemporaryDirectory(prefix="hub-index-page-") as temporary:
        site = Path(temporary, "page/site")
        if head:
            _restore(writer, head, site)
        page = make(site, _write_index(task, Path(temporary)), source)
        tree = _store(writer, site, kept, Path(temporary, "git-index"))
    if head and tree == writer.word("rev-parse", f"{head}^{{tree}}"):
        return PublishedPage(page, label, None)
    message = f"Page of {page.skills} skills at {source[:12]}\n"
    identity = choose_identity(writer, task.target.author)
    commit = write_commit(writer, tree, Authorship(identity, message), parent=None)
    task.host.move(Move(place, head, commit, "", replaces=True))
    return PublishedPage(page, label, commit)


def _read_source(task: _Task) -> str:
    return check_found(task.host.read_head(task.index.source), task.host, task.index.source)


def _check_branch(writer: GitWriter, head: str, label: str) -> dict[str, str]:
    """{name: blob} of the files that stay. Raises ConfigError if the branch is more than a page of ours."""
    if writer.word("rev-list", "--no-walk", "--parents", head).split() != [head]:
        raise ConfigError(f"{label} has a history, which a page would replace: {_ADVICE}")
    entries = parse_tree(writer.run("ls-tree", "-r", "-z", "--full-tree", head))
    names = {decode_name(name): blob for mode, _, blob, name in entries if mode == "100644"}
    odd = [decode_name(name) for mode, _, _, name in entries if mode != "100644"]
    listed = parse_listing(writer.ask("cat-file", "blob", names[LISTING]).out) if LISTING in names else {}
    listed = {name: digest for name, digest in listed.items() if name not in odd}
    check_strangers(label, (*names, *odd), listed, _ADVICE)
    return {name: names[name] for name in HOST_FILES if name in names}


def _write_index(task: _Task, temporary: Path) -> Path:
    """The folder of the published index, as it is in git."""
    label = task.host.label(task.index.target)
    files = read_committed(task.repo, task.host.read_head(task.index.target), task.target.output)
    if files is None:
        raise IndexMissing(f"{label} holds no index in {task.target.output}: build it first")
    folder = temporary / "index/search"
    folder.parent.mkdir()
    write_files(folder, files)
    return folder


def _restore(writer: GitWriter, head: str, site: Path) -> None:
    """Writes the kept files of the branch's page for the next page."""
    for name in (LISTING, *KEPT_FILES):
        outcome = writer.ask("cat-file", "blob", f"{head}:{name}")
        if outcome.status == 0:
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_bytes(outcome.out)


def _store(writer: GitWriter, site: Path, kept: Mapping[str, str], index_file: Path) -> str:
    """The tree of the page's files and of those that stay; without .nojekyll GitHub hides .well-known."""
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    for name in names:
        if (site / name).stat().st_size > MAX_GIT_FILE_BYTES:
            raise PublishError(
                f"{name} of the page is larger than {MAX_GIT_FILE_BYTES:,} bytes, which GitHub refuses: nothing was "
                "published; write the page to a folder with --page-out"
            )
    paths = "".join(f"{site / name}\n" for name in names).encode()
    blobs = writer.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=paths).decode("ascii").split()
    entries = dict(zip(names, blobs, strict=True)) | dict(kept)
    if ".nojekyll" not in entries:
        entries[".nojekyll"] = writer.run("hash-object", "-w", "--stdin").decode("ascii").strip()
    lines = b"".join(f"100644 {blob}\t{name}\0".encode() for name, blob in entries.items())
    variables = {"GIT_INDEX_FILE": str(index_file)}
    writer.run("update-index", "-z", "--index-info", stdin=lines, variables=variables)
    return writer.run("write-tree", variables=variables).decode("ascii").strip()
