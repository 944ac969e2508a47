"""A revision → the hub's settings, files and problems; and the files' bytes, one at a time.

Everything comes from commit objects: uncommitted edits do not exist here (F21). Sizes are known before a blob
is asked for, so no oversized one is ever read (F01).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hub_index.errors import ConfigError, SourceError
from hub_index.hub.config import HubConfig, parse_config
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.process import GitOutcome
from hub_index.hub.git.repository import Repository, decode_name
from hub_index.hub.known_trees import NOTHING_KNOWN, KnownTrees
from hub_index.hub.tree.hub_folder import check_is_hub
from hub_index.hub.tree.layout import LINK, REGULAR_MODES, layout_of, settle_roots
from hub_index.hub.tree.links import report_links
from hub_index.hub.tree.listing import lines_digest, select_files, source_digest
from hub_index.limits import MAX_HUB_CONFIG_BYTES, MAX_LINK_BYTES, MAX_SKILL_BYTES
from hub_index.models import Problem, SkillFile, Snapshot, TreeEntry

if TYPE_CHECKING:  # a build that knows the tree lists nothing, and saves 4 ms
    from hub_index.hub.tree.listing import Listing


@dataclass(frozen=True, slots=True)
class HubState:
    """A hub at one revision, with its own settings (`config.roots` is settled: never None)."""

    snapshot: Snapshot
    config: HubConfig


def read_hub(
    repo: Repository, rev: str = "HEAD", known: KnownTrees = NOTHING_KNOWN, *, tree: str | None = None
) -> HubState:
    """The state of a hub at a revision; `tree` is the hub's folder there, if the caller knows it already.

    Raises SourceError and ConfigError.
    """
    if repo.prefix:
        check_is_hub(repo.hub)
    revision, tree = repo.resolve_tree(rev) if tree is None else (rev, tree)
    place = (repo, revision, tree, known)
    return _remembered_state(*place) or _changed_state(*place) or _listed_state(*place)


def _remembered_state(repo: Repository, revision: str, tree: str, known: KnownTrees) -> HubState | None:
    """The state of a tree that was read before; its files are listed when the first of them is looked at."""

    def list_files() -> Sequence[SkillFile]:
        listing = known.listings.find(str(repo.hub))
        if listing is not None and listing.tree == tree:
            return listing.files
        return read_tree(repo, revision, repo.list_tree(revision)).snapshot.files

    found = known.find(tree, revision, shallow=repo.shallow, read=list_files)
    return HubState(*found) if found is not None else None


def _changed_state(repo: Repository, revision: str, tree: str, known: KnownTrees) -> HubState | None:
    """The state of a tree that differs from the last listed one only in the bytes of some files; else None."""
    listing = known.listings.find(str(repo.hub))
    if listing is None:
        return None
    before = known.find(listing.tree, revision, shallow=repo.shallow, read=lambda: listing.files)
    changes = repo.compare_trees(listing.tree, tree)
    if before is None or isinstance(changes, GitOutcome) or (names := listing.names_to_ask(changes)) is None:
        return None
    files = listing.files.with_entries(repo.list_tree(revision, *names) if names else ())
    snapshot = replace(before[0], files=files, source_digest=lines_digest(files.lines))
    known.remember_changed(listing.tree, tree, snapshot, before[1], str(repo.hub))
    return HubState(snapshot, before[1])


def _listed_state(repo: Repository, revision: str, tree: str, known: KnownTrees) -> HubState:
    """The state of a tree of which every entry is listed."""
    entries = repo.list_tree(revision)
    state = read_tree(repo, revision, entries)
    known.remember(tree, state.snapshot, state.config, entries, str(repo.hub))
    return state


def read_tree(
    repo: Repository, revision: str, entries: Sequence[TreeEntry], config: HubConfig | None = None
) -> HubState:
    """The state that these entries make; `config` replaces their settings. Raises SourceError and ConfigError."""
    config = config or read_config(repo, entries)
    listing = select_files(entries, config)  # with the hub's own roots: it matters whether anybody chose them
    digest = source_digest(listing.files)
    config = settle_roots(config, entries)
    problems = [*listing.problems, *_link_problems(repo, entries, listing, config)]
    problems.sort(key=lambda problem: (problem.path, problem.code))
    snapshot = Snapshot(revision, listing.files, tuple(problems), digest, repo.shallow, listing.outside)
    return HubState(snapshot, config)


def read_config(repo: Repository, entries: Iterable[TreeEntry]) -> HubConfig:
    """The settings in the tree. Raises ConfigError."""
    entry = next((entry for entry in entries if entry.path == CONFIG_FILE), None)
    if entry is None:
        return HubConfig()
    if entry.mode not in REGULAR_MODES:
        raise ConfigError(f"{CONFIG_FILE} is a link or a submodule, which is never followed: commit the file itself")
    if entry.size > MAX_HUB_CONFIG_BYTES:
        raise ConfigError(f"{CONFIG_FILE} has {entry.size} bytes, at most {MAX_HUB_CONFIG_BYTES} are read: shorten it")
    return parse_config(next(content for _, content in repo.read_blobs([entry.blob])))


def _link_problems(
    repo: Repository, entries: Sequence[TreeEntry], listing: "Listing", config: HubConfig
) -> list[Problem]:
    """The problems of the hub's links. Reads their targets' names, never the targets."""
    if not listing.links:
        return []

    blobs = {entry.blob for entry in entries if entry.mode == LINK and entry.size <= MAX_LINK_BYTES}
    targets = {blob: decode_name(content) for blob, content in repo.read_blobs(sorted(blobs))}
    return report_links(listing.links, targets, entries, listing.files, layout_of(config))


def read_contents(repo: Repository, files: Iterable[SkillFile]) -> Iterator[tuple[SkillFile, bytes | Problem]]:
    """Each file with its bytes, or with a Problem if it is too large to be read. Raises SourceError."""
    wanted = list(files)
    contents = _contents(repo, [file for file in wanted if file.size <= MAX_SKILL_BYTES])
    for file in wanted:
        yield file, next(contents) if file.size <= MAX_SKILL_BYTES else _too_large(file)


def _contents(repo: Repository, files: Sequence[SkillFile]) -> Iterator[bytes]:
    answers = repo.read_blobs(file.blob for file in files)
    for file in files:
        try:
            _, content = next(answers)
        except SourceError as error:
            raise SourceError(f"{file.file}: {error}") from error
        yield content


def _too_large(file: SkillFile) -> Problem:
    reason = f"not indexed: {file.size} bytes, and at most {MAX_SKILL_BYTES} are read"
    fix = "move reference material into separate files beside SKILL.md"
    return Problem("error", file.file, 0, "too-large", reason, fix)
