"""The same skill in several hubs, word for word: one hit that names all places."""

from hashlib import sha256

from hub_index.limits import MAX_SKILL_BYTES
from hub_index.regular_file import read_below
from hub_index.search.results import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hub_index.search.results import Hit


def fold_same(hits: "Iterable[Hit]", folders: "Mapping[str, str]", k: int) -> "list[Hit]":
    """The first k hits that differ; a later one with the same text and body, of another hub, becomes a place."""
    kept: list[Hit] = []
    alike: dict[tuple[object, ...], list[int]] = {}
    for hit in hits:
        key = _words_of(hit)
        first = next((at for at in alike.get(key, ()) if _is_same(kept[at], hit, folders)), None)
        if first is not None:
            place = Place(hit.hub, hit.id, hit.file)
            kept[first] = kept[first].replace(also_in=(*kept[first].also_in, place))
        elif len(kept) < k:
            alike.setdefault(key, []).append(len(kept))
            kept.append(hit)
    return kept


def is_same_skill(first: "Hit", second: "Hit", folders: "Mapping[str, str]") -> bool:
    """Whether two hits of different hubs are one skill, word for word."""
    return _words_of(first) == _words_of(second) and _is_same(first, second, folders)


def _words_of(hit: "Hit") -> tuple[object, ...]:
    return (hit.name, hit.description, hit.keywords)


def _is_same(kept: "Hit", hit: "Hit", folders: "Mapping[str, str]") -> bool:
    """Whether two hits of different hubs have one body; two of one hub are two skills, as its owner has it."""
    if hit.hub in (kept.hub, *[place.hub for place in kept.also_in]):
        return False
    body = _body_digest(folders[hit.hub], hit.file)
    return bool(body) and body == _body_digest(folders[kept.hub], kept.file)


def _body_digest(folder: str, file: str) -> str:
    """The digest of a skill's body; empty where it cannot be read."""
    from hub_index.hub.skill.block_split import split_frontmatter
    from hub_index.hub.skill.encoding import decode_content
    from hub_index.hub.skill.problems import ProblemList

    if not folder:
        return ""
    try:
        content = read_below(folder, file, MAX_SKILL_BYTES)
    except OSError:
        return ""
    ignored = ProblemList("")
    body = split_frontmatter(decode_content(content, ignored).text, ignored).body
    return sha256(body.strip().encode("utf-8", "replace")).hexdigest()
