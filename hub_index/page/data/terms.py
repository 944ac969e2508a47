"""Documents → posting lists in shards, from which the browser computes the lexical score of the command line.

A token's shard is chosen by its hash, so that an edit changes only the shards of tokens that came or went. Lengths are
rounded as tantivy rounds them (one byte, Lucene's code), or scores would differ in the last places.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hub_index.page.data.data_file import encode_json, encode_sections
from hub_index.record import Record
from hub_index.search.lexical.build import CJK_MARKER, CJK_TOLD_MARKER, FOREIGN, MARKERS, REFRAIN, document_terms
from hub_index.search.lexical.prepared import prepare_document
from hub_index.search.words.tokens import split_words

FOREIGN_FIELD = "foreign"  # CJK tokens in the body of an otherwise English skill
FIELDS = ("name", "description", "keywords", "body", FOREIGN_FIELD, "path")
_NAME, _DESCRIPTION = FIELDS.index("name"), FIELDS.index("description")
_EXACT = "="  # before an id or a name as a whole; no token holds a sign
_SHARD_BYTES = 64_000  # before compression: about half of it to a visitor, for each word of a query

_OTHERS = "_"  # the file of words that begin with anything but a-z and 0-9


@dataclass(frozen=True, slots=True)
class PageDocument:
    """A skill in its row of the page."""

    row: int
    record: Record
    body: str


class Postings:
    """Every token's documents, and the length of every document's fields."""

    def __init__(self, rows: int) -> None:
        self.lists: dict[str, list[list[tuple[int, int]]]] = {}
        self.known: Counter[str] = Counter()  # in how many documents a token stands, in any field that scores
        self.in_paths: Counter[str] = Counter()  # the same for the words of paths
        self.lengths = {field: np.zeros(rows, np.uint32) for field in FIELDS if field != FOREIGN_FIELD}
        self.name_sizes = np.zeros(rows, np.uint8)
        self.count = self.cjk_count = self.told_count = 0

    def add(self, document: PageDocument) -> None:
        """Adds a document as in the command line's index; rows come in rising order."""
        prepared = prepare_document(document.record, document.body)
        terms = document_terms(prepared)
        body = terms["body"]
        own = [term for term in body if not term.startswith(FOREIGN)]
        foreign = [term.removeprefix(FOREIGN) for term in body if term.startswith(FOREIGN)]
        fields = {
            **{field: terms[field] for field in FIELDS if field != FOREIGN_FIELD},
            "body": own,
            FOREIGN_FIELD: foreign,
        }
        self.count += 1
        self.cjk_count += CJK_MARKER in terms["all"]
        self.told_count += CJK_TOLD_MARKER in terms["all"]
        self.name_sizes[document.row] = min(255, len(set(prepared.name.split())))
        for number, field in enumerate(FIELDS):
            for token, times in Counter(fields[field]).items():
                if token != REFRAIN:  # it only keeps the field's length
                    self._lists_of(token)[number].append((document.row, times))
        for field, lengths in self.lengths.items():
            lengths[document.row] = len(terms[field])
        self.known.update(token for token in terms["all"] if token not in MARKERS)
        self.in_paths.update(set(terms["path"]))
        for key in terms["key"]:
            self._lists_of(_EXACT + key)[0].append((document.row, 1))

    def is_in_short_field(self, token: str) -> bool:
        """Whether a name or a description holds the token."""
        lists = self.lists.get(token)
        return lists is not None and bool(lists[_NAME] or lists[_DESCRIPTION])

    def _lists_of(self, token: str) -> list[list[tuple[int, int]]]:
        return self.lists.setdefault(token, [[] for _ in FIELDS])


def length_codes(lengths: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Each length as tantivy's byte: the place of the greatest known length that is not longer."""
    return (np.searchsorted(known_lengths(), lengths, side="right") - 1).astype(np.uint8)


def known_lengths() -> NDArray[np.uint32]:
    """The 256 lengths that a byte can hold."""
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


def count_words(records: Iterable[Record]) -> Counter[str]:
    """Every ASCII word of names, descriptions and keywords in lower case, with the number of records that hold it."""
    counts: Counter[str] = Counter()
    for record in records:
        written = split_words(" ".join((record.name, record.description, *record.keywords)))
        counts.update({word.lower() for word in written if word.isascii()})
    return counts


def encode_written(written: Counter[str]) -> bytes:
    """All words as they are written."""
    return encode_json(dict(sorted(written.items())))


def encode_tokens(postings: Postings) -> dict[str, bytes]:
    """A file of tokens for each first character."""
    files: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: {"tokens": {}, "paths": {}})
    for kind, counts in (("tokens", postings.known), ("paths", postings.in_paths)):
        for word in sorted(counts):
            files[file_of(word)][kind][word] = counts[word]
    return {name: encode_json(content) for name, content in sorted(files.items())}


def file_of(word: str) -> str:
    """The file of words that begin as this one does."""
    first = word[0]
    return first if first.isascii() and first.isalnum() else _OTHERS
