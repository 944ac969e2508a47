"""Query text → ParsedQuery: what to score, what is demanded, what is excluded.

Plain words are the rule and syntax the exception: anything that is not clearly syntax (an unbalanced quote, an unknown
field, an operator without its words, all of a sentence) is plain text, so that nothing a user types can be an error.
If it may be syntax all the same, `notices` says how it was understood.
"""

from hub_index.limits import (
    MAX_QUERY_CHARS,
    MAX_QUERY_DEMAND_TERMS,
    MAX_QUERY_DEMANDS,
    MAX_QUERY_PREFIXES,
    MAX_QUERY_TERMS,
)
from hub_index.search.query.parsed_query import Item, ParsedQuery
from hub_index.search.query.prose import drop_filters, is_prose, take_as_text
from hub_index.search.query.scanning import FIELD_NAMES, OPENING, OPERATORS, resolve_operators, scan_query
from hub_index.search.words.tokens import split_words, tokenize

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hub_index.search.query.parsed_query import Group

    Key = tuple[str, str, bool, bool]

SIGNS = frozenset('+-":*“「')


def parse_query(text: str) -> ParsedQuery:
    """The query's meaning; every text has one."""
    notices: list[str] = []
    if len(text) > MAX_QUERY_CHARS:
        notices.append(f"the query is longer than {MAX_QUERY_CHARS} characters; the rest was not read")
    text = text[:MAX_QUERY_CHARS].strip()
    if not _may_hold_syntax(text):
        return parse_plain(text, tuple(notices))
    pieces = scan_query(text, notices)
    is_told = is_prose(text, pieces)
    if is_told:
        pieces = take_as_text(pieces, notices)
    parsed = _group(resolve_operators(pieces), text, notices)
    is_structured = parsed.is_restricted or any(item.is_prefix for item in parsed.items)
    parsed = limit_query(_demand_lone_phrases(parsed))
    if is_told:
        told = drop_filters(text, pieces)
        return parsed.replace(words=told, semantic_text=told)
    words = " ".join([item.text for item in parsed.items if not item.field and not item.is_prefix])
    meant = " ".join([item.text for item in parsed.items]) if is_structured else text
    return parsed.replace(words=words, semantic_text=meant)


def _group(pieces: list[Item | str], text: str, notices: list[str]) -> ParsedQuery:
    """The query with its items where they belong: what scores, what is demanded together or instead, what excluded."""
    chain: list[list[Item]] = []  # alternatives of items that must stand together
    languages: list[list[Item]] = []
    required: list[list[list[Item]]] = []
    filters: list[list[list[Item]]] = []
    items: list[Item] = []
    excluded: list[Item] = []

    def close_chain() -> None:
        items = [item for alternative in chain for item in alternative]
        if items and all(item.field == "lang" for item in items) and len(items) == len(chain):
            languages.extend(chain)  # a skill has one language: asking for two can only mean either
        elif items and all(item.is_filter for item in items):
            filters.append(chain.copy())
        elif demanded:
            required.append(chain.copy())
        chain.clear()

    joiner = ""
    demanded = False
    for piece in pieces:
        if isinstance(piece, str):
            joiner = piece
            continue
        if piece.sign == "-":
            excluded.append(piece)
        else:
            if joiner == "AND" and chain:
                chain[-1].append(piece)
            elif joiner == "OR" and chain:
                chain.append([piece])
            else:
                close_chain()
                demanded = False
                chain.append([piece])
            demanded = demanded or joiner == "AND" or piece.sign == "+" or bool(piece.field)
            if not piece.is_filter:
                items.append(piece)
        joiner = ""
    close_chain()
    if languages:
        filters.append(languages)
    return ParsedQuery(
        text=text,
        semantic_text=text,
        items=tuple(items),
        required=_freeze(required),
        excluded=tuple(excluded),
        filters=_freeze(filters),
        notices=tuple(notices),
    )


def _freeze(groups: list[list[list[Item]]]) -> "tuple[Group, ...]":
    return tuple([tuple(map(tuple, group)) for group in groups])


def _may_hold_syntax(text: str) -> bool:
    """A quick look: most queries are words, and need no more; a colon or a hyphen inside a word is not syntax."""
    if any(operator in text for operator in OPERATORS) or not OPENING.isdisjoint(text):
        return True
    return not SIGNS.isdisjoint(text) and any(map(_is_marked, text.split()))


def _is_marked(word: str) -> bool:
    """Whether a word may have a sign, a field or a prefix's star; only those have to be taken apart."""
    return word[0] in "+-" or word[-1] == "*" or word.partition(":")[0].lower() in FIELD_NAMES


def parse_plain(text: str, notices: tuple[str, ...] = ()) -> ParsedQuery:
    """The query as plain words, with any signs."""
    items = tuple(map(Item, text.split()))
    return ParsedQuery(text=text, semantic_text=text, items=items, words=text, notices=notices, is_plain=True)


def count_terms(text: str) -> dict[str, float]:
    """How often each token occurs in the text, in its order, at most MAX_QUERY_TERMS of them."""
    counts: dict[str, float] = {}
    for token in tokenize(text):
        if token in counts:
            counts[token] += 1
        elif len(counts) < MAX_QUERY_TERMS:
            counts[token] = 1
    return counts


def _demand_lone_phrases(parsed: ParsedQuery) -> ParsedQuery:
    """A query of phrases alone means them; in a sentence quotes are quotes, and a phrase only scores."""
    if not parsed.items or parsed.required or not all(item.is_phrase for item in parsed.items):
        return parsed
    return parsed.replace(is_lone_phrase=True, required=(tuple([(item,) for item in parsed.items]),))


class _Budget:
    """The unused rest of the caps; a repeated item is free."""

    def __init__(self) -> None:
        self.admitted: dict[Key, bool] = {}
        self.demands = MAX_QUERY_DEMANDS
        self.terms = MAX_QUERY_DEMAND_TERMS
        self.prefixes = MAX_QUERY_PREFIXES
        self.is_spent = False

    def admit(self, item: "Item") -> bool:
        key = _item_key(item)
        if key not in self.admitted:
            cost = len(tokenize(item.text))
            fits = self.demands > 0 and self.terms >= cost and self.prefixes >= item.is_prefix
            if fits:
                self.demands -= 1
                self.terms -= cost
                self.prefixes -= item.is_prefix
            self.is_spent |= not fits
            self.admitted[key] = fits
        return self.admitted[key]


def _item_key(item: "Item") -> "Key":
    """A key that is equal for equal items."""
    return item.text, item.field, item.is_phrase, item.is_prefix


def limit_query(parsed: "ParsedQuery") -> "ParsedQuery":
    """The query without repeated, empty and surplus parts."""
    budget = _Budget()
    filters = _limit_groups(parsed.filters, budget)
    excluded = tuple([item for item in _distinct(parsed.excluded) if not _is_idle(item) and budget.admit(item)])
    required = _limit_groups(parsed.required, budget)
    items: list[Item] = []
    seen: set[Key] = set()
    for item in parsed.items:
        if not (item.is_prefix or item.is_phrase or item.field):
            items.append(item)
        elif (key := _item_key(item)) not in seen or item.is_phrase:
            is_kept = key not in seen and budget.admit(item)
            items.append(item if is_kept else item.replace(is_prefix=False, is_phrase=False, field=""))
            seen.add(key)
    notices = parsed.notices
    if budget.is_spent:
        notices += ("the query has too many signs, fields and quotes; the last of them count as plain words",)
    return parsed.replace(items=tuple(items), required=required, excluded=excluded, filters=filters, notices=notices)


def _limit_groups(groups: "tuple[Group, ...]", budget: _Budget) -> "tuple[Group, ...]":
    """The distinct groups that fit; one that an item without a word fulfils demands nothing, and is left out."""
    kept: dict[tuple[tuple[Key, ...], ...], Group] = {}
    for group in groups:
        alternatives: dict[tuple[Key, ...], tuple[Item, ...]] = {}
        for items in group:
            busy = tuple([item for item in _distinct(items) if not _is_idle(item)])
            if all(map(budget.admit, busy)):
                alternatives.setdefault(tuple(map(_item_key, busy)), busy)
        if alternatives and () not in alternatives:
            kept.setdefault(tuple(alternatives), tuple(alternatives.values()))
    return tuple(kept.values())


def _distinct(items: "Iterable[Item]") -> "list[Item]":
    first: dict[Key, Item] = {}
    for item in items:
        first.setdefault(_item_key(item), item)
    return list(first.values())


def _is_idle(item: "Item") -> bool:
    """Stop words and signs alone: every skill holds them, as far as the index knows."""
    return not item.is_filter and not (split_words(item.text) if item.is_prefix else tokenize(item.text))
