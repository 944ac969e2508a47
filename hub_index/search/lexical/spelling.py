"""Typos: an unknown word → the hub's most likely own word.

One edit (a letter too many, too few, another, or two swapped) in words of four letters and more, two in words of
eight and more, against the words written in names, descriptions and keywords, but not in bodies, which have typos too.
A word of three letters may lack its last one: `ppt` in a hub that only says `pptx`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hub_index.search.lexical.lexical import LexicalIndex

MIN_CHARS = 4
MIN_CHARS_TWO_EDITS = 8
MAX_CHARS = 32  # longer words are identifiers
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MAX_SCANNED = 20_000  # words with the same first letter that are compared for two edits


def suggest_word(index: LexicalIndex, word: str) -> str:
    """The most common word of the hub within reach of an unknown one; empty without one."""
    word = word.lower()
    if len(word) > MAX_CHARS or not word.isascii() or not word.isalpha():
        return ""
    if len(word) < MIN_CHARS:
        longer = {word + letter for letter in ALPHABET}
        return _most_common(index, longer, word) if len(word) == MIN_CHARS - 1 else ""
    best = _most_common(index, one_edit(word), word)
    if best or len(word) < MIN_CHARS_TWO_EDITS:
        return best
    # the first letter is hardly ever wrong twice over, and it cuts the words to look at to a tenth
    hub_words = index.searcher.terms_with_prefix("words", word[0], limit=MAX_SCANNED)
    near = {other: count for other, count in hub_words if is_within_two_edits(word, other)}
    return max(near, key=lambda other: (near[other], other), default="")


def latin_words(text: str) -> list[str]:
    """The stretches of ASCII letters and digits in a text of any script."""
    return "".join([c if c.isascii() and c.isalnum() else " " for c in text]).split()


def replace_words(text: str, words: Mapping[str, str]) -> str:
    """The text with some of its latin words replaced."""
    parts: list[str] = []
    start = 0
    for at in range(len(text) + 1):
        if at < len(text) and text[at].isascii() and text[at].isalnum():
            continue
        word = text[start:at]
        parts += [words.get(word, word), text[at : at + 1]]
        start = at + 1
    return "".join(parts)


def one_edit(word: str) -> set[str]:
    """Every spelling that one typo could have turned into the word."""
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    spellings = {left + right[1:] for left, right in halves if right}
    spellings |= {left + right[1] + right[0] + right[2:] for left, right in halves if len(right) > 1}
    spellings |= {left + letter + right[1:] for left, right in halves if right for letter in ALPHABET}
    spellings |= {left + letter + right for left, right in halves for letter in ALPHABET}
    return spellings - {word}


def is_within_two_edits(word: str, other: str) -> bool:
    """Whether at most two typos lie between the words (Damerau's four kinds, no letter moved twice)."""
    if abs(len(word) - len(other)) > 2 or len(other) < MIN_CHARS or not other.isalpha():
        return False
    if len(set(word) - set(other)) > 2 or len(set(other) - set(word)) > 2:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        current = [i]
        for j, target in enumerate(other, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (letter != target))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == target:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > 2:
            return False
        before, row = row, current
    return row[-1] <= 2


def _most_common(index: LexicalIndex, spellings: set[str], word: str) -> str:
    counts = {other: index.searcher.doc_freq("words", other) for other in spellings}
    # at equal numbers the word that begins like the one typed, then the alphabet: the choice never varies
    ranked = [(count, other[0] == word[0], other) for other, count in counts.items() if count and len(other) > 2]
    return max(ranked)[2] if ranked else ""
