"""Text → tokens: the one tokenizer of the lexical leg, for documents and for queries.

Lower-case words, split at everything that is neither letter nor digit and at camelCase (the joined form is kept),
ASCII words stemmed, stop words gone, CJK as character bigrams. Over whole hubs `str.translate` with a memo of
words is faster than `re`.
"""

from itertools import chain
from unicodedata import category, normalize

from Stemmer import Stemmer

from hub_index.base.characters import split_for_normal_form
from hub_index.search.words.stopwords import CJK_CHARACTERS, CJK_WORDS, ENGLISH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TOKENS_VERSION = 1  # part of the lexical cache's key: raise it with every change of the tokens

MAX_TOKEN_CHARS = 64  # keys, hashes and base64 lines of bodies; a longer word is cut, in query and document alike
_MAX_MEMO_CHARS = 40  # longer words are keys and sentences without spaces: they hardly ever come again
_MAX_MEMO_WORDS = 300_000  # some 50 MB; a hub of 6,793 real skills has about 130,000 distinct words
_FIRST_CJK = "\u1100"  # a text or token that is less begins with none
_ASCII_SPLIT = bytes(i if i > 127 or chr(i).isalnum() else 32 for i in range(256))

_stem_word = Stemmer("english", 0).stemWord  # its own cache is slower than the memos below


class _Split(dict[int, str]):
    """Maps letters, digits and the marks that belong to them to themselves, all else to a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character if character.isalnum() or category(character)[0] == "M" else " "
        self[code] = kept
        return kept


class _Memo(dict[bytes, bytes]):
    """A stretch without ASCII signs or spaces → its tokens, joined by spaces, worked out when it first comes."""

    def __missing__(self, stretch: bytes) -> bytes:
        word = stretch.decode()
        found = " ".join(_latin_tokens(word) if stretch.isascii() else _foreign_tokens(word)).encode()
        if len(word) > _MAX_MEMO_CHARS:
            return found
        if len(self) >= _MAX_MEMO_WORDS:
            self.clear()
            _runs.clear()
            _long_runs.clear()
        # one object for equal tokens, whatever words they come from: `join_distinct` knows it again at first sight
        tokens = self[stretch] = _runs.setdefault(found, found)
        if b" " in tokens:
            _long_runs.add(tokens)
        return tokens


_split = _Split()
_tokens_of = _Memo()
_runs: dict[bytes, bytes] = {}  # what the memo gives, each once
_long_runs: set[bytes] = set()  # the runs that hold several tokens


def tokenize(text: str) -> list[str]:
    """The tokens of a text, in its order."""
    return b" ".join(token_runs(encode_text(text))).decode().split()


def token_runs(content: bytes) -> list[bytes]:
    """The tokens of a text in UTF-8, in its order, those of one stretch joined by spaces: `PowerPoint` gives one run.

    A third quicker than separate tokens, for callers that join them again, and bytes a fifth quicker than texts.
    Raises UnicodeDecodeError for other bytes than UTF-8.
    """
    return list(filter(None, map(_tokens_of.__getitem__, content.translate(_ASCII_SPLIT).split())))


def encode_text(text: str) -> bytes:
    """The text in UTF-8; half of a character, which another writer's text may hold, is a question mark."""
    return text.encode("utf-8", "replace")


def join_distinct(runs: "Iterable[bytes]") -> bytes:
    """Every token of these runs, once, joined by spaces; in no certain order."""
    distinct = set(runs)  # a dict, which would keep their order, takes a third longer
    long = distinct & _long_runs  # quicker than to look into every run
    distinct -= long
    distinct.update(b" ".join(long).split())
    joined = b" ".join(distinct)
    if joined.count(b" ") >= len(distinct):  # another long run, which the memo has not kept
        joined = b" ".join(set(joined.split()))
    return joined


def is_cjk(character: str) -> bool:
    """Whether words of this script are written without spaces between them, or gain from bigrams all the same."""
    return character >= _FIRST_CJK and (
        "\u3005" <= character <= "\u30ff"
        or "\u31f0" <= character <= "\u31ff"
        or "\u3400" <= character <= "\u9fff"
        or "\uac00" <= character <= "\ud7ff"
        or "\uf900" <= character <= "\ufaff"
        or "\uff66" <= character <= "\uffdc"
        or "\u1100" <= character <= "\u11ff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def has_cjk(text: str) -> bool:
    """Whether a text holds a CJK character."""
    # a comparison takes a fourth of a call, and most characters need no more
    return not text.isascii() and any(map(is_cjk, [character for character in text if character >= _FIRST_CJK]))


def cjk_tokens(tokens: "Iterable[str]") -> set[str]:
    """Those of the tokens that begin with a CJK character."""
    return {token for token in tokens if token >= _FIRST_CJK and is_cjk(token[0])}


def is_mostly_cjk(text: str) -> bool:
    """True if a text is written in CJK: at most two Latin letters, as in names and units, for each CJK character."""
    if not has_cjk(text):
        return False
    return 2 * sum(map(is_cjk, text)) >= sum([character.isascii() and character.isalpha() for character in text])


def fold_text(text: str) -> str:
    """The text with width, ligatures and accents evened out: what a user types on any keyboard."""
    if text.isascii():
        return text
    return "".join(map(_fold_piece, split_for_normal_form(text)))


def _fold_piece(text: str) -> str:
    loose = normalize("NFKD", text)
    return normalize("NFC", "".join([c for c in loose if not "\u0300" <= c <= "\u036f"]))


def split_words(text: str) -> list[str]:
    """The words of a text as they are written, without any split at camelCase."""
    words = encode_text(text).translate(_ASCII_SPLIT).decode().split()
    return words if text.isascii() else [part for word in words for part in fold_text(word).translate(_split).split()]


def _foreign_tokens(stretch: str) -> tuple[str, ...]:
    words = fold_text(stretch).translate(_split).split()
    return tuple(chain.from_iterable(map(_word_tokens, words)))


def _word_tokens(word: str) -> tuple[str, ...]:
    if word.isascii() or not has_cjk(word):
        return _latin_tokens(word)
    tokens: list[str] = []
    start = 0
    cjk = is_cjk(word[0])
    for end in range(1, len(word) + 1):
        if end == len(word) or is_cjk(word[end]) != cjk:
            tokens += _bigrams(word[start:end]) if cjk else _latin_tokens(word[start:end])
            start, cjk = end, not cjk
    return tuple(tokens)


def _latin_tokens(word: str) -> tuple[str, ...]:
    word = word[:MAX_TOKEN_CHARS]
    lower = word.lower()
    if lower == word or word.isupper() or word.istitle():
        return () if lower in ENGLISH else (_stem(lower),)
    parts = _camel_parts(word)
    if len(parts) > 1:
        parts = [part for part in parts if len(part) > 1]
        parts.append(word)
    kept = [part.lower() for part in parts]
    return tuple([_stem(part) for part in kept if part not in ENGLISH])


def _stem(word: str) -> str:
    if not word.isascii():
        return word
    stem: str = _stem_word(word)
    if stem[-1] == "s" and len(stem) > 3 and not any(vowel in stem for vowel in "aeiouy"):
        return stem[:-1]  # pdfs, csvs: the stemmer leaves words without a vowel alone
    return stem


def _camel_parts(word: str) -> list[str]:
    """`PowerPoint` → Power, Point; `XMLParser` → XML, Parser; `PDFs` stays whole."""
    if word[-1] == "s" and word[:-1].isupper():
        return [word]
    parts: list[str] = []
    start = 0
    for at in range(1, len(word)):
        if word[at].isupper() and (not word[at - 1].isupper() or word[at + 1 : at + 2].islower()):
            parts.append(word[start:at])
            start = at
    parts.append(word[start:])
    return parts


def _bigrams(run: str) -> list[str]:
    """Pairs of neighbours that may mean something; a lone character is a token too."""
    if len(run) == 1:
        return [] if run in CJK_CHARACTERS else [run]
    return [
        pair
        for pair in map(str.__add__, run, run[1:])
        if pair not in CJK_WORDS and pair[0] not in CJK_CHARACTERS and pair[1] not in CJK_CHARACTERS
    ]
