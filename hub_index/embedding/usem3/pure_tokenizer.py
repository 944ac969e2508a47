"""sentencepiece's unigram cut in plain Python, on a table that need not be loaded: for the short text of a query.

Used by `tokenizer`, which uses sentencepiece itself if this module returns None. Gives sentencepiece's ids by
construction (its normaliser, its Viterbi, its float arithmetic), which is checked for every new table and by tests.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_SPACE = "\u2581".encode()
_NORMAL, _UNKNOWN, _CONTROL, _USER = 1, 2, 3, 4
_SLOTS = 1 << 19  # four times the pieces: most look-ups of an unknown piece end at the first slot, which is empty
_UNKNOWN_PENALTY = 10.0
_FLOAT = struct.Struct("<f")


@dataclass(frozen=True, slots=True)
class PieceTable:
    """The vocabulary as flat bytes: an open hash table of ids, the pieces' bytes and scores, the normaliser's trie."""

    slots: memoryview  # uint32: id + 1, or 0
    starts: memoryview  # uint32: where piece `id` begins in `pool`
    pool: memoryview  # bytes
    scores: memoryview  # float32
    trie: memoryview  # uint32: darts-clone double array
    replacements: memoryview  # bytes, each ended by NUL
    numbers: memoryview  # float32: the lowest score, characters in the longest piece
    symbols: memoryview  # bytes, separated by NUL: user-defined pieces, which sentencepiece treats apart

    def encode_pieces(self, text: str) -> list[int] | None:
        """The text's ids; None if only sentencepiece itself can cut it."""
        symbols = bytes(self.symbols).decode().split("\0") if len(self.symbols) else []
        if "\0" in text or any(symbol in text for symbol in symbols):
            return None
        normal = self._normalize(text.encode()).decode()
        if any(symbol in normal for symbol in symbols):
            return None
        pieces = self._cut(normal)
        # a run of unknown characters is one unknown piece
        return [piece for at, piece in enumerate(pieces) if piece or at == 0 or pieces[at - 1]]

    def _cut(self, text: str) -> list[int]:
        """The path of highest score; of equal ones the one found first, as in sentencepiece."""
        unknown_score = _round32(self.numbers[0] - _UNKNOWN_PENALTY)
        longest = int(self.numbers[1])
        size = len(text)
        best: list[float | None] = [0.0] + [None] * size
        came_from = [(0, 0)] * (size + 1)
        for start in range(size):
            here = best[start] or 0.0
            single = False
            for end in range(start + 1, min(start + longest, size) + 1):
                piece = self._find(text[start:end].encode())
                if piece is None:
                    continue
                single |= end == start + 1
                # float32 at each step, as in sentencepiece: it decides which of two near equals wins
                score, best_score = _round32(here + self.scores[piece]), best[end]
                if best_score is None or score > best_score:
                    best[end], came_from[end] = score, (start, piece)
            if not single:
                score, best_score = _round32(here + unknown_score), best[start + 1]
                if best_score is None or score > best_score:
                    best[start + 1], came_from[start + 1] = score, (start, 0)
        return _walk_back(came_from)

    def _find(self, piece: bytes) -> int | None:
        slot = zlib.crc32(piece) % _SLOTS
        while entry := self.slots[slot]:
            if self.pool[self.starts[entry - 1] : self.starts[entry]] == piece:
                return int(entry - 1)
            slot = (slot + 1) % _SLOTS
        return None

    def _normalize(self, raw: bytes) -> bytes:
        out = bytearray()
        after_space = True
        at = 0
        while at < len(raw):
            length, part = self._replace(raw, at)
            at += length
            if after_space:
                part = part.lstrip(b" ")
            if part:
                out += part
                after_space = part.endswith(b" ")
        kept = bytes(out).rstrip(b" ")
        # A text may hold U+2581 itself; at its end that is removed with the spaces.
        marked = kept.replace(b" ", _SPACE)
        while marked.endswith(_SPACE):
            marked = marked.removesuffix(_SPACE)
        return _SPACE + marked if marked or kept else b""

    def _replace(self, raw: bytes, at: int) -> tuple[int, bytes]:
        """The length of the trie's longest key at this place, and its replacement."""
        trie = self.trie
        node = (trie[0] >> 10) << ((trie[0] & 0x200) >> 6)
        length = value = 0
        for end in range(at, len(raw)):
            node ^= raw[end]
            unit = trie[node]
            if unit & 0x800000FF != raw[end]:
                break
            node ^= (unit >> 10) << ((unit & 0x200) >> 6)
            if unit & 0x100:
                length, value = end + 1 - at, trie[node] & 0x7FFFFFFF
        if length == 0:
            length = _utf8_length(raw[at])
            return length, raw[at : at + length]
        end = value
        while self.replacements[end]:
            end += 1
        return length, bytes(self.replacements[value:end])


def encode_table(model: bytes) -> dict[str, bytes] | None:
    """The parts of a PieceTable from a sentencepiece model; None if it uses what this module does not support."""
    pieces: list[tuple[bytes, float, int]] = []
    charsmap = b""
    for field, value in _fields(model):
        if field == 1 and isinstance(value, bytes):
            piece = dict(_fields(value))
            pieces.append((piece[1], piece.get(2, 0.0), piece.get(3, _NORMAL)))  # type: ignore[arg-type]
        elif field == 3 and isinstance(value, bytes):
            spec = dict(_fields(value))
            if not (spec.get(3, 1) == spec.get(4, 1) == spec.get(5, 1) == 1) or not isinstance(spec.get(2), bytes):
                return None
            charsmap = spec[2]  # type: ignore[assignment]
    if not charsmap or {kind for _, _, kind in pieces} - {_NORMAL, _UNKNOWN, _CONTROL, _USER} or pieces[0][2] != 2:
        return None
    return _encode_parts(pieces, charsmap)


def _encode_parts(pieces: list[tuple[bytes, float, int]], charsmap: bytes) -> dict[str, bytes]:
    slots = [0] * _SLOTS
    starts = [0]
    for number, (piece, _, kind) in enumerate(pieces):
        starts.append(starts[-1] + len(piece))
        if kind == _NORMAL:
            slot = zlib.crc32(piece) % _SLOTS
            while slots[slot]:
                slot = (slot + 1) % _SLOTS
            slots[slot] = number + 1
    normal = [(piece, score) for piece, score, kind in pieces if kind == _NORMAL]
    trie_end = 4 + int.from_bytes(charsmap[:4], "little")
    return {
        "slots": struct.pack(f"={_SLOTS}I", *slots),
        "starts": struct.pack(f"={len(starts)}I", *starts),
        "pool": b"".join(piece for piece, _, _ in pieces),
        "scores": struct.pack(f"={len(pieces)}f", *(score for _, score, _ in pieces)),
        "trie": charsmap[4:trie_end],
        "replacements": charsmap[trie_end:] + b"\0",
        "numbers": struct.pack("=2f", min(s for _, s in normal), max(len(piece.decode()) for piece, _ in normal)),
        "symbols": b"\0".join(piece for piece, _, kind in pieces if kind == _USER),
    }


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int | float]]:
    """Fields of a protocol-buffer message: bytes, floats (fixed 32 bits) and whole numbers."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
        elif kind == 2:
            length, at = _varint(message, at)
            yield tag >> 3, message[at : at + length]
            at += length
        elif kind == 5:
            yield tag >> 3, _FLOAT.unpack_from(message, at)[0]
            at += 4
        else:
            at += 8


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _walk_back(came_from: list[tuple[int, int]]) -> list[int]:
    pieces: list[int] = []
    end = len(came_from) - 1
    while end > 0:
        end, piece = came_from[end]
        pieces.append(piece)
    return pieces[::-1]


def _round32(number: float) -> float:
    rounded: float = _FLOAT.unpack(_FLOAT.pack(number))[0]
    return rounded


def _utf8_length(first: int) -> int:
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
