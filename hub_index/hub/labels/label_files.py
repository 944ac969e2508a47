"""A hub's own labelled queries, read from the commit that is indexed: untrusted, and capped before they are read."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hub_index.errors import ConfigError
from hub_index.hub.config import HubConfig, chosen_labels
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import Repository
from hub_index.hub.history import find_removals
from hub_index.hub.labels.labels import LabelledQuery, LabelsWrong, parse_labelled
from hub_index.hub.snapshot import HubState, read_config
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.limits import MAX_LABELS_BYTES
from hub_index.models import Problem, TreeEntry

_COMMIT_IT = "commit it, or change queries and qrels"


@dataclass(frozen=True, slots=True)
class HubLabels:
    """The labelled queries of a hub; `notice` says why they are missing if the hub seems to want them."""

    queries: tuple[LabelledQuery, ...] = ()
    notice: str = ""


def read_labels(repo: Repository, state: HubState, since: str = "") -> HubLabels:
    """The labelled queries of a hub; empty without these files. Raises ConfigError and SourceError.

    `since` is the commit of the previous index. Labels that were removed after it still count: otherwise one commit
    could remove both a skill and the queries that ask for it.
    """
    config = state.config
    labels = find_labels(repo, config, repo.list_tree(state.snapshot.revision, config.queries, config.qrels))
    if labels.queries or not repo.is_ancestor(since, state.snapshot.revision):
        return labels
    return _read_removed(repo, state, since) or labels


def find_labels(repo: Repository, config: HubConfig, listed: Iterable[TreeEntry]) -> HubLabels:
    """The labelled queries among a tree's entries; empty without these files. Raises ConfigError and SourceError."""
    names = (config.queries, config.qrels)
    entries = {entry.path: entry for entry in listed if entry.path in names}
    missing = [name for name in names if name not in entries]
    if missing:
        if chosen_labels(config):  # a gate that is asked for is never left out silently
            raise LabelsWrong(f"{CONFIG_FILE}: {_no_file(missing[0])}: {_COMMIT_IT}", CONFIG_FILE)
        lonely = len(missing) == 1
        present = names[0] if missing[0] == names[1] else names[1]
        return HubLabels(notice=f"{present} is not used: the hub has no {missing[0]} beside it" if lonely else "")
    for name in names:
        _check_entry(name, entries[name])
    contents = dict(repo.read_blobs(entries[name].blob for name in names))
    queries, qrels = (_decode(name, contents[entries[name].blob]) for name in names)
    return HubLabels(parse_labelled(queries, qrels, names=names))


def _read_removed(repo: Repository, state: HubState, since: str) -> HubLabels | None:
    """The labels that the hub had when its previous index was made, or got after it; None if it had none."""
    revision = state.snapshot.revision
    try:
        before = read_config(repo, repo.list_tree(since, CONFIG_FILE))
    except ConfigError:
        before = state.config
    names = (before.queries, before.qrels)
    removals = find_removals(repo, revision, since, names)
    if not removals:
        return None
    removal = f"{' and '.join(sorted(removals))} went away after the previous index was made"
    texts = [
        repo.read_file(f"{removals[name]}^" if name in removals else revision, name, MAX_LABELS_BYTES) for name in names
    ]
    try:
        queries, qrels = (_decode(name, text or b"") for name, text in zip(names, texts, strict=True))
        labels = HubLabels(parse_labelled(queries, qrels, names=names))
    except ConfigError:
        return HubLabels(notice=f"{removal}: no labelled query is asked")
    return replace(labels, notice=f"{removal}: the labelled queries are asked as they were")


def find_missing(repo: Repository, state: HubState) -> list[Problem]:
    """A problem for each file of labelled queries that the hub's settings name and that it does not have."""
    chosen = chosen_labels(state.config)
    present = {entry.path for entry in repo.list_tree(state.snapshot.revision, *chosen)} if chosen else set[str]()
    missing = [name for name in chosen if name not in present]
    return [Problem("advice", CONFIG_FILE, 0, "labels-missing", _no_file(name), _COMMIT_IT) for name in missing]


def missing_notice(repo: Repository, state: HubState) -> str:
    """The first missing label file in one sentence; empty if none is missing."""
    return next((f"{missing.path}: {missing.reason}: {missing.fix}" for missing in find_missing(repo, state)), "")


def _no_file(name: str) -> str:
    return f"the hub has no file {name!r}"


def _check_entry(name: str, entry: TreeEntry) -> None:
    if entry.mode not in REGULAR_MODES:
        raise LabelsWrong(f"{name} is a link or a submodule, which is never followed: commit the file itself", name)
    if entry.size > MAX_LABELS_BYTES:
        most = f"at most {MAX_LABELS_BYTES} are read: keep fewer queries"
        raise LabelsWrong(f"{name} has {entry.size} bytes, {most}", name)


def _decode(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabelsWrong(f"{name} is not UTF-8 (byte {error.start}): save it as UTF-8", name) from error
