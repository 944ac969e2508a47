"""Why a hit was found: the words it shares with the query, and a piece of its text. Only on request."""

from collections.abc import Sequence

import tantivy

from hub_index.search.engine import Question
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.results import Hit, Reasons
from hub_index.search.snippet import make_snippet


def add_matched_terms(hits: Sequence[Hit], question: Question, lexical: LexicalIndex) -> None:
    """Fills in each hit's matched terms, in the query's order."""
    ids = [hit.id for hit in hits]
    among = tantivy.Query.term_set_query(lexical.schema, "id", ids)
    matched: dict[str, list[str]] = {id_: [] for id_ in ids}
    for token in question.matching.counts:
        holds = tantivy.Query.term_query(lexical.schema, "all", token, "basic")
        both = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Must, holds)])
        for found in lexical.search(both, len(ids)) if ids else []:
            matched[lexical.read_fields(found.address)["id"]].append(token)
    for hit in hits:
        known = hit.reasons
        hit.reasons = Reasons(
            cosine=known.cosine,
            lexical=known.lexical,
            bonus=known.bonus,
            is_exact=known.is_exact,
            matched=tuple(matched[hit.id]),
        )


def add_snippets(hits: Sequence[Hit], question: Question, hub: str) -> None:
    """Gives each hit the piece of its best-matching field; bodies are read from the checkout."""
    tokens = frozenset(question.matching.counts)
    for hit in hits:
        texts = {"description": hit.description, "keywords": ", ".join(hit.keywords), "name": hit.name}
        if hub:
            from hub_index.search.checkout.files import read_body

            texts["body"] = read_body(hub, hit.id, hit.path)
        hit.snippet = make_snippet(texts, tokens)
