"""Near copies fold into the best of them: one hit stands for all, and names the others.

A near copy is near by its vector, where there are vectors, and says nearly the same in nearly the same order. Tools of
one template (`bitwarden-automation`, `slack-automation`) are as alike as copies are, but each name has a word that the
other skill lacks. Read on six sets: docs/measured/near-copies.md.
"""

from itertools import pairwise

from hub_index.limits import SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS
from hub_index.search.lexical.build import exact_keys
from hub_index.search.ranking import Ranking
from hub_index.search.ranking.steps.diverse import overlap
from hub_index.search.results import Place
from hub_index.search.words.stopwords import ENGLISH
from hub_index.search.words.tokens import has_cjk, split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hub_index.record import Record
    from hub_index.search.candidate import Candidate
    from hub_index.search.results import Hit
    from hub_index.search.semantic.semantic import VectorScan

    MayFold = Callable[[int, int], bool]

NEAR = 0.85  # the least cosine of two copies
_TIMES, _SPARE = 2, 5  # candidates that are looked at for each hit; hits beyond those asked for: some may be gone
_MOST = 400  # candidates that are looked at: a longer answer is for programs
# The least overlap of the tokens and of the neighbouring words. Where the names are the same it may be less: versions
# of one skill.
_LEAST_ROUGH = 0.4
_SAME_TOKENS, _SAME_PAIRS = 0.7, 0.5
_OTHER_TOKENS, _OTHER_PAIRS = 0.9, 0.8


def fold_copies(ranking: Ranking) -> Ranking:
    """The candidates without near copies of a better one, which holds them in `copies`. What is exact stays."""
    candidates, k, scan = ranking.candidates, ranking.options.k, ranking.facts.scan
    most = min(_MOST, len(candidates))
    if scan is None:  # a record is read for each candidate: no more of them than are shown
        return ranking.replace(candidates=_fold_first(ranking, most, k))
    size = min(_TIMES * k, most)
    kept = _fold_near(ranking, scan, size)
    while size < most and len(kept) < k + _SPARE + len(candidates) - size:
        size = min(2 * size, most)
        kept = _fold_near(ranking, scan, size)
    return ranking.replace(candidates=kept)


def fold_hits(hits: "Sequence[Hit]") -> "list[Hit]":
    """Hits of several hubs or of a filtered answer, by their words alone: the vectors are with their hubs."""
    first = hits[:_MOST]

    def may_fold(best: int, at: int) -> bool:
        copy, better = first[at].reasons, first[best].reasons
        return not copy.is_exact and copy.bonus <= better.bonus

    into = _find_best(len(first), _Wordings(lambda at: first[at].record), may_fold, len(first))
    copies = [list(hit.also_like) for hit in first]
    for at, best in enumerate(into):
        if best != at:
            hit = first[at]
            copies[best] += [Place(hit.hub, hit.id, hit.file), *hit.also_in, *hit.also_like]
    kept = [hit.replace(also_like=tuple(copies[at])) for at, hit in enumerate(first) if into[at] == at]
    return [*kept, *hits[_MOST:]]


def are_near_copies(first: "Record", second: "Record") -> bool:
    """Whether two records are near copies by their words alone."""
    return _Wordings((first, second).__getitem__).are_alike(0, 1)


def _fold_near(ranking: Ranking, scan: "VectorScan", size: int) -> "list[Candidate]":
    """The candidates without the copies among the first ones, which are near by their vectors as well."""
    candidates, facts = ranking.candidates, ranking.facts
    near = scan.find_near_pairs([candidate.row for candidate in candidates[:size]], NEAR)
    if not near:
        return candidates
    named = frozenset(exact_keys(ranking.text))  # a search by meaning alone has marked nothing as exact

    def is_near(best: int, at: int) -> bool:
        if (best, at) not in near:
            return False
        record = facts.read_record(candidates[at])
        return named.isdisjoint((*exact_keys(record.id), *exact_keys(record.name)))

    return _fold_first(ranking, size, size, is_near)


def _fold_first(
    ranking: Ranking, size: int, enough: int, is_near: "MayFold" = lambda _best, _at: True
) -> "list[Candidate]":
    """The candidates without the copies among the first ones, until there are enough that are none."""
    candidates, facts = ranking.candidates, ranking.facts

    def read(at: int) -> "Record":
        candidates[at].record = record = candidates[at].record or facts.read_record(candidates[at])
        return record

    def may_fold(best: int, at: int) -> bool:
        return is_near(best, at) and not _is_named(candidates[at], candidates[best])

    into = _find_best(size, _Wordings(read), may_fold, enough)
    for candidate in candidates[:size]:
        candidate.copies = ()
    for at, best in enumerate(into):
        if best != at:
            candidates[best].copies += (candidates[at],)
    return [candidates[at] for at, best in enumerate(into) if best == at] + candidates[len(into) :]


def _is_named(copy: "Candidate", best: "Candidate") -> bool:
    """Whether the query names the copy: exactly, or its name within a sentence and not the name of the best."""
    return copy.is_exact or copy.bonus > best.bonus


def _find_best(count: int, wordings: "_Wordings", may_fold: "MayFold", enough: int) -> list[int]:
    """For each of so many places the first place that it is a copy of, or itself; ends where enough are no copies."""
    into: list[int] = []
    kept: list[int] = []
    for at in range(count):
        if len(kept) == enough:
            break
        best = next((best for best in kept if may_fold(best, at) and wordings.are_alike(best, at)), at)
        into.append(best)
        if best == at:
            kept.append(at)
    return into


class _Wordings:
    """The words of the records at hand, each read when it is first compared."""

    def __init__(self, read_record: "Callable[[int], Record]") -> None:
        self._read = read_record
        self._records: dict[int, Record] = {}
        self._roughs: dict[int, frozenset[str]] = {}
        self._wordings: dict[int, _Wording] = {}

    def are_alike(self, first: int, second: int) -> bool:
        """Whether two records are near copies by their words."""
        rough, other = self._rough(first), self._rough(second)
        if len(rough & other) < _LEAST_ROUGH * max(len(rough), len(other)):
            return False
        return self._wording(first).is_like(self._wording(second))

    def _rough(self, at: int) -> frozenset[str]:
        """The description's words as spaces part them, in CJK its characters: a look that takes no time."""
        if at not in self._roughs:
            description = self._record(at).description[:SPEC_DESCRIPTION_CHARS]
            self._roughs[at] = frozenset(description if has_cjk(description) else description.split())
        return self._roughs[at]

    def _record(self, at: int) -> "Record":
        if at not in self._records:
            self._records[at] = self._read(at)
        return self._records[at]

    def _wording(self, at: int) -> "_Wording":
        if at not in self._wordings:
            self._wordings[at] = _Wording(self._record(at))
        return self._wordings[at]


class _Wording:
    """The words of one record: as tokens, and as they are written, where `check in` differs from `check out`."""

    __slots__ = ("name", "pairs", "tokens", "words")

    def __init__(self, record: "Record") -> None:
        name, description = record.name[:SPEC_NAME_CHARS], record.description[:SPEC_DESCRIPTION_CHARS]
        named, written = _list_words(name), _list_words(description)
        self.tokens = frozenset(tokenize(f"{name} {description}"))
        self.name = ENGLISH.intersection(named).union(tokenize(name))
        self.words = ENGLISH.intersection(named + written).union(self.tokens)
        self.pairs = frozenset(pairwise(written))

    def is_like(self, other: "_Wording") -> bool:
        """Whether both say nearly the same, and not both names have a word that the other record lacks."""
        is_same_name = self.name == other.name
        tokens, pairs = (_SAME_TOKENS, _SAME_PAIRS) if is_same_name else (_OTHER_TOKENS, _OTHER_PAIRS)
        if overlap(self.tokens, other.tokens) < tokens or not self.pairs:
            return False
        return overlap(self.pairs, other.pairs) >= pairs and (self.name <= other.words or other.name <= self.words)


def _list_words(text: str) -> list[str]:
    """The words as they are written, in lower case; of a text in CJK its characters."""
    words = [word.lower() for word in split_words(text)]
    if text.isascii():
        return words
    return [part for word in words for part in (word if has_cjk(word) else (word,))]
