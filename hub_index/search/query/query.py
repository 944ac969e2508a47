"""Query text → ParsedQuery: what to score, what is demanded, what is excluded.

Plain words are the rule and syntax the exception: anything that is not clearly syntax (an unbalanced quote, an unknown
field, an operator without its words, all of a sentence) is plain text, so that nothing a user types can be an error.
If it may be syntax all the same, `notices` says how it was understood.
"""

from hub_index.limits import MAX_QUERY_CHARS, MAX_QUERY_TERMS
from hub_index.search.lexical.tokens import tokenize
from hub_index.search.query.parsed_query import Item, ParsedQuery
from hub_index.search.query.prose import drop_filters, is_prose, take_as_text
from hub_index.search.query.query_limits import limit_query
from hub_index.search.query.scanning import FIELD_NAMES, OPENING, OPERATORS, resolve_operators, scan_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.query.parsed_query import Group

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
