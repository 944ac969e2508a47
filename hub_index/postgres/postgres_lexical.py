"""The lexical leg of a hub in the database: a small tantivy index of the candidates, with the whole hub's statistics.

So one formula, one query syntax and one translation serve files and databases alike. BM25 takes the mean lengths of
fields from its index; documents without words (`padding`) correct them.
"""

from __future__ import annotations

import tantivy

from hub_index.postgres.table_content import LENGTH_FIELDS
from hub_index.postgres.word_counts import COUNTED
from hub_index.search.candidate import Candidate
from hub_index.search.lexical.build import (
    CJK_MARKER,
    CJK_TOLD_MARKER,
    FOREIGN,
    MARKER,
    REFRAIN,
    exact_keys,
    feed_document,
    is_foreign,
    is_told_in_cjk,
    make_schema,
    parse_day,
    without_refrain,
)
from hub_index.search.lexical.lexical import FIELD_WEIGHTS, LONE_LIFT, LexicalIndex, idf
from hub_index.search.lexical.prepared import PreparedDocument, decode_record, token_count
from hub_index.search.words.tokens import is_cjk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from hub_index.postgres.hub_view import HubView, StoredSkill
    from hub_index.record import Record
    from hub_index.search.lexical.shared_statistics import LexicalPool

    Weighted = list[tuple[str, str, float]]  # field, token, weight

_WRITER_HEAP_BYTES = 15_000_000  # tantivy's least
_LEAST_PADDING = 500  # a missing part of a token, spread over all these documents, is nothing
_MAX_PADDING = 5_000

_EMPTY: list[tantivy.Index] = []
_SHORT = ("name", "description", "keywords")


class SmallIndex:
    """The candidates of one query as a tantivy index, in the order of their ids."""

    def __init__(self, skills: Sequence[StoredSkill], wanted: Set[str] | None, view: HubView) -> None:
        """Only the wanted tokens are kept; None keeps all, for a query with phrases, fields or filters."""
        self.index = tantivy.Index(make_schema())
        self.total = 0  # documents, the padding included
        if not skills:
            return
        writer = self.index.writer(_WRITER_HEAP_BYTES, 1)
        lengths = [0] * len(LENGTH_FIELDS)
        for row, skill in enumerate(skills):
            document = PreparedDocument(skill.record, skill.tokens)
            sizes = [token_count(getattr(document, field)) for field in LENGTH_FIELDS]
            lengths = [total + size for total, size in zip(lengths, sizes, strict=True)]
            fed = feed_document(row, document) if wanted is None else feed_wanted(row, document, wanted)
            writer.add_document(fed)
        facts = view.facts
        means = [length / max(1, facts.skills) for length in facts.lengths]
        needed = [total / mean - len(skills) for total, mean in zip(lengths, means, strict=True) if mean > 0]
        padding = max(_LEAST_PADDING, *[round(count + 0.5) for count in needed])
        self.total = len(skills) + max(0, min(_MAX_PADDING, facts.skills - len(skills), padding))
        for number in range(self.total - len(skills)):
            filler = tantivy.Document()
            if number == 0:  # what is missing to the mean, all in one document
                for field, mean, length in zip(LENGTH_FIELDS, means, lengths, strict=True):
                    missing = round(mean * self.total - length)
                    if missing > 0:
                        filler.add_text(field, " ".join([REFRAIN] * missing))
            writer.add_document(filler)
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()


class StoreSearcher:
    """tantivy's searcher over the candidates, with the whole hub's counts of words."""

    def __init__(self, searcher: tantivy.Searcher, view: HubView) -> None:
        self._searcher = searcher
        self._view = view
        self.search = searcher.search
        self.doc = searcher.doc
        self.fast_field_values = searcher.fast_field_values

    def doc_freq(self, field: str, term: str) -> int:
        """The number of skills with the term; of candidates for keys, keywords and bodies."""
        return self._view.count(field, term) if field in COUNTED else self._searcher.doc_freq(field, term)

    def terms_with_prefix(self, field: str, prefix: str, limit: int = 10) -> list[tuple[str, int]]:
        """Terms of the whole hub, each with how many skills hold it."""
        return self._view.words_with_prefix(field, prefix, limit)


class StoreLexical(LexicalIndex):
    """The candidates, scored as among all skills of the hub, or of all hubs of a pool."""

    def __init__(self, view: HubView, small: SmallIndex | None = None, pool: LexicalPool | None = None) -> None:
        """Without candidates it knows the hub's words alone, and notes the words that a query weighs, in `weighed`."""
        self.view = view
        self.pool = pool
        self.small = small
        self.weighed: Weighted = []
        self.exact: list[int] = []  # numbers of skills that the query names
        index = small.index if small is not None else _nothing()
        self.schema = index.schema
        self._changed = None
        self._own = index.searcher()
        self.searcher = StoreSearcher(self._own, view)  # type: ignore[assignment] # all that the leg uses of one
        self.count, self.cjk_count = view.count("all", MARKER), view.count("all", CJK_MARKER)
        self.idf_count = pool.count if pool is not None else self.count
        self.idf_cjk_count = pool.cjk_count if pool is not None else self.cjk_count
        self._terms = {}

    def among(self, pool: LexicalPool) -> StoreLexical:
        """The same as it scores among the others of a pool."""
        return StoreLexical(self.view, self.small, pool)

    def find_exact(self, text: str, *, with_signs: bool = False) -> list[Candidate]:
        """Skills whose id or name is the text; without candidates only whether there are any."""
        if self.small is not None:
            return super().find_exact(text, with_signs=with_signs)

        self.exact = self.view.find_keys(exact_keys(text, with_signs=with_signs))
        return [Candidate(number, 0.0, tantivy.DocAddress(0, 0)) for number in self.exact]

    def list_records(self) -> list[Record]:
        """All records of the hub, by id."""
        return [decode_record(record) for record in self.view.list_records()]

    def _lift(self, token: str, clauses: Sequence[tantivy.Query], bound: float) -> tantivy.Query:
        """As from files; without candidates the note makes the few skills with the word candidates."""
        if self.small is None:
            self.weighed += [(field, token, LONE_LIFT * bound) for field, _ in FIELD_WEIGHTS]
        return super()._lift(token, clauses, bound)

    def _boosted(self, field: str, token: str, weight: float) -> tantivy.Query | None:
        if self.small is None:
            self.weighed.append((field, token, weight))
            return None
        count = self._own.doc_freq(field, token)
        if not count:
            return None
        term = tantivy.Query.term_query(self.schema, field, token, "freq")
        return tantivy.Query.boost_query(term, weight / idf(self.small.total, count))


def _nothing() -> tantivy.Index:
    if not _EMPTY:
        _EMPTY.append(tantivy.Index(make_schema()))
    return _EMPTY[0]


def feed_wanted(row: int, prepared: PreparedDocument, wanted: Set[str]) -> tantivy.Document:
    """The document of a query without syntax; `wanted` are its tokens, as documents hold them."""
    skill = decode_record(prepared.record)
    tokens_of = {field: _wanted_of(getattr(prepared, field), wanted) for field in (*_SHORT, "body")}
    held = dict.fromkeys([token for tokens in tokens_of.values() for token in tokens])
    body = tokens_of["body"]
    if not prepared.body.isascii() and any(is_cjk(token[0]) for token in body) and is_foreign(skill):
        tokens_of["body"] = [FOREIGN + token if is_cjk(token[0]) else token for token in body]
    document = tantivy.Document()
    document.add_unsigned("row", row)
    document.add_unsigned("name_size", len(set(prepared.name.split())))
    document.add_unsigned("day", parse_day(skill.updated_at) or 0)
    document.add_unsigned("cjk", is_told_in_cjk(skill))
    document.add_text("id", skill.id)
    for key in dict.fromkeys((*exact_keys(skill.id), *exact_keys(skill.name))):
        document.add_text("key", key)
    for field, tokens in tokens_of.items():
        if length := token_count(getattr(prepared, field)):
            kept = without_refrain(tokens) if field in _SHORT else tokens
            document.add_text(field, " ".join([*kept, *[REFRAIN] * (length - len(kept))]))
    document.add_text("all", " ".join([*held, MARKER, *([CJK_TOLD_MARKER] if is_told_in_cjk(skill) else [])]))
    document.add_bytes("record", prepared.record)
    return document


def _wanted_of(text: str, wanted: Set[str]) -> list[str]:
    return [token for token in text.split() if token in wanted]
