"""The same skill in several hubs, word for word: one hit that names all places."""

from hashlib import sha256

from hub_index.base.safe_open import read_below
from hub_index.hub.skill.block_split import split_frontmatter
from hub_index.hub.skill.encoding import decode_content
from hub_index.hub.skill.problems import ProblemList
from hub_index.limits import MAX_SKILL_BYTES
from hub_index.search.results import Place
from hub_index.service.requests import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hub_index.search.results import Hit


def fold_same(
    hits: "Iterable[Hit]",
    folders: "Mapping[str, str]",
    k: int,
    deadline: Deadline,
    copies: frozenset[str] = frozenset(),
) -> "list[Hit]":
    """The first k hits that differ; a later one with the same text and body, of another hub, becomes a place.

    A hit of `copies` (agents' own folders) that comes first gives way to that of the hub. Raises AnswerStopped.
    """
    kept: list[Hit] = []
    alike: dict[tuple[object, ...], list[int]] = {}
    bodies = _Bodies(folders, deadline)
    for hit in hits:
        key = _words_of(hit)
        first = next((at for at in alike.get(key, ()) if bodies.are_same(kept[at], hit)), None)
        if first is not None:
            kept[first] = _fold(kept[first], hit, copies)
        elif len(kept) < k:
            alike.setdefault(key, []).append(len(kept))
            kept.append(hit)
    return kept


def _fold(kept: "Hit", hit: "Hit", copies: frozenset[str]) -> "Hit":
    kept = kept.replace(also_like=(*kept.also_like, *hit.also_like))
    if kept.hub in copies and hit.hub not in copies:
        place = Place(kept.hub, kept.id, kept.file)
        return kept.replace(hub=hit.hub, record=hit.record, file=hit.file, also_in=(place, *kept.also_in))
    return kept.replace(also_in=(*kept.also_in, Place(hit.hub, hit.id, hit.file)))


def is_same_skill(first: "Hit", second: "Hit", folders: "Mapping[str, str]") -> bool:
    """Whether two hits of different hubs are one skill, word for word."""
    return _words_of(first) == _words_of(second) and _Bodies(folders, Deadline()).are_same(first, second)


def _words_of(hit: "Hit") -> tuple[object, ...]:
    return (hit.name, hit.description, hit.keywords)


class _Bodies:
    """The digests of bodies, each read once: a hub may hold many skills that differ in their bodies alone."""

    def __init__(self, folders: "Mapping[str, str]", deadline: Deadline) -> None:
        self._folders = folders
        self._deadline = deadline
        self._digests: dict[tuple[str, str], str] = {}

    def are_same(self, kept: "Hit", hit: "Hit") -> bool:
        """True if two hits of different hubs have one body; two hits of one hub are two skills."""
        if hit.hub in (kept.hub, *[place.hub for place in kept.also_in]):
            return False
        body = self._digest(hit)
        return bool(body) and body == self._digest(kept)

    def _digest(self, hit: "Hit") -> str:
        key = (hit.hub, hit.file)
        if key not in self._digests:
            self._deadline.check()
            self._digests[key] = _body_digest(self._folders[hit.hub], hit.file)
        return self._digests[key]


def _body_digest(folder: str, file: str) -> str:
    """The digest of a skill's body; empty if it cannot be read."""
    if not folder:
        return ""
    try:
        content = read_below(folder, file, MAX_SKILL_BYTES)
    except OSError:
        return ""
    ignored = ProblemList("")
    body = split_frontmatter(decode_content(content, ignored).text, ignored).body
    return sha256(body.strip().encode("utf-8", "replace")).hexdigest()
