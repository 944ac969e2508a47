"""The hub's words by their first character: for queries with a prefix, and for what a visitor may have meant.

A word as it is written stands with the tokens that it is searched by; a token that only bodies hold stands alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from hub_index.page.shards import encode_json
from hub_index.record import Record
from hub_index.search.lexical.tokens import split_words, tokenize

_OTHERS = "_"  # the file of words that begin with anything but a-z and 0-9


def written_words(records: Iterable[Record]) -> set[str]:
    """Every ASCII word of names, descriptions and keywords, in lower case."""
    texts = (" ".join((record.name, record.description, *record.keywords)) for record in records)
    return {word.lower() for text in texts for word in split_words(text) if word.isascii()}


def encode_words(written: Iterable[str], known: Mapping[str, int]) -> dict[str, bytes]:
    """A file for each first character: tokens with the number of documents that hold them, and words with tokens."""
    files: dict[str, dict[str, dict[str, object]]] = defaultdict(lambda: {"tokens": {}, "words": {}})
    for token in sorted(known):
        files[_file_of(token)]["tokens"][token] = known[token]
    for word in sorted(written):
        tokens = [token for token in tokenize(word) if known.get(token)]
        if tokens:
            files[_file_of(word)]["words"][word] = tokens
    return {name: encode_json(content) for name, content in sorted(files.items())}


def _file_of(word: str) -> str:
    first = word[0]
    return first if first.isascii() and first.isalnum() else _OTHERS
