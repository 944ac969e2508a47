"""Why a hit was found: the words it shares with the query or its translation, and a piece of its text. On request."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import tantivy

from hub_index.hub.record_file import record_file
from hub_index.record import Record
from hub_index.search.lexical.build import CJK_TOLD_MARKER
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.matching import LexicalQuery
from hub_index.search.results import Snippet
from hub_index.search.words.tokens import is_cjk, tokenize

SNIPPET_CHARS = 160
_SHORT_STEM = 4
_FOLDED = re.compile("[\u00c0-\u024f\uff00-\uffef]")  # letters that a token has without their accent or width
_WORTH = {"description": 1.0, "name": 0.9, "keywords": 0.6, "body": 0.8}  # a body must say clearly more to be shown


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


def make_snippet(texts: Mapping[str, str], tokens: AbstractSet[str], width: int = SNIPPET_CHARS) -> Snippet:
    """The best piece of the best field; the description's beginning if no word matches."""
    best: Snippet | None = None
    best_worth = 0.0
    for field, text in texts.items():
        flat = " ".join(text.split())
        spans = find_spans(flat, tokens)
        window = _Window(flat, spans, width)
        worth = _WORTH.get(field, 0.5) * window.distinct
        if worth > best_worth:
            best, best_worth = window.cut(field), worth
    return best or Snippet("description", _shorten(" ".join(texts.get("description", "").split()), width), ())


def find_spans(text: str, tokens: AbstractSet[str]) -> list[tuple[int, int, str]]:
    """Where the text says one of the tokens: start, end, token.

    Only words that hold the beginning of a token are tokenised: whole bodies took three quarters of a served search.
    """
    cjk = [token for token in tokens if is_cjk(token[0])]
    latin = sorted(set(tokens).difference(cjk))
    spans = [span for token in cjk for span in _find_cjk(text, token)]
    spans += _find_words(text, latin, tokens) if latin else []
    return sorted(spans)


def _find_cjk(text: str, token: str) -> Iterator[tuple[int, int, str]]:
    start = text.find(token)
    while start >= 0:
        end = start + len(token)
        if len(token) > 1 or not is_cjk(text[end : end + 1] or " "):  # one character is a token at the end of a run
            yield start, end, token
        start = text.find(token, start + 1)


def _find_words(text: str, latin: Sequence[str], tokens: AbstractSet[str]) -> Iterator[tuple[int, int, str]]:
    lower = text.lower()
    is_plain = len(lower) == len(text) and not _FOLDED.search(text)
    beginnings = "|".join([re.escape(_beginning(token)) for token in latin]) if is_plain else r"[^\W_]"
    end = 0
    for match in re.finditer(beginnings, lower if is_plain else text):
        if match.start() < end:
            continue
        start, end = _word_around(text, match.start(), end)
        said = next((token for token in tokenize(text[start:end]) if token in tokens), "")
        if said:
            yield start, end, said


def _beginning(token: str) -> str:
    """What every word with this stem holds: the stemmer changes at most the last two letters that it leaves."""
    return token[:-2] if len(token) > _SHORT_STEM else token[:-1] if token[-1] in "ei" and len(token) > 1 else token


def _word_around(text: str, at: int, least: int) -> tuple[int, int]:
    start = end = at
    while start > least and text[start - 1].isalnum() and not is_cjk(text[start - 1]):
        start -= 1
    while end < len(text) and text[end].isalnum() and not is_cjk(text[end]):
        end += 1
    return start, max(end, at + 1)


class _Window:
    """The stretch of a text that holds the most different tokens."""

    def __init__(self, text: str, spans: list[tuple[int, int, str]], width: int) -> None:
        self.text = text
        self.width = width
        self.spans = spans
        self.first = 0
        self.distinct = 0
        counts: dict[str, int] = {}
        left = 0
        for right, (_, end, token) in enumerate(spans):
            counts[token] = counts.get(token, 0) + 1
            while end - spans[left][0] > width and left < right:
                gone = spans[left][2]
                counts[gone] -= 1
                if not counts[gone]:
                    del counts[gone]
                left += 1
            if len(counts) > self.distinct:
                self.distinct, self.first = len(counts), left

    def cut(self, field: str) -> Snippet:
        start = max(0, self.spans[self.first][0] - self.width // 4) if self.spans else 0
        if start and not is_cjk(self.text[start]):
            start = self.text.find(" ", start, self.spans[self.first][0]) + 1 or self.spans[self.first][0]
        head = "…" if start else ""
        piece = head + _shorten(self.text[start:], self.width)
        shift = start - len(head)
        inside = [(a - shift, b - shift) for a, b, _ in self.spans if a >= start and b - shift <= len(piece)]
        return Snippet(field, piece, _merge(inside))


def _merge(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Neighbouring bigrams as one stretch."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _shorten(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    cut = text.rfind(" ", width * 3 // 4, width)
    return text[: cut if cut > 0 else width - 1].rstrip() + "…"
