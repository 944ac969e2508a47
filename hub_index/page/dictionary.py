"""The dictionary of the page: words by first character, with glosses that the hub knows.

All Chinese words, because a run of characters is cut into the fewest of them; only the glosses whose every token is in
the hub. Only the English words with Chinese words that the hub's names and descriptions hold. CC-CEDICT is CC BY-SA
4.0, which the page says.
"""

from collections.abc import Callable, Mapping

from hub_index.page.shards import encode_json
from hub_index.page.words import file_of
from hub_index.search.lexical.translation.derived_file import DerivedFile
from hub_index.search.lexical.translation.to_chinese import choose_meanings

SHARDS = 64  # by the first character's number: a query asks for as many as it has different characters, at the most


def encode_words(dictionary: DerivedFile, known: Mapping[str, int]) -> list[bytes]:
    """The shards: word → glosses, each as its tokens joined by spaces."""
    shards: list[dict[str, list[str]]] = [{} for _ in range(SHARDS)]
    for word, glosses in dictionary.entries():
        held = [" ".join(gloss) for gloss in glosses if all(known.get(token) for token in gloss)]
        if held or len(word) > 1:
            shards[ord(word[0]) % SHARDS][word] = held
    return [encode_json(shard) for shard in shards]


def encode_english(dictionary: DerivedFile, is_held: Callable[[str], bool]) -> dict[str, bytes]:
    """A file for each first character: gloss, as its tokens joined by spaces → Chinese words."""
    files: dict[str, dict[str, list[str]]] = {}
    for gloss, words in dictionary.english_entries():
        if held := choose_meanings(words, is_held):
            files.setdefault(file_of(gloss), {})[gloss] = list(held.values())
    return {name: encode_json(content) for name, content in sorted(files.items())}


def encode_fold(dictionary: DerivedFile) -> bytes:
    """The characters that are folded before a word is looked up, and what to."""
    fold = dictionary.folded_characters()
    return encode_json(["".join(fold), "".join(fold.values())])
