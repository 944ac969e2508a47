"""Documents → posting lists in shards, from which the browser computes the lexical score of the command line.

A token's shard is chosen by its hash, so that an edit changes only the shards of tokens that came or went. Lengths are
rounded as tantivy rounds them (one byte, Lucene's code), or scores would differ in the last places.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_BODY_CHARS
from hub_index.page.sections import encode_sections
from hub_index.record import Record
from hub_index.search.lexical.build import exact_keys
from hub_index.search.lexical.tokens import has_cjk, is_cjk, tokenize

FIELDS = ("name", "description", "keywords", "body", "foreign", "path")
_EXACT = "="  # before an id or a name as a whole; no token holds a sign
_SHARD_BYTES = 64_000  # before compression: about half of it to a visitor, for each word of a query
_EXACT_LENGTHS = 40  # tantivy keeps lengths up to here, then eight steps for each power of two


class PageDocument(FrozenValue):
    """A skill in its row of the page."""

    row: int
    record: Record
    body: str


class DocumentTokens(FrozenValue):
    """A document's tokens in each field, and whether any of them is CJK."""

    fields: dict[str, list[str]]
    has_cjk: bool


class Postings:
    """Every token's documents, and the length of every document's fields."""

    def __init__(self, rows: int) -> None:
        self.lists: dict[str, list[list[tuple[int, int]]]] = {}
        self.known: Counter[str] = Counter()  # in how many documents a token stands, in any field that scores
        self.in_paths: Counter[str] = Counter()  # the same for the words of paths
        self.lengths = {field: np.zeros(rows, np.uint32) for field in FIELDS if field != "foreign"}
        self.name_sizes = np.zeros(rows, np.uint8)
        self.count = self.cjk_count = 0

    def add(self, document: PageDocument) -> None:
        """Adds a document; rows come in rising order."""
        found = tokens_of(document)
        self.count += 1
        self.cjk_count += found.has_cjk
        self.name_sizes[document.row] = min(255, len(set(found.fields["name"])))
        for number, field in enumerate(FIELDS):
            for token, times in Counter(found.fields[field]).items():
                self._lists_of(token)[number].append((document.row, times))
        for field, lengths in self.lengths.items():
            lengths[document.row] = len(found.fields[field])
        self.lengths["body"][document.row] += len(found.fields["foreign"])
        scoring = [field for field in FIELDS if field != "path"]
        self.known.update({token for field in scoring for token in found.fields[field]})
        self.in_paths.update(set(found.fields["path"]))
        for key in {*exact_keys(document.record.id), *exact_keys(document.record.name)}:
            self._lists_of(_EXACT + key)[0].append((document.row, 1))

    def _lists_of(self, token: str) -> list[list[tuple[int, int]]]:
        return self.lists.setdefault(token, [[] for _ in FIELDS])


def tokens_of(document: PageDocument) -> DocumentTokens:
    """The document's tokens, field by field, as the command line's index has them."""
    record = document.record
    name, description = tokenize(record.name), tokenize(record.description)
    keywords, body = tokenize(" ".join(record.keywords)), tokenize(document.body[:MAX_BODY_CHARS])
    cjk = {token for token in (*name, *description, *keywords, *body) if is_cjk(token[0])}
    foreign: list[str] = []
    if cjk and not has_cjk(record.name) and not has_cjk(record.description):
        foreign = [token for token in body if token in cjk]
        body = [token for token in body if token not in cjk]
    values = (name, description, keywords, body, foreign, tokenize(record.path))
    return DocumentTokens(dict(zip(FIELDS, values, strict=True)), bool(cjk))


def length_codes(lengths: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Each length as tantivy's byte: the place of the greatest known length that is not longer."""
    return (np.searchsorted(known_lengths(), lengths, side="right") - 1).astype(np.uint8)


def known_lengths() -> NDArray[np.uint32]:
    """The 256 lengths that a byte can tell apart."""
    steps = [24 + (((at & 7) | 8) << ((at >> 3) - 1)) if at >= 8 else 24 + at for at in range(232)]
    return np.array([*range(24), *steps], np.uint64).clip(max=2**32 - 1).astype(np.uint32)


def encode_shards(postings: Postings) -> list[bytes]:
    """The shards, a power of two of them, before compression."""
    encoded = {token: _encode_token(postings.known[token], lists) for token, lists in postings.lists.items()}
    total = sum(map(len, encoded.values()))
    count = 1 << max(0, (total // _SHARD_BYTES).bit_length())
    shards: list[list[str]] = [[] for _ in range(count)]
    for token in sorted(encoded):
        shards[shard_of(token, count)].append(token)
    return [_encode_shard(tokens, [encoded[token] for token in tokens]) for tokens in shards]


def shard_of(token: str, count: int) -> int:
    """A token's shard among a power of two of them: FNV-1a over its UTF-8, which a browser computes as well."""
    number = 0x811C9DC5
    for byte in token.encode():
        number = ((number ^ byte) * 0x01000193) & 0xFFFFFFFF
    return (number ^ (number >> 15)) & (count - 1)


def _encode_shard(tokens: Sequence[str], values: Sequence[bytes]) -> bytes:
    names = np.frombuffer("\n".join(tokens).encode(), np.uint8)
    ends = np.cumsum([len(value) for value in values], dtype=np.uint32)
    lists = np.frombuffer(b"".join(values), np.uint8)
    return encode_sections({"tokens": names, "ends": ends.astype(np.uint32), "lists": lists})


def _encode_token(known: int, lists: Iterable[Sequence[tuple[int, int]]]) -> bytes:
    out = bytearray()
    _append_number(out, known)
    for postings in lists:
        _append_number(out, len(postings))
        before = 0
        for row, times in postings:
            _append_number(out, row - before)
            _append_number(out, times)
            before = row
    return bytes(out)


def _append_number(out: bytearray, number: int) -> None:
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
