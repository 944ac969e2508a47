"""Query text → ParsedQuery: what to score, what is demanded, what is excluded.

Plain words are the rule and syntax the exception: whatever is not clearly syntax (an unbalanced quote, an unknown
field, an operator without its words) is plain text, so that no sentence a user types can be an error. Where a user
may have meant syntax all the same, `notices` says how it was taken.
"""

from hub_index.limits import MAX_QUERY_CHARS, MAX_QUERY_TERMS
from hub_index.search.lexical.tokens import tokenize
from hub_index.search.query.filters import FILTERS, explain_value, normalize_value
from hub_index.search.query.parsed_query import Item, ParsedQuery
from hub_index.search.query.query_limits import limit_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.query.parsed_query import Group

_FIELDS = {"name": "name", "tag": "keywords", "path": "path"}
FIELD_NAMES = frozenset((*_FIELDS, *FILTERS))
_OPERATORS = ("AND", "OR", "NOT")
_MAX_NOTICES = 5
_SIGNS = frozenset('+-":*“「')
_QUOTES = {'"': '"', "“": "”", "「": "」"}
_OPENING = frozenset(_QUOTES)


def parse_query(text: str) -> ParsedQuery:
    """The query's meaning; every text has one."""
    notices: list[str] = []
    if len(text) > MAX_QUERY_CHARS:
        notices.append(f"the query is longer than {MAX_QUERY_CHARS} characters; the rest was not read")
    text = text[:MAX_QUERY_CHARS].strip()
    if not _may_hold_syntax(text):
        return parse_plain(text, tuple(notices))
    pieces = _resolve_operators(_scan(text, notices))
    parsed = _group(pieces, text, notices)
    is_structured = parsed.is_restricted or any(item.is_prefix for item in parsed.items)
    parsed = limit_query(_demand_lone_phrases(parsed))
    return parsed.replace(semantic_text=" ".join(item.text for item in parsed.items)) if is_structured else parsed


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
    if any(operator in text for operator in _OPERATORS) or not _OPENING.isdisjoint(text):
        return True
    return not _SIGNS.isdisjoint(text) and any(map(_is_marked, text.split()))


def _is_marked(word: str) -> bool:
    """Whether a word may have a sign, a field or a prefix's star; only those have to be taken apart."""
    return word[0] in "+-" or word[-1] == "*" or word.partition(":")[0].lower() in FIELD_NAMES


def parse_plain(text: str, notices: tuple[str, ...] = ()) -> ParsedQuery:
    """The query as plain words, whatever signs it holds."""
    items = tuple(map(Item, text.split()))
    return ParsedQuery(text=text, semantic_text=text, items=items, notices=notices, is_plain=True)


def count_terms(text: str) -> dict[str, float]:
    """How often each token stands in the text, in its order, at most MAX_QUERY_TERMS of them."""
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


def _scan(text: str, notices: list[str]) -> list[Item | str]:
    """Items and operators in order."""
    if _OPENING.isdisjoint(text):
        return [_piece(word, notices) for word in text.split()]
    pieces: list[Item | str] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        sign, inner = _scan_sign(text, at)
        field, inner = _scan_field(text, inner)
        end = _phrase_end(text, inner)
        if end:
            inside, written = text[inner + 1 : end], text[at : end + 1]
            if field in FILTERS:
                pieces.append(_filter(field, inside, sign, written, notices))
            else:
                pieces.append(Item(inside, field=_FIELDS.get(field, ""), sign=sign, is_phrase=True))
            at = end + 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        pieces.append(_piece(text[at:end], notices))
        at = end
    return pieces


def _piece(word: str, notices: list[str]) -> Item | str:
    """One word as an item or an operator."""
    if word in _OPERATORS:
        return word
    sign, at = _scan_sign(word, 0)
    field, at = _scan_field(word, at)
    if word[at : at + 1] in _QUOTES:
        return _word(word)  # a quote that nothing closes
    if field in FILTERS:
        return _filter(field, word[at:], sign, word, notices)
    return _word(word[at:], _FIELDS.get(field, ""), sign)


def _word(text: str, field: str = "", sign: str = "") -> Item:
    """A word, or with a star at its end a prefix."""
    is_prefix = len(text) > 1 and text[-1] == "*" and text[-2].isalnum()
    if not (is_prefix or field or sign):
        return Item(text)
    return Item(text[:-1] if is_prefix else text, field=field, sign=sign, is_prefix=is_prefix)


def _filter(field: str, value: str, sign: str, written: str, notices: list[str]) -> Item:
    """A filter, or plain text and a notice where its value cannot be one."""
    known = normalize_value(field, value)
    if known:
        return Item(known, field=field, sign=sign)
    notice = explain_value(field, value)
    if notice not in notices and len(notices) < _MAX_NOTICES:
        notices.append(notice)
    return _word(written)


def _scan_sign(text: str, at: int) -> tuple[str, int]:
    """`+word` and `-word`; `-5`, `--flag` and `->` are plain text."""
    following = text[at + 1 : at + 2]
    if text[at] in "+-" and (following.isalpha() or following in _QUOTES):
        return text[at], at + 1
    return "", at


def _scan_field(text: str, at: int) -> tuple[str, int]:
    colon = text.find(":", at, at + 6)
    following = text[colon + 1 : colon + 2]
    if colon < 0 or not following or following.isspace():
        return "", at
    field = text[at:colon].lower()
    return (field, colon + 1) if field in FIELD_NAMES else ("", at)


def _phrase_end(text: str, at: int) -> int:
    """Where the phrase that opens here closes; 0 where none does or it says nothing."""
    closing = _QUOTES.get(text[at : at + 1])
    end = text.find(closing, at + 1) if closing else -1
    return end if end > 0 and not text[at + 1 : end].isspace() and end > at + 1 else 0


def _resolve_operators(pieces: list[Item | str]) -> list[Item | str]:
    """Operators that have their words; the others become words, and NOT becomes a sign."""
    resolved: list[Item | str] = []
    pieces = list(pieces)
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        if isinstance(piece, Item):
            resolved.append(piece)
        elif piece == "NOT" and isinstance(following, Item):
            pieces[at + 1] = following.replace(sign="-")
        elif piece != "NOT" and resolved and isinstance(resolved[-1], Item) and _is_operand(pieces, at + 1):
            resolved.append(piece)
        else:
            resolved.append(Item(piece.lower()))
    return resolved


def _is_operand(pieces: list[Item | str], at: int) -> bool:
    if at < len(pieces) and pieces[at] == "NOT":
        at += 1
    return at < len(pieces) and isinstance(pieces[at], Item)
