"""The lexical leg: query terms → scored rows of a lexical index.

score(q, d) = Σ_t q_t · idf_t · Σ_f w_f · tf·2.2 / (tf + 1.2·(0.25 + 0.75·len_f/avg_f)): tantivy's own BM25 gives the
last factor, and a boost for each term and field replaces its idf by ours. Means over twelve slices of labelled
queries: flat BM25 50.5, BM25F 53.9, this sum 54.7, with the idf for CJK 55.8.
"""

from __future__ import annotations

from math import log

import tantivy

from hub_index.search.candidate import Candidate
from hub_index.search.lexical.build import CJK_MARKER, CJK_TOLD_MARKER, FOREIGN, MARKER, exact_keys
from hub_index.search.lexical.prepared import decode_record
from hub_index.search.words.general_words import GENERAL_SHARE, GENERAL_TOKENS
from hub_index.search.words.tokens import is_cjk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hub_index.record import Record
    from hub_index.search.lexical.guarded import GuardedSearcher
    from hub_index.search.lexical.searcher import ChangedSearcher
    from hub_index.search.lexical.shared_statistics import LexicalPool

FIELD_WEIGHTS = (("name", 1.0), ("description", 1.0), ("keywords", 0.5), ("body", 0.6))
FOREIGN_WEIGHT = 0.6 * 0.4  # a CJK term in the body of an otherwise English skill
_GENERAL_WEIGHTS = (*FIELD_WEIGHTS[:-1], ("body", 0.6 * GENERAL_SHARE))
_LEAST_TOLD = 5  # skills described in CJK for which an English query is translated
_LEAST_TOLD_SHARE = 0.01
# A word that at most so many skills hold, and that is at least so much of what the query's words can score. Without the
# second limit metatool loses 2 to 3 points (python -m benchmarks.rare_words).
LONE_HOLDERS, LONE_SHARE = 3, 0.5
LONE_LIFT = 1.15
_SATURATION = 2.2  # k1 + 1: what one field can give at most, in units of idf
_MAX_KNOWN_TERMS = 20_000  # about 20 MB in a process that answers many queries
_SCORE_DIGITS = 6  # tantivy adds float32 in any order: equal documents must stay equal


class WeightedTerms:
    """The query's terms as scoring clauses, and the most that their sum can reach in one field (`ub`)."""

    __slots__ = ("clauses", "upper_bound")

    def __init__(self, clauses: list[tantivy.Query], upper_bound: float) -> None:
        self.clauses = clauses
        self.upper_bound = upper_bound


class _Term:
    __slots__ = ("bound", "clauses", "known")

    def __init__(self, known: int, bound: float, clauses: list[tantivy.Query]) -> None:
        self.known = known
        self.bound = bound
        self.clauses = clauses


class LexicalIndex:
    """A lexical index that is open for reading."""

    _guard: GuardedSearcher | None = None  # of an index in the cache; what lies in memory is not damaged

    def __init__(
        self,
        index: tantivy.Index,
        changed: ChangedSearcher | None = None,
        guard: GuardedSearcher | None = None,
        pool: LexicalPool | None = None,
    ) -> None:
        """`changed` replaces the searcher of an index that was changed in place; in a `pool` several score as one.

        Raises CopyDamaged.
        """
        self._index, self.pool = index, pool
        self.schema = index.schema
        self._changed = changed
        self._guard = guard
        self.searcher = changed or guard or index.searcher()
        self.count = self.searcher.doc_freq("all", MARKER)
        self.cjk_count = self.searcher.doc_freq("all", CJK_MARKER)
        whole = pool or self
        self.idf_count, self.idf_cjk_count = whole.count, whole.cjk_count
        self._terms: dict[str, _Term] = {}

    @property
    def is_changed(self) -> bool:
        """Whether the index was changed in place: its scores may be off by up to a hundredth."""
        return self._changed is not None

    @property
    def is_damaged(self) -> bool:
        """Whether its files were found damaged, so that it must be opened anew."""
        return self._guard is not None and self._guard.is_damaged

    def among(self, pool: LexicalPool) -> LexicalIndex:
        """The same index as it scores among the others of a pool."""
        return LexicalIndex(self._index, self._changed, self._guard, pool)

    def document_frequency(self, token: str) -> int:
        """The number of documents with the token in any field; in a pool, of all its members."""
        return self.searcher.doc_freq("all", token) if self.pool is None else self.pool.document_frequency(token)

    def is_in_short_field(self, token: str) -> bool:
        """Whether a name or a description holds the token."""
        if self.pool is not None:
            return any(member.is_in_short_field(token) for member in self.pool.members)
        return self.searcher.doc_freq("name", token) > 0 or self.searcher.doc_freq("description", token) > 0

    @property
    def told_count(self) -> int:
        """The number of documents that are described in CJK; in a pool, of all its members."""
        if self.pool is not None:
            return sum([member.told_count for member in self.pool.members])
        return self.searcher.doc_freq("all", CJK_TOLD_MARKER) if self.cjk_count else 0

    @property
    def is_told_in_cjk(self) -> bool:
        """Whether enough documents are described in CJK for an English query to ask for Chinese words."""
        return are_enough_told(self.told_count, self.idf_count)

    def weigh_terms(self, counts: Mapping[str, float], beside: float = 0.0) -> WeightedTerms:
        """Scoring clauses for the terms, each with how often the query says it.

        `beside` is the most that other clauses of the query can reach in one field.
        """
        weights = {token: weight_of(times) for token, times in counts.items()}
        bounds = {token: weight * self._term(token).bound for token, weight in weights.items()}
        bound = sum(bounds.values()) + beside
        clauses: list[tantivy.Query] = []
        for token, weight in weights.items():
            term_clauses = self.clauses_of(token, weight)
            if 0 < self._term(token).known <= LONE_HOLDERS and bounds[token] >= LONE_SHARE * bound:
                term_clauses = [self._lift(token, term_clauses, bounds[token])]
            clauses += term_clauses
        return WeightedTerms(clauses, bound)

    def clauses_of(self, token: str, weight: float) -> Sequence[tantivy.Query]:
        """The token's clauses in all fields."""
        term = self._term(token)
        return term.clauses if weight == 1.0 else self.term_clauses(token, weight, term.known, _fields_of(token))

    def _lift(self, token: str, clauses: Sequence[tantivy.Query], bound: float) -> tantivy.Query:
        """A skill that holds the one rare word of a query has all that the word can score, wherever the word stands.

        Otherwise skills that hold no word of the query, but mean something near it, would stand before that skill.
        """
        held = tantivy.Query.const_score_query(tantivy.Query.term_query(self.schema, "all", token, "basic"), 1.0)
        scored = tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in clauses])
        return tantivy.Query.disjunction_max_query([tantivy.Query.boost_query(held, LONE_LIFT * bound), scored])

    def bound_of(self, known: int) -> float:
        """The highest score in one field of a token that `known` documents hold."""
        return _SATURATION * idf(self.idf_count, known)

    def idf_of(self, token: str) -> float:
        """The rarity of a token in the hub; 0 if no document holds it."""
        count = self.document_frequency(token)
        return idf(self.idf_count, count) if count else 0.0

    @property
    def unknown_idf(self) -> float:
        """The idf of a word that no document holds."""
        return idf(self.idf_count, 0)

    def _term(self, token: str) -> _Term:
        """The index's facts on a token, computed once: the same words come again and again."""
        term = self._terms.get(token)
        if term is None:
            count = self.document_frequency(token)
            clauses = self.term_clauses(token, 1.0, count, _fields_of(token)) if count else []
            term = _Term(count, self.bound_of(count), clauses)
            if len(self._terms) >= _MAX_KNOWN_TERMS:
                self._terms.clear()
            self._terms[token] = term
        return term

    def term_clauses(
        self, token: str, weight: float, known: int, fields: Sequence[tuple[str, float]] = FIELD_WEIGHTS
    ) -> list[tantivy.Query]:
        """One boosted clause for each field that knows the token."""
        if not known:
            return []
        cjk = is_cjk(token[0])
        # a few Chinese words in English bodies would look rare, and win every Chinese query (nDCG .60 → .24)
        base = weight * idf(max(self.idf_cjk_count, known) if cjk else self.idf_count, known)
        clauses = [self._boosted(field, token, share * base) for field, share in fields]
        if cjk and any(field == "body" for field, _ in fields):
            clauses.append(self._boosted("body", FOREIGN + token, FOREIGN_WEIGHT * base))
        return [clause for clause in clauses if clause is not None]

    def _boosted(self, field: str, token: str, weight: float) -> tantivy.Query | None:
        count = self.searcher.doc_freq(field, token)
        if not count:
            return None
        term = tantivy.Query.term_query(self.schema, field, token, "freq")
        if self._changed is not None:  # tantivy's own idf is of what it counts
            return tantivy.Query.boost_query(term, weight / idf(*self._changed.raw_counts(field, token)))
        return tantivy.Query.boost_query(term, weight / idf(self.count, count))

    def search(self, query: tantivy.Query, limit: int) -> list[Candidate]:
        """The best rows, by score and then by id."""
        hits = self.searcher.search(query, limit=max(1, limit), count=False).hits
        rows = self.searcher.fast_field_values("row", [address for _, address in hits])
        candidates = [
            Candidate(int(row or 0), round(score, _SCORE_DIGITS), address)
            for (score, address), row in zip(hits, rows, strict=True)
        ]
        candidates.sort(key=_by_score)
        return candidates

    def score_rows(self, query: tantivy.Query | None, rows: Sequence[int]) -> list[Candidate]:
        """The given documents, of any rank, with their score; 0 for those without a term."""
        numbers = list(rows) if self._changed is None else self._changed.numbers_of(rows)
        among = tantivy.Query.const_score_query(tantivy.Query.term_set_query(self.schema, "row", numbers), 0.0)
        if query is not None:
            among = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Should, query)])
        return self.search(among, len(rows)) if rows else []

    def find_named(self, tokens: Iterable[str], among: Sequence[int]) -> set[int]:
        """Rows whose name has two tokens or more, all of them among the given ones."""
        terms = [
            tantivy.Query.const_score_query(tantivy.Query.term_query(self.schema, "name", token, "basic"), 1.0)
            for token in tokens
            if self.searcher.doc_freq("name", token)
        ]
        if not terms or not among:
            return set()
        either = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        counted = [hit for hit in self.score_rows(either, among) if hit.lexical > 1]
        sizes = self.searcher.fast_field_values("name_size", [hit.address for hit in counted])
        return {hit.row for hit, size in zip(counted, sizes, strict=True) if round(hit.lexical) == size}

    def list_rows(self, restriction: tantivy.Query) -> list[int]:
        """All rows that a restriction allows."""
        return [hit.row for hit in self.search(restriction, max(1, self.count))]

    def find_exact(self, text: str, *, with_signs: bool = False) -> list[Candidate]:
        """Documents whose id or name is the text, in any case, with or without hyphens unless these count."""
        keys = [key for key in exact_keys(text, with_signs=with_signs) if self.searcher.doc_freq("key", key)]
        if not keys:
            return []
        terms = [tantivy.Query.term_query(self.schema, "key", key, "basic") for key in keys]
        either = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        return self.search(tantivy.Query.const_score_query(either, 1.0), 20)

    def list_records(self) -> list[Record]:
        """All records, by id."""
        every = tantivy.Query.term_query(self.schema, "all", MARKER, "basic")
        hits = self.search(tantivy.Query.const_score_query(every, 0.0), max(1, self.count))
        return sorted([self.read_record(hit.address) for hit in hits], key=lambda record: record.id)

    def read_record(self, address: tantivy.DocAddress) -> Record:
        """The record of a document that this index has found."""
        return decode_record(bytes(self.searcher.doc(address).get_first("record") or b""))


def _fields_of(token: str) -> Sequence[tuple[str, float]]:
    """The weights of a written word in each field; a gloss of another word has equal weights in all."""
    return _GENERAL_WEIGHTS if token in GENERAL_TOKENS else FIELD_WEIGHTS


def lighten(times: float, share: float) -> float:
    """The count in the query that gives a term that share of its weight."""
    weight = share * weight_of(times)
    return 0.5 * weight / (1.5 - weight)


def weight_of(times: float) -> float:
    """The weight of a term that occurs `times` in the query."""
    return 1.0 if times == 1 else 1.5 * times / (times + 0.5)


def are_enough_told(told: int, count: int) -> bool:
    """True if `told` of `count` skills, described in CJK, are worth a translation of English queries."""
    return told >= max(_LEAST_TOLD, _LEAST_TOLD_SHARE * count)


def _by_score(hit: Candidate) -> tuple[float, int]:
    return -hit.lexical, hit.row


def idf(count: int, known: int) -> float:
    """The rarity of a word in `known` of `count` documents."""
    return log(1.0 + (count - known + 0.5) / (known + 0.5))
