"""A parsed query → the same without repetitions, and small enough for a quick answer.

Plain words have their own cap in `count_terms`. Here are the parts that cost more: demanded, excluded and quoted words,
fields and prefixes. Parts beyond the caps become plain text, with a notice.
"""

from hub_index.limits import MAX_QUERY_DEMAND_TERMS, MAX_QUERY_DEMANDS, MAX_QUERY_PREFIXES
from hub_index.search.lexical.tokens import split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hub_index.search.query.parsed_query import Group, Item, ParsedQuery

    Key = tuple[str, str, bool, bool]


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
