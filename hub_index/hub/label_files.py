"""A hub's own labelled queries, read from the commit that is indexed: untrusted, and capped before they are read."""

from dataclasses import dataclass

from hub_index.errors import ConfigError
from hub_index.hub.config import HubConfig
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import Repository
from hub_index.hub.labels import LabelledQuery, parse_labelled
from hub_index.hub.snapshot import HubState
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.limits import MAX_LABELS_BYTES
from hub_index.models import TreeEntry


@dataclass(frozen=True, slots=True)
class HubLabels:
    """What a hub expects of its search; `notice` says why there is nothing where the hub seems to mean something."""

    queries: tuple[LabelledQuery, ...] = ()
    notice: str = ""


def read_labels(repo: Repository, state: HubState) -> HubLabels:
    """The labelled queries of a hub; none where it has no such files. Raises ConfigError and SourceError."""
    config = state.config
    names = (config.queries, config.qrels)
    entries = {entry.path: entry for entry in repo.list_tree(state.snapshot.revision, *names)}
    missing = [name for name in names if name not in entries]
    if missing:
        _check_not_chosen(config, missing[0])
        lonely = len(missing) == 1
        present = names[0] if missing[0] == names[1] else names[1]
        return HubLabels(notice=f"{present} is not used: the hub has no {missing[0]} beside it" if lonely else "")
    for name in names:
        _check_entry(name, entries[name])
    contents = dict(repo.read_blobs(entries[name].blob for name in names))
    queries, qrels = (_decode(name, contents[entries[name].blob]) for name in names)
    return HubLabels(parse_labelled(queries, qrels, names=names))


def _check_not_chosen(config: HubConfig, missing: str) -> None:
    """Raises ConfigError where the hub names its files itself: a gate that is asked for is never left out silently."""
    plain = HubConfig()
    if (config.queries, config.qrels) != (plain.queries, plain.qrels):
        raise ConfigError(f"{CONFIG_FILE}: the hub has no file {missing!r}: commit it, or change queries and qrels")


def _check_entry(name: str, entry: TreeEntry) -> None:
    if entry.mode not in REGULAR_MODES:
        raise ConfigError(f"{name} is a link or a submodule, which is never followed: commit the file itself")
    if entry.size > MAX_LABELS_BYTES:
        raise ConfigError(f"{name} has {entry.size} bytes, at most {MAX_LABELS_BYTES} are read: keep fewer queries")


def _decode(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name} is not UTF-8 (byte {error.start}): save it as UTF-8") from error
