"""A query with Chinese words + an open lexical index → scoring clauses for the English glosses that the hub knows."""

from __future__ import annotations

from functools import partial

import tantivy

from hub_index.frozen import FrozenValue
from hub_index.search.lexical.lexical import FIELD_WEIGHTS
from hub_index.search.lexical.translation.gloss_weights import INCOMPLETE, translated_share, weigh_glosses
from hub_index.search.lexical.translation.segmentation import han_runs, segment
from hub_index.search.words.stopwords import CJK_CHARACTERS, CJK_UNTRANSLATED, CJK_WORDS
from hub_index.search.words.tokens import is_cjk, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.translation.derived_file import DerivedFile
    from hub_index.search.lexical.translation.gloss_weights import WeightedGloss
    from hub_index.search.lexical.translation.translator import Translator

    Fields = Sequence[tuple[str, float]]

_Q = tantivy.Query
_Must, _Should = tantivy.Occur.Must, tantivy.Occur.Should


class TranslatedTerms(FrozenValue):
    """The glosses as clauses, and the glosses themselves, for `--explain`."""

    clauses: tuple[tantivy.Query, ...] = ()
    glosses: tuple[WeightedGloss, ...] = ()
    notice: str = ""


def translate_query(
    index: LexicalIndex, text: str, counts: Mapping[str, float], own_bound: float, translator: Translator
) -> TranslatedTerms:
    """The query's Chinese words in English; nothing if the hub's names and descriptions know its Chinese."""
    if not _unknown_share(index, counts):
        return TranslatedTerms()
    opened = translator.open()
    if opened.file is None:
        return TranslatedTerms(notice=opened.notice)
    words = split_han_words(text, opened.file)
    translation = weigh_glosses(words, partial(_glosses_of, opened.file), index.idf_of, index.unknown_idf)
    # pairs of characters that belong to two words are hardly ever known, and would count against a Chinese hub
    unknown_share = _unknown_share(index, [token for word in words for token in tokenize(word)])
    share = translated_share(own_bound, translation.bound, unknown_share)
    clauses: list[tantivy.Query] = []
    for gloss in translation.glosses if share else ():
        clauses += gloss_clauses(index, gloss, share)
    return TranslatedTerms(tuple(clauses), translation.glosses if share else (), opened.notice)


def _glosses_of(dictionary: DerivedFile, word: str) -> Sequence[tuple[str, ...]]:
    return () if word in CJK_UNTRANSLATED else dictionary.glosses_of(word)


def split_han_words(text: str, dictionary: DerivedFile) -> dict[str, int]:
    """How often each Chinese word occurs in the text, without stop words."""
    words: dict[str, int] = {}
    for run in han_runs(dictionary.fold(text)):
        for word in segment(run, dictionary):
            if word not in CJK_WORDS and not CJK_CHARACTERS.issuperset(word):
                words[word] = words.get(word, 0) + 1
    return words


def _unknown_share(index: LexicalIndex, tokens: Iterable[str]) -> float:
    """The share by weight of the tokens' Chinese that is in no name and no description."""
    total = unknown = 0.0
    for token in tokens:
        if is_cjk(token[0]):
            weight = index.bound_of(index.document_frequency(token))
            total += weight
            if not index.is_in_short_field(token):
                unknown += weight
    return unknown / total if total else 0.0


def gloss_clauses(
    index: LexicalIndex, gloss: WeightedGloss, share: float, fields: Fields = FIELD_WEIGHTS
) -> list[tantivy.Query]:
    """The clauses of a gloss in some fields; it counts less in a document that lacks one of its tokens."""
    weight = gloss.weight * share
    if len(gloss.tokens) == 1:
        return _weighted(index, gloss.tokens, weight, fields)
    holds = [_Q.term_query(index.schema, "all", token, "basic") for token in gloss.tokens]
    whole = [(_Must, _Q.const_score_query(query, 0.0)) for query in holds]
    more = [(_Should, clause) for clause in _weighted(index, gloss.tokens, weight * (1.0 - INCOMPLETE), fields)]
    return [*_weighted(index, gloss.tokens, weight * INCOMPLETE, fields), _Q.boolean_query(whole + more)]


def _weighted(index: LexicalIndex, tokens: tuple[str, ...], weight: float, fields: Fields) -> list[tantivy.Query]:
    return [
        clause
        for token in tokens
        for clause in index.term_clauses(token, weight, index.document_frequency(token), fields)
    ]
