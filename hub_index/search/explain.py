"""Why a hit was found: the words it shares with the query, and a piece of its text. Only on request."""

from collections.abc import Sequence

import tantivy

from hub_index.hub.tree.record_file import record_file
from hub_index.record import Record
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.matching import LexicalQuery
from hub_index.search.results import Snippet
from hub_index.search.snippet import make_snippet


def find_matched_terms(ids: Sequence[str], query: LexicalQuery, lexical: LexicalIndex) -> dict[str, tuple[str, ...]]:
    """For each id the query's terms that its document holds, in the query's order."""
    matched: dict[str, tuple[str, ...]] = dict.fromkeys(ids, ())
    among = tantivy.Query.term_set_query(lexical.schema, "id", list(ids))
    for token in query.counts if ids else ():
        holds = tantivy.Query.term_query(lexical.schema, "all", token, "basic")
        both = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Must, holds)])
        for found in lexical.search(both, len(ids)):
            matched[lexical.read_record(found.address).id] += (token,)
    return matched


def show_match(record: Record, query: LexicalQuery, hub: str) -> Snippet:
    """The piece of the record's best-matching field; the body is read from the checkout."""
    texts = {"description": record.description, "keywords": ", ".join(record.keywords), "name": record.name}
    if hub:
        from hub_index.search.checkout.files import read_body

        texts["body"] = read_body(hub, record_file(hub, record.id, record.path))
    return make_snippet(texts, frozenset(query.counts))
