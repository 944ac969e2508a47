"""The derived dictionary as bytes: a header line, characters to fold, Chinese words with glosses, glosses with words.

All tables are sorted and mapped: a query reads a few pages of 5 MB and builds nothing. The checksum in the header
covers the rest of the file, and the key of its source.
"""

from array import array
from binascii import crc32
from bisect import bisect_left
from sys import byteorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MAGIC = b"hub-index dictionary 2"
_MAX_HEADER_BYTES = 200
_SEPARATOR = ";"
_LEAD_BYTES = 3  # of a key: one Chinese character, or three letters


def encode_dictionary(
    key: str, words: "Mapping[str, list[str]]", english: "Mapping[str, list[str]]", fold: "Mapping[str, str]"
) -> bytes:
    """The file of Chinese words with their glosses, of glosses with their words, and of characters that are folded."""
    characters = "".join(fold) + "\n" + "".join(fold.values())
    sections = (characters.encode(), *_encode_lines(words), *_encode_lines(english))
    body = b"".join(sections)
    sizes = " ".join(str(len(section)) for section in sections)
    return _MAGIC + f" {_checksum(body, key):08x} {sizes}\n".encode() + body


def _checksum(body: "bytes | memoryview", key: str) -> int:
    return crc32(body, crc32(key.encode()))


def _encode_lines(entries: "Mapping[str, list[str]]") -> tuple[bytes, bytes, bytes]:
    """Where the keys with the same beginning start, and all keys with their values, sorted."""
    starts: dict[int, int] = {}
    lines = ["\n"]
    at = 1
    for key in sorted(entries, key=str.encode):
        starts.setdefault(_lead(key), at - 1)  # the line feed before a key is part of what is looked for
        lines.append(f"{key}\t{_SEPARATOR.join(entries[key])}\n")
        at += len(lines[-1].encode())
    return _little(array("I", starts)), _little(array("I", starts.values())), "".join(lines).encode()


def _lead(key: str) -> int:
    return int.from_bytes(key.encode()[:_LEAD_BYTES].ljust(_LEAD_BYTES, b"\0"), "big")


class _Lines:
    """Sorted keys with their values."""

    __slots__ = ("_leads", "_offsets", "lines")

    def __init__(self, leads: memoryview, offsets: memoryview, lines: memoryview) -> None:
        self._leads, self._offsets, self.lines = _numbers(leads), _numbers(offsets), lines

    def region(self, key: str) -> bytes:
        """The lines of all keys that begin as this one does, from the line feed before them on."""
        lead = _lead(key)
        at = bisect_left(self._leads, lead)
        if at == len(self._leads) or self._leads[at] != lead:
            return b""
        end = self._offsets[at + 1] + 1 if at + 1 < len(self._offsets) else len(self.lines)
        return bytes(self.lines[self._offsets[at] : end])

    def values_of(self, key: str) -> list[str]:
        """The values beside the key; empty if the key is missing or has none."""
        region = self.region(key)
        head = f"\n{key}\t".encode()
        at = region.find(head)
        if at < 0:
            return []
        line = region[at + len(head) : region.index(b"\n", at + len(head))].decode()
        return line.split(_SEPARATOR) if line else []


class DerivedFile:
    """An open derived dictionary. Raises ValueError if the content is not what was written under this key."""

    __slots__ = ("_english", "_fold", "_words")

    def __init__(self, content: memoryview, key: str) -> None:
        header, feed, _ = bytes(content[:_MAX_HEADER_BYTES]).partition(b"\n")
        if not feed or not header.startswith(_MAGIC + b" "):
            raise ValueError("not a derived dictionary")
        checksum, *numbers = header[len(_MAGIC) + 1 :].split(b" ")
        sizes = list(map(int, numbers))
        body = content[len(header) + 1 :]
        if len(sizes) != 7 or len(body) != sum(sizes) or _checksum(body, key) != int(checksum, 16):
            raise ValueError("a damaged derived dictionary")
        parts = []
        for size in sizes:
            parts.append(body[:size])
            body = body[size:]
        old, new = bytes(parts[0]).decode().split("\n")
        self._fold = dict(zip(map(ord, old), new, strict=True))
        self._words = _Lines(*parts[1:4])
        self._english = _Lines(*parts[4:])

    def fold(self, text: str) -> str:
        """The text in simplified characters."""
        return text.translate(self._fold)

    def words_at(self, text: str, start: int, max_chars: int) -> "Iterable[str]":
        """The words of the dictionary that the text has from `start` on, the shortest first."""
        region = self._words.region(text[start])
        if not region:
            return
        for end in range(start + 1, min(len(text), start + max_chars) + 1):
            if region.find(f"\n{text[start:end]}\t".encode()) >= 0:
                yield text[start:end]

    def glosses_of(self, word: str) -> list[tuple[str, ...]]:
        """The tokens of each of the word's glosses; empty if it has none."""
        return [tuple(gloss.split(" ")) for gloss in self._words.values_of(word)]

    def words_for(self, gloss: str) -> list[str]:
        """The Chinese words that the gloss, tokens joined by spaces, translates; the best first."""
        return self._english.values_of(gloss)

    def entries(self) -> "Iterator[tuple[str, list[tuple[str, ...]]]]":
        """Every word with its glosses, in the file's order."""
        for word, glosses in _entries(self._words):
            yield word, [tuple(gloss.split(" ")) for gloss in glosses]

    def english_entries(self) -> "Iterator[tuple[str, list[str]]]":
        """Every gloss with its words, in the file's order."""
        return _entries(self._english)

    def folded_characters(self) -> dict[str, str]:
        """Traditional → simplified characters."""
        return {chr(old): new for old, new in self._fold.items()}


def _entries(lines: _Lines) -> "Iterator[tuple[str, list[str]]]":
    for line in bytes(lines.lines).decode().split("\n"):
        key, tab, values = line.partition("\t")
        if tab:
            yield key, values.split(_SEPARATOR) if values else []


def _little(numbers: "array[int]") -> bytes:
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _numbers(content: memoryview) -> "array[int]":
    numbers = array("I", content.tobytes())
    if byteorder == "big":
        numbers.byteswap()
    return numbers
