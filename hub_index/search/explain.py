"""Why a hit was found: the words it shares with the query or its translation, and a piece of its text. On request."""

from collections.abc import Sequence

import tantivy

from hub_index.hub.tree.record_file import record_file
from hub_index.record import Record
from hub_index.search.lexical.build import CJK_TOLD_MARKER
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.matching import LexicalQuery
from hub_index.search.results import Snippet
from hub_index.search.snippet import make_snippet


def find_matched_terms(ids: Sequence[str], query: LexicalQuery, lexical: LexicalIndex) -> dict[str, tuple[str, ...]]:
    """For each id the query's terms that its document holds, in the query's order."""
    matched: dict[str, tuple[str, ...]] = dict.fromkeys(ids, ())
    for token in query.counts if ids else ():
        for id_ in _holders(lexical, ids, [token]):
            matched[id_] += (token,)
    return matched


def find_matched_glosses(ids: Sequence[str], query: LexicalQuery, lexical: LexicalIndex) -> dict[str, tuple[str, ...]]:
    """For each id the translations that its document holds whole, as `备份 → backup`, in the query's order.

    English words are looked for in Chinese where a skill is described in CJK.
    """
    matched: dict[str, tuple[str, ...]] = dict.fromkeys(ids, ())
    for gloss in query.glosses if ids else ():
        for id_ in _holders(lexical, ids, (*gloss.tokens, CJK_TOLD_MARKER) if gloss.chinese else gloss.tokens):
            matched[id_] += (gloss.shown,)
    return matched


def _holders(lexical: LexicalIndex, ids: Sequence[str], tokens: Sequence[str]) -> list[str]:
    """Those of the ids whose documents hold all of the tokens."""
    among = tantivy.Query.term_set_query(lexical.schema, "id", list(ids))
    terms = [tantivy.Query.term_query(lexical.schema, "all", token, "basic") for token in tokens]
    all_of = tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in (among, *terms)])
    return [lexical.read_record(hit.address).id for hit in lexical.search(all_of, len(ids))]


def show_match(record: Record, query: LexicalQuery, hub: str) -> Snippet:
    """The piece of the record's best-matching field; the body is read from the checkout."""
    texts = {"description": record.description, "keywords": ", ".join(record.keywords), "name": record.name}
    if hub:
        from hub_index.search.checkout.files import read_body

        texts["body"] = read_body(hub, record_file(hub, record.id, record.path))
    # a single character stands for too many things to be shown as a match
    translated = [token for gloss in query.glosses if len(gloss.word) > 1 for token in gloss.tokens]
    return make_snippet(texts, frozenset([*query.counts, *translated]))
