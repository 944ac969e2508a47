"""About how many tokens a text has, without the provider's tokenizer; and the rule by which long texts are cut.

The estimate follows byte-pair tokenizers of the cl100k kind: a common word is one token, long words and names a few,
three digits are one, a Chinese character takes a little more than one. It errs upwards: a price should not be too
low, and a cut text must fit. The cut is part of the embedding space: CUT_RULE changes whenever its result does.
"""

import re
from collections.abc import Callable

CUT_RULE = "estimate-1"
_SAFETY = 1.25  # cut so that even a quarter more tokens than estimated fit

_PIECES = re.compile(
    r"(?P<word>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<space>[ \t]+)|(?P<line>\s+)|(?P<ascii>[!-~])"
    r"|(?P<alphabet>[\u00a1-\u058f]+)"  # Latin with accents, Greek, Cyrillic, Armenian
    r"|(?P<cjk>[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+)|(?P<other>.)",
    re.DOTALL,
)


def estimate_tokens(text: str) -> int:
    """About how many tokens the text has; at least 1."""
    return max(1, round(sum(_piece_tokens(piece) for piece in _PIECES.finditer(text))))


def cut_text(text: str, max_tokens: int | None) -> str:
    """The longest beginning that is sure to fit the model; the text itself if it fits or no limit is known."""
    if max_tokens is None or len(text.encode("utf-8", "surrogatepass")) <= max_tokens:
        return text  # no byte-level tokenizer makes more tokens than there are bytes
    return text[: count_fitting_chars(text, max_tokens / _SAFETY)]


def count_fitting_chars(text: str, allowed: float) -> int:
    """The length of the longest beginning of `text` with at most `allowed` estimated tokens."""
    used = 0.0
    for piece in _PIECES.finditer(text):
        tokens = _piece_tokens(piece)
        if used + tokens > allowed:
            share = (allowed - used) / tokens if piece.lastgroup in ("word", "cjk", "alphabet", "digits") else 0.0
            return piece.start() + int(len(piece[0]) * share)
        used += tokens
    return len(text)


def _piece_tokens(piece: "re.Match[str]") -> float:
    return _TOKENS[piece.lastgroup or "other"](piece[0])


_TOKENS: "dict[str, Callable[[str], float]]" = {
    # up to 14 letters a word or a name; longer ones are mostly encoded data, two letters a token
    "word": lambda letters: 1 + (len(letters) - 1) // 7 if len(letters) <= 14 else len(letters) / 2,
    "digits": lambda digits: (len(digits) + 2) // 3,
    "space": lambda spaces: 0.0 if len(spaces) == 1 else 1.0,  # one space belongs to the next word
    "line": lambda _: 1.0,
    "ascii": lambda _: 0.8,
    "alphabet": lambda letters: len(letters) / 2,
    "cjk": lambda signs: len(signs) * 1.3,
    "other": lambda sign: float(len(sign.encode("utf-8", "surrogatepass"))),
}
