"""Words that people say every day → one data file of the page, which every answer needs: a few kilobytes to a visitor.

It holds spellings for one thing, the words of small talk, and words by which a query is known not to be English. Other
spellings are kept where the hub holds all their words: the browser loads no shard for a spelling that finds nothing.
"""

from collections.abc import Callable

from hub_index.page.data.data_file import encode_json
from hub_index.search.lexical.synonyms import read_forms
from hub_index.search.ranking.small_talk import read_vocabulary
from hub_index.search.words.foreign_words import FOREIGN_WORDS
from hub_index.search.words.tokens import tokenize


def encode_everyday(is_held: Callable[[str], bool]) -> bytes:
    """The file for a hub that holds these tokens."""
    return encode_json(
        {
            "forms": _list_forms(is_held),
            "smallTalk": sorted(read_vocabulary()),
            "foreign": sorted(FOREIGN_WORDS),
        }
    )


def _list_forms(is_held: Callable[[str], bool]) -> dict[str, list[str]]:
    """Each spelling with its others, as tokens joined by spaces; one that finds nothing still hides shorter ones."""
    forms: dict[str, list[str]] = {}
    for form, spellings in read_forms().items():
        others = dict.fromkeys([tuple(tokenize(spelling)) for spelling in spellings])
        forms[form] = [" ".join(other) for other in others if other and all(map(is_held, other))]
    return forms
