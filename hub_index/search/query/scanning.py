"""Query text → its pieces in order: words, phrases, filters and operators, each with the syntax that it carries."""

from hub_index.search.query.filters import FILTERS, explain_value, normalize_value
from hub_index.search.query.parsed_query import Item

FIELDS = {"name": "name", "tag": "keywords", "path": "path"}
FIELD_NAMES = frozenset((*FIELDS, *FILTERS))
OPERATORS = ("AND", "OR", "NOT")
MAX_NOTICES = 5
QUOTES = {'"': '"', "“": "”", "「": "」"}
OPENING = frozenset(QUOTES)
OPTION_SIGNS = frozenset("=_")  # `go test -count=1`, `pprof -alloc_space`: not words to exclude


def scan_query(text: str, notices: list[str]) -> list[Item | str]:
    """Items and operators in order."""
    if OPENING.isdisjoint(text):
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
                named = FIELDS.get(field, "")
                pieces.append(Item(inside, field=named, sign=sign, is_phrase=True, written=written))
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
    if word in OPERATORS:
        return word
    sign, at = _scan_sign(word, 0)
    field, at = _scan_field(word, at)
    if word[at : at + 1] in QUOTES:
        return _word(word)  # a quote that nothing closes
    if field in FILTERS:
        return _filter(field, word[at:], sign, word, notices)
    if sign == "-" and not field and not OPTION_SIGNS.isdisjoint(word):
        _say(f"{word} reads as an option of a program; it was searched as words", notices)
        return Item(word)
    return _word(word, at, FIELDS.get(field, ""), sign)


def _word(written: str, at: int = 0, field: str = "", sign: str = "") -> Item:
    """A word, or with a star at its end a prefix; its text begins at `at`, behind the sign and the field."""
    is_prefix = len(written) - at > 1 and written[-1] == "*" and written[-2].isalnum()
    if not (is_prefix or field or sign):
        return Item(written)
    text = written[at:-1] if is_prefix else written[at:]
    return Item(text, field=field, sign=sign, is_prefix=is_prefix, written=written)


def _filter(field: str, value: str, sign: str, written: str, notices: list[str]) -> Item:
    """A filter, or plain text and a notice where its value cannot be one."""
    normal = normalize_value(field, value)
    if normal:
        return Item(normal, field=field, sign=sign, written=written)
    _say(explain_value(field, value), notices)
    return _word(written)


def _say(notice: str, notices: list[str]) -> None:
    if notice not in notices and len(notices) < MAX_NOTICES:
        notices.append(notice)


def _scan_sign(text: str, at: int) -> tuple[str, int]:
    """`+word` and `-word`; `-5`, `--flag` and `->` are plain text."""
    following = text[at + 1 : at + 2]
    if text[at] in "+-" and (following.isalpha() or following in QUOTES):
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
    """The end of the phrase that opens here; 0 if it does not close or is empty."""
    closing = QUOTES.get(text[at : at + 1])
    end = text.find(closing, at + 1) if closing else -1
    return end if end > 0 and not text[at + 1 : end].isspace() and end > at + 1 else 0


def resolve_operators(pieces: list[Item | str]) -> list[Item | str]:
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
