"""The derived dictionary as bytes: a header line, characters to fold, where each first character begins, the words.

Everything that is looked up lies sorted and mapped: a query reads a few pages of 4 MB and builds nothing. The checksum
in the header covers all that follows it.
"""

from array import array
from binascii import crc32
from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MAGIC = b"hub-index dictionary 1"
_MAX_HEADER_BYTES = 200
_GLOSS_SEPARATOR = ";"


def encode_dictionary(words: "Mapping[str, list[str]]", fold: "Mapping[str, str]") -> bytes:
    """The file of these words and of the characters that are folded."""
    characters = "".join(fold) + "\n" + "".join(fold.values())
    starts: dict[int, int] = {}
    lines = ["\n"]
    at = 1
    for word in sorted(words, key=str.encode):
        starts.setdefault(ord(word[0]), at - 1)  # the line feed before a word is part of what is looked for
        lines.append(f"{word}\t{_GLOSS_SEPARATOR.join(words[word])}\n")
        at += len(lines[-1].encode())
    codes, offsets = array("I", starts), array("I", starts.values())
    sections = (characters.encode(), _little(codes), _little(offsets), "".join(lines).encode())
    body = b"".join(sections)
    sizes = " ".join(str(len(section)) for section in sections)
    return _MAGIC + f" {crc32(body):08x} {sizes}\n".encode() + body


class DerivedFile:
    """An open derived dictionary. Raises ValueError where the content is not what was written."""

    __slots__ = ("_codes", "_fold", "_offsets", "_words")

    def __init__(self, content: memoryview) -> None:
        header, feed, _ = bytes(content[:_MAX_HEADER_BYTES]).partition(b"\n")
        if not feed or not header.startswith(_MAGIC + b" "):
            raise ValueError("not a derived dictionary")
        checksum, *numbers = header[len(_MAGIC) + 1 :].split(b" ")
        characters, codes, offsets, words = map(int, numbers)
        body = content[len(header) + 1 :]
        if len(body) != characters + codes + offsets + words or crc32(body) != int(checksum, 16):
            raise ValueError("a damaged derived dictionary")
        old, new = bytes(body[:characters]).decode().split("\n")
        self._fold = dict(zip(map(ord, old), new, strict=True))
        self._codes = _numbers(body[characters:][:codes])
        self._offsets = _numbers(body[characters + codes :][:offsets])
        self._words = body[characters + codes + offsets :]

    def fold(self, text: str) -> str:
        """The text in simplified characters."""
        return text.translate(self._fold)

    def words_at(self, text: str, start: int, max_chars: int) -> "Iterable[str]":
        """The words of the dictionary that the text has from `start` on, the shortest first."""
        region = self._region(text[start])
        if not region:
            return
        for end in range(start + 1, min(len(text), start + max_chars) + 1):
            if region.find(f"\n{text[start:end]}\t".encode()) >= 0:
                yield text[start:end]

    def glosses_of(self, word: str) -> list[tuple[str, ...]]:
        """The tokens of each of the word's glosses; empty where it has none."""
        region = self._region(word[0])
        head = f"\n{word}\t".encode()
        at = region.find(head)
        if at < 0:
            return []
        line = region[at + len(head) : region.index(b"\n", at + len(head))].decode()
        return [tuple(gloss.split(" ")) for gloss in line.split(_GLOSS_SEPARATOR)] if line else []

    def entries(self) -> "Iterator[tuple[str, list[tuple[str, ...]]]]":
        """Every word with its glosses, in the file's order."""
        for line in bytes(self._words).decode().split("\n"):
            word, tab, glosses = line.partition("\t")
            if tab:
                parts = glosses.split(_GLOSS_SEPARATOR) if glosses else []
                yield word, [tuple(gloss.split(" ")) for gloss in parts]

    def folded_characters(self) -> dict[str, str]:
        """Traditional → simplified characters."""
        return {chr(old): new for old, new in self._fold.items()}

    def _region(self, first: str) -> bytes:
        """The lines of all words that begin with this character, from the line feed before them on."""
        at = bisect_left(self._codes, ord(first))
        if at == len(self._codes) or self._codes[at] != ord(first):
            return b""
        end = self._offsets[at + 1] + 1 if at + 1 < len(self._offsets) else len(self._words)
        return bytes(self._words[self._offsets[at] : end])


def _little(numbers: "array[int]") -> bytes:
    from sys import byteorder

    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _numbers(content: memoryview) -> "array[int]":
    from sys import byteorder

    numbers = array("I", content.tobytes())
    if byteorder == "big":
        numbers.byteswap()
    return numbers
