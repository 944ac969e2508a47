"""Query text → ParsedQuery: what to score, what is demanded, what is excluded.

Plain words are the rule and syntax the exception: whatever is not clearly syntax (an unbalanced quote, an unknown
field, an operator without its words) is plain text, so that no sentence a user types can be an error.
"""

from hub_index.search.lexical_build import parse_day
from hub_index.search.tokens import tokenize

MAX_QUERY_CHARS = 8_192  # the longest labelled question has 2,000; a megabyte is an accident or an attack
MAX_QUERY_TERMS = 256  # distinct tokens that are scored: each costs a look-up in five fields

_FIELDS = {"name": "name", "tag": "keywords", "path": "path"}
_FILTERS = ("lang", "since")
_OPERATORS = ("AND", "OR", "NOT")
_SIGNS = frozenset('+-":*“「')
_QUOTES = {'"': '"', "“": "”", "「": "」"}
_OPENING = frozenset(_QUOTES)


class Item:
    """A word or a phrase of the query, perhaps tied to a field."""

    __slots__ = ("field", "is_phrase", "is_prefix", "sign", "text")

    def __init__(self, text: str, *, field: str = "", sign: str = "", is_phrase: bool = False) -> None:
        self.is_prefix = not is_phrase and len(text) > 1 and text.endswith("*") and text[-2].isalnum()
        self.text = text[:-1] if self.is_prefix else text
        self.field = field
        self.sign = sign
        self.is_phrase = is_phrase


class ParsedQuery:
    """A query, understood. `required` holds groups: of each group one alternative, and all of its items, must match."""

    __slots__ = ("excluded", "is_lone_phrase", "items", "lang", "required", "semantic_text", "since", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.semantic_text = text  # what is embedded: a sentence as it stands, a structured query without its signs
        self.items: list[Item] = []  # all that scores
        self.required: list[list[list[Item]]] = []
        self.is_lone_phrase = False  # nothing but phrases: demanded, but only if the hub has them at all
        self.excluded: list[Item] = []
        self.lang = ""
        self.since = 0

    @property
    def is_restricted(self) -> bool:
        """Whether some documents cannot be an answer, however well they score."""
        return bool(self.required or self.excluded or self.lang or self.since)


def parse_query(text: str) -> ParsedQuery:
    """The query's meaning; every text has one."""
    parsed = ParsedQuery(text[:MAX_QUERY_CHARS].strip())
    if not _may_hold_syntax(parsed.text):
        parsed.items = [Item(word) for word in parsed.text.split()]
        return parsed
    pieces = _resolve_operators(_scan(parsed.text, parsed))
    chain: list[list[Item]] = []  # alternatives of items that must stand together
    demanded = False

    def close_chain() -> None:
        nonlocal demanded
        if demanded:
            parsed.required.append([alternative for alternative in chain if alternative])
        chain.clear()
        demanded = False

    joiner = ""
    for piece in pieces:
        if isinstance(piece, str):
            joiner = piece
            continue
        if piece.sign == "-":
            parsed.excluded.append(piece)
        else:
            if joiner == "AND" and chain:
                chain[-1].append(piece)
            elif joiner == "OR" and chain:
                chain.append([piece])
            else:
                close_chain()
                chain.append([piece])
            demanded = demanded or joiner == "AND" or piece.sign == "+" or bool(piece.field)
            parsed.items.append(piece)
        joiner = ""
    close_chain()
    if parsed.is_restricted or any(item.is_prefix for item in parsed.items):
        parsed.semantic_text = " ".join(item.text for item in parsed.items)
    _demand_lone_phrases(parsed)
    return parsed


def _may_hold_syntax(text: str) -> bool:
    """A quick look: most queries are words, and need no more."""
    return not _SIGNS.isdisjoint(text) or any(operator in text for operator in _OPERATORS)


def parse_plain(text: str) -> ParsedQuery:
    """The query as plain words, whatever signs it holds."""
    parsed = ParsedQuery(text)
    parsed.items = [Item(word) for word in text.split()]
    for item in parsed.items:
        item.is_prefix = False
    return parsed


def count_terms(text: str) -> dict[str, float]:
    """How often each token stands in the text, in its order, at most MAX_QUERY_TERMS of them."""
    counts: dict[str, float] = {}
    for token in tokenize(text):
        if token in counts:
            counts[token] += 1
        elif len(counts) < MAX_QUERY_TERMS:
            counts[token] = 1
    return counts


def _demand_lone_phrases(parsed: ParsedQuery) -> None:
    """A query of phrases alone means them; in a sentence quotes are quotes, and a phrase only scores."""
    if parsed.items and not parsed.required and all(item.is_phrase for item in parsed.items):
        parsed.is_lone_phrase = True
        parsed.required.append([[item] for item in parsed.items])


def _scan(text: str, parsed: ParsedQuery) -> list[Item | str]:
    """Items and operators in order; filters go straight into the parsed query."""
    if _OPENING.isdisjoint(text):
        return [piece for word in text.split() if (piece := _piece(word, parsed)) is not None]
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
            pieces.append(Item(text[inner + 1 : end], field=_FIELDS.get(field, ""), sign=sign, is_phrase=True))
            at = end + 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        piece = _piece(text[at:end], parsed)
        if piece is not None:
            pieces.append(piece)
        at = end
    return pieces


def _piece(word: str, parsed: ParsedQuery) -> Item | str | None:
    """One word as an item or an operator; None where it was a filter."""
    if word in _OPERATORS:
        return word
    sign, at = _scan_sign(word, 0)
    field, at = _scan_field(word, at)
    if word[at : at + 1] in _QUOTES:
        return Item(word)  # a quote that nothing closes
    if field in _FILTERS:
        return None if not sign and _take_filter(field, word[at:], parsed) else Item(word)
    return Item(word[at:], field=_FIELDS.get(field, ""), sign=sign)


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
    field = text[at:colon]
    return (field, colon + 1) if field in _FIELDS or field in _FILTERS else ("", at)


def _phrase_end(text: str, at: int) -> int:
    """Where the phrase that opens here closes; 0 where none does or it says nothing."""
    closing = _QUOTES.get(text[at : at + 1])
    end = text.find(closing, at + 1) if closing else -1
    return end if end > 0 and not text[at + 1 : end].isspace() and end > at + 1 else 0


def _take_filter(field: str, word: str, parsed: ParsedQuery) -> bool:
    if field == "lang" and word.replace("-", "").isalpha():
        parsed.lang = word.lower()
        return True
    day = parse_day(word) if field == "since" and len(word) == 10 else None
    if day:
        parsed.since = day
    return bool(day)


def _resolve_operators(pieces: list[Item | str]) -> list[Item | str]:
    """Operators that have their words; the others become words, and NOT becomes a sign."""
    resolved: list[Item | str] = []
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        if isinstance(piece, Item):
            resolved.append(piece)
        elif piece == "NOT" and isinstance(following, Item):
            following.sign = "-"
        elif piece != "NOT" and resolved and isinstance(resolved[-1], Item) and _is_operand(pieces, at + 1):
            resolved.append(piece)
        else:
            resolved.append(Item(piece.lower()))
    return resolved


def _is_operand(pieces: list[Item | str], at: int) -> bool:
    if at < len(pieces) and pieces[at] == "NOT":
        at += 1
    return at < len(pieces) and isinstance(pieces[at], Item)
