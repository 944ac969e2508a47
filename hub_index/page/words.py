"""The hub's words: for queries with a prefix, and for a visitor's typos.

Tokens of texts and of paths in a file for each first character, and written words in one file: a half-typed word looks
like a typo, whose first letter may be any. Each with the number of documents that hold it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from hub_index.page.shards import encode_json
from hub_index.page.terms import Postings
from hub_index.record import Record
from hub_index.search.lexical.tokens import split_words

_OTHERS = "_"  # the file of words that begin with anything but a-z and 0-9


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
