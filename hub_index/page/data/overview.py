"""The whole hub at a glance: counts, languages, problems by kind, the last changes; and the map of all skills.

The map's axes are the two directions in which the vectors differ most, kept from the previous page; neighbours on it
are alike in meaning. Clusters are found the same way every time and named by words that are common in them and rare
elsewhere.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from hub_index.page.content import SkillPage
from hub_index.page.data.data_file import encode_sections
from hub_index.search.words.stopwords import ENGLISH
from hub_index.search.words.tokens import split_words

_MAX_CLUSTERS = 24
_SKILLS_A_CLUSTER = 12  # about: a hub of 77 skills has 6
_ROUNDS = 20
_WORDS_A_NAME = 3
_RECENT = 20
_SHOWN_OF_A_KIND = 10  # skills with one kind of problem; `hub-index lint` lists them all
_LEVELS = ("error", "warning", "advice")
_FINEST = 65_535  # places on an axis

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HubMap:
    """A place for each skill, its cluster, and the clusters' names."""

    places: NDArray[np.uint32]  # two numbers a skill, 0 to 65,535
    clusters: NDArray[np.uint8]
    names: tuple[str, ...]
    axes: Floats


def summarize(skills: Sequence[SkillPage]) -> dict[str, object]:
    """The facts of a hub on the page's front, besides the map."""
    newest = sorted(skills, key=lambda page: (page.record.updated_at, page.record.id), reverse=True)[:_RECENT]
    return {
        "kinds": dict(sorted(Counter(page.kind for page in skills).items())),
        "languages": dict(sorted(Counter(page.record.lang or "?" for page in skills).items())),
        "problems": _problem_kinds(skills),
        "recent": [[page.record.id, page.record.name, page.record.updated_at] for page in newest],
    }


def _problem_kinds(skills: Sequence[SkillPage]) -> list[list[object]]:
    """Level, code and number of each kind, the worst and the most common first, and some of its skills with reasons."""
    by_kind: dict[tuple[str, str], list[list[str]]] = defaultdict(list)
    for page in sorted(skills, key=lambda page: page.record.id):
        for problem in page.problems:
            by_kind[problem.level, problem.code].append([page.record.id, page.record.name, problem.reason])
    worst_first = sorted(by_kind, key=lambda kind: (_LEVELS.index(kind[0]), -len(by_kind[kind]), kind[1]))
    return [[*kind, len(by_kind[kind]), by_kind[kind][:_SHOWN_OF_A_KIND]] for kind in worst_first]


def draw_map(skills: Sequence[SkillPage], vectors: Floats, kept_axes: Floats | None) -> HubMap:
    """The map of the skills, in their order."""
    axes = kept_axes if kept_axes is not None else _main_axes(vectors)
    clusters = _cluster(vectors, min(_MAX_CLUSTERS, max(1, len(skills) // _SKILLS_A_CLUSTER)))
    return HubMap(_spread(vectors @ axes), clusters, _name_clusters(skills, clusters), axes)


def encode_map(drawn: HubMap) -> bytes:
    """The map's file, before compression."""
    return encode_sections({"places": drawn.places.reshape(-1), "clusters": drawn.clusters})


def encode_axes(axes: Floats) -> bytes:
    """The axes, kept for the next page."""
    return encode_sections({"axes": axes})


def _main_axes(vectors: Floats) -> Floats:
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64) if len(vectors) else vectors
    _, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, ::-1][:, :2]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.ascontiguousarray(axes * signs, np.float32)


def _spread(places: Floats) -> NDArray[np.uint32]:
    """By rank on each axis, half and half with the place itself: no crowd in the middle, no lonely corner."""
    out = np.zeros(places.shape, np.uint32)
    for axis in range(places.shape[1]):
        values = places[:, axis]
        if len(values) < 2:
            continue
        ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable") / (len(values) - 1)
        low, high = float(values.min()), float(values.max())
        scaled = (values - low) / (high - low) if high > low else np.zeros_like(values)
        out[:, axis] = np.rint((ranks + scaled) / 2 * _FINEST).astype(np.uint32)
    return out


def _cluster(vectors: Floats, count: int) -> NDArray[np.uint8]:
    """k-means on cosines; each first centre is the row that is farthest from those before it."""
    if not len(vectors):
        return np.zeros(0, np.uint8)
    centres = [vectors[0]]
    nearest = vectors @ centres[0]
    for _ in range(count - 1):
        centres.append(vectors[int(nearest.argmin())])
        nearest = np.maximum(nearest, vectors @ centres[-1])
    means = np.stack(centres)
    cluster_of = np.zeros(len(vectors), np.int64)
    for _ in range(_ROUNDS):
        closest = (vectors @ means.T).argmax(axis=1)
        if (closest == cluster_of).all() and _:
            break
        cluster_of = closest
        sums = np.zeros_like(means, np.float64)
        np.add.at(sums, cluster_of, vectors)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        means = np.where(norms > 0, sums / np.maximum(norms, 1e-12), means).astype(np.float32)
    return cluster_of.astype(np.uint8)


def _name_clusters(skills: Sequence[SkillPage], clusters: NDArray[np.uint8]) -> tuple[str, ...]:
    """The most telling words of each cluster: of names and keywords, where these are too few, of descriptions."""
    given = _WordTable([_words(" ".join((page.record.name, *page.record.keywords))) for page in skills])
    described = _WordTable([_words(page.record.description) for page in skills])
    names = []
    for cluster in range(int(clusters.max()) + 1 if len(clusters) else 0):
        rows = np.flatnonzero(clusters == cluster).tolist()
        words = given.telling(rows) + described.telling(rows) or given.telling(rows, least=1)
        names.append(" · ".join(list(dict.fromkeys(words))[:_WORDS_A_NAME]))
    return tuple(names)


class _WordTable:
    """The words of each row, and the number of rows with each word."""

    def __init__(self, words: Sequence[set[str]]) -> None:
        self._words = words
        self._everywhere = Counter(word for row_words in words for word in row_words)

    def telling(self, rows: Sequence[int], least: int = 2) -> list[str]:
        """Words that at least `least` of the rows have, and few others, best first."""
        inside = Counter(word for row in rows for word in self._words[row])
        total = len(self._words)
        score = {word: n * log(total / self._everywhere[word] + 1) for word, n in inside.items() if n >= least}
        return sorted(score, key=lambda word: (-score[word], word))[:_WORDS_A_NAME]


def _words(text: str) -> set[str]:
    lower_words = {word.lower() for word in split_words(text)}
    return {word for word in lower_words if len(word) > 2 and word not in ENGLISH and not word.isdigit()}
