"""Untrusted text → text without anything invisible that could mislead a reader, a terminal or a model.

Removed: C0 and C1 controls, zero width characters, bidi controls, tag characters, noncharacters and stray
variation selectors or joiners. Kept: every visible character, the joiners and selectors inside emoji, and the
joiners of the scripts that are written with them. `clean_text` is idempotent.
"""

import unicodedata

_WHITE_CONTROLS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")  # become a space, so that words stay apart
_INVISIBLE = frozenset(
    code
    for low, high in (
        (0x00AD, 0x00AD),  # soft hyphen
        (0x034F, 0x034F),
        (0x061C, 0x061C),
        (0x17B4, 0x17B5),
        (0x180E, 0x180E),
        (0x200B, 0x200F),  # zero width, joiners, direction marks
        (0x202A, 0x202E),  # bidi overrides
        (0x2060, 0x206F),
        (0x3164, 0x3164),  # a letter without ink, as is U+FFA0
        (0xFDD0, 0xFDEF),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFFB),
    )
    for code in range(low, high + 1)
)
_ZWNJ, _ZWJ = 0x200C, 0x200D
_JOINING_SCRIPTS = (  # Arabic to Myanmar, Khmer and Mongolian, Balinese and others, Indic additions, presentation forms
    (0x0600, 0x109F),
    (0x1780, 0x18AF),
    (0x1900, 0x1CFF),
    (0xA800, 0xABFF),
    (0xFB50, 0xFDCF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x11FFF),
    (0x1E900, 0x1E95F),
)
_EMOJI = ((0x203C, 0x203C), (0x2049, 0x2049), (0x2100, 0x27BF), (0x2900, 0x2BFF), (0x1F000, 0x1FAFF))
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFD))
_FLAG = "\U0001f3f4"
_FLAG_TAGS = tuple("".join(chr(0xE0000 + ord(c)) for c in area) + "\U000e007f" for area in ("gbeng", "gbsct", "gbwls"))
_FLAGS = tuple(_FLAG + tags for tags in _FLAG_TAGS)
_DIRECTION_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_INSIDE_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‟": '"', "<": "&lt;"})
_MAX_JOINED = 1_024
_HARMLESS_ASCII = bytes([9, 10, 13, *range(32, 127)])
_HIDDEN_THOUGH_PRINTABLE = frozenset(  # marks and letters to Python, but without ink
    map(chr, (0x034F, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
_SUSPICIOUS = frozenset(  # all that `is_hidden` names below plane 14, but the selector that half of all emoji carry
    [chr(code) for code in (*range(9), 11, 12, *range(14, 32), *range(0x7F, 0xA0), 0x2028, 0x2029, *_INVISIBLE)]
    + [chr(code) for code in range(0xFE00, 0xFE0F)]
    + [chr(plane + last) for plane in range(0, 0xE0000, 0x10000) for last in (0xFFFE, 0xFFFF)]
)


class CleanText:
    """The remaining text, every removed character in order, and the place of the first.

    No dataclass: importing those costs the printer more than everything else here.
    """

    __slots__ = ("first_removed", "removed", "text")

    def __init__(self, text: str, removed: tuple[str, ...], first_removed: int = -1) -> None:
        self.text = text
        self.removed = removed
        self.first_removed = first_removed


def is_hidden(char: str) -> bool:
    """Whether a character alone is a control or invisible; says nothing about joiners in their right place."""
    code = ord(char)
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or char in _WHITE_CONTROLS
        or code in _INVISIBLE
        or _is_selector(code)
        or 0xD800 <= code < 0xE000
        or 0xE0000 <= code < 0xE1000
        or code & 0xFFFE == 0xFFFE
    )


def is_plain(text: str) -> bool:
    """Whether a text surely has nothing hidden in it; False only means that it must be looked at."""
    return text.isprintable() and (text.isascii() or _HIDDEN_THOUGH_PRINTABLE.isdisjoint(text))


def is_plain_utf8(content: bytes) -> bool:
    """Whether valid UTF-8 surely holds visible characters, tabs and line ends only.

    Drops the harmless ASCII bytes first, so that a file costs little more than a copy of it.
    """
    rest = content.translate(None, _HARMLESS_ASCII)
    if not rest:
        return True
    chars = set(rest.decode())
    return _SUSPICIOUS.isdisjoint(chars) and max(chars) < "\U000e0000"


def has_forbidden(text: str, keep: str = "") -> bool:
    """True if a text holds what no published index may: a control, a bidi control, a tag outside of a flag.

    Fewer than in `is_hidden`: joiners and zero width characters of other writers are harmless in a terminal.
    """
    if text.isprintable():  # none of them is
        return False
    for flag in _FLAGS:
        text = text.replace(flag, " ")  # not nothing: what stands around one flag must not become another
    return any(_is_forbidden(char) for char in set(text).difference(keep))


def may_hold_forbidden(content: bytes) -> bool:
    """Whether UTF-8 holds a forbidden character other than tabs and line ends, perhaps in a flag."""
    rest = content.translate(None, _HARMLESS_ASCII)
    return any(map(_is_forbidden, set(rest.decode("utf-8", "replace"))))


def _is_forbidden(char: str) -> bool:
    code = ord(char)
    return code < 0x20 or 0x7F <= code < 0xA0 or 0xE0000 <= code < 0xE0080 or char in _DIRECTION_CONTROLS


def escape_hidden(json_text: str) -> str:
    """JSON with every hidden character of its texts written as an escape: the value stays the same."""
    if is_plain(json_text.replace("\n", "")):
        return json_text
    return "".join([_json_escape(char) if char != "\n" and is_hidden(char) else char for char in json_text])


def _json_escape(char: str) -> str:
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def clean_text(text: str, keep: str = "\n") -> CleanText:
    """The text without hidden characters; controls in `keep` stay, other white space controls become a space."""
    if is_plain(text):
        return CleanText(text, ())
    suspects = {char for char in set(text) if char not in keep and is_hidden(char)}
    if not suspects:
        return CleanText(text, ())
    kept: list[str] = []
    removed: list[str] = []
    position, first_removed = 0, -1
    while position < len(text):
        char = text[position]
        position += 1
        if char not in suspects:
            kept.append(char)
        elif char in _WHITE_CONTROLS:
            kept.append(" ")
        elif _belongs(char, kept[-1] if kept else "", text[position : position + 1]):
            kept.append(char)
        elif kept and kept[-1] == _FLAG and (tags := _flag_tags(text, position - 1)):
            kept.append(tags)
            position += len(tags) - 1
        else:
            first_removed = position - 1 if not removed else first_removed
            removed.append(char)
            if 0xD800 <= ord(char) < 0xE000:  # half of a character: readers should see that something is missing
                kept.append("\ufffd")
    return CleanText("".join(kept), tuple(removed), first_removed)


def clean_line(text: str) -> str:
    """The text on one line: nothing hidden, every run of white space one space."""
    return " ".join(clean_text(text).text.split())


def short_line(text: str, max_chars: int = 60) -> str:
    """An outsider's text as a message may quote it: a clean line of at most `max_chars`, cut with an ellipsis."""
    line = clean_line(text)
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def quote_line(text: str, max_chars: int = 0) -> str:
    """An outsider's text in quotation marks that it cannot close, on one clean line, and with no `<` of an address.

    Every message and every text for a model quotes by it. `max_chars` cuts the text as `short_line` does; 0 does not.
    """
    line = short_line(text, max_chars) if max_chars else clean_line(text)
    return f"“{line.translate(_INSIDE_QUOTES)}”"


def nfc(text: str) -> str:
    """The text in NFC, the normal form of all text in records; free for ASCII."""
    if text.isascii():
        return text
    return "".join([unicodedata.normalize("NFC", piece) for piece in split_for_normal_form(text)])


def split_for_normal_form(text: str) -> list[str]:
    """The text in pieces that have their normal form by themselves: its time is quadratic in a run of marks.

    80,000 marks took 16 s. Only a run that no text has, of 1,024 characters that may all join the one before, is cut.
    """
    pieces: list[str] = []
    start = 0
    while len(text) - start > _MAX_JOINED:
        end = start + _MAX_JOINED
        while end > start and not _begins_alone(text[end]):
            end -= 1
        end = end if end > start else start + _MAX_JOINED
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def _begins_alone(char: str) -> bool:
    """Whether a character surely joins none before it: Latin letters, spaces, kana, ideographs, Korean syllables."""
    return (
        char < "\u0300" or "\u3041" <= char <= "\u3096" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"
    )


def _flag_tags(text: str, position: int) -> str:
    return next((tags for tags in _FLAG_TAGS if text.startswith(tags, position)), "")


def _belongs(char: str, before: str, after: str) -> bool:
    """True for a joiner or a variation selector in a place where writing or emoji need it."""
    code = ord(char)
    if not before or (is_hidden(before[-1]) and not _is_selector(ord(before[-1]))):
        return False
    last = ord(before[-1])
    if code == _ZWJ and after and _within(ord(after), _EMOJI):
        return _within(last, _EMOJI) or last == 0xFE0F
    if code in (_ZWNJ, _ZWJ):
        return _within(last, _JOINING_SCRIPTS)
    if 0xE0100 <= code <= 0xE01EF:
        return _within(last, _HAN)
    return _is_selector(code) and not _is_selector(last) and not before.isspace()


def _is_selector(code: int) -> bool:
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)
