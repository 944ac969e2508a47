"""An English query + an index with skills described in CJK → scoring clauses for Chinese words of its meaning.

They count only in names, descriptions and keywords of these skills: the scores of English skills do not change.
"""

from __future__ import annotations

import tantivy

from hub_index.search.lexical.build import CJK_TOLD_MARKER
from hub_index.search.lexical.lexical import FIELD_WEIGHTS
from hub_index.search.lexical.translation.gloss_weights import translated_share, weigh_glosses
from hub_index.search.lexical.translation.translation import TranslatedTerms, gloss_clauses
from hub_index.search.words.tokens import split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.translation.derived_file import DerivedFile
    from hub_index.search.lexical.translation.gloss_weights import WeightedGloss
    from hub_index.search.lexical.translation.translator import Translator

    Meanings = dict[tuple[str, ...], str]  # the tokens of Chinese words, and the words

MAX_MEANINGS = 6  # of one English word
MAX_GLOSS_WORDS = 3  # as the dictionary's longest
SHORT_FIELDS = tuple([pair for pair in FIELD_WEIGHTS if pair[0] != "body"])
_Q = tantivy.Query


def translate_to_chinese(
    index: LexicalIndex, text: str, counts: Mapping[str, float], own_bound: float, translator: Translator
) -> TranslatedTerms:
    """The query's English words in Chinese, as far as names and descriptions of the hub hold that."""
    opened = translator.open()
    if opened.file is None:
        return TranslatedTerms(notice=opened.notice)
    meanings = _Meanings(opened.file, index)
    words = count_glosses([token for token in tokenize(text) if token in counts], meanings.of)
    translation = weigh_glosses(words, lambda word: list(meanings.of(word)), index.idf_of, index.unknown_idf)
    share = translated_share(own_bound, translation.bound, 1.0)
    if not share or not translation.glosses:
        return TranslatedTerms(notice=opened.notice)
    limited = [_limit(index, gloss, share) for gloss in translation.glosses]
    clauses = [clause for gloss in limited for clause in gloss_clauses(index, gloss, share, SHORT_FIELDS)]
    written = _written_words(text)
    glosses = [
        gloss.replace(
            word=" ".join([written.get(token, token) for token in gloss.word.split(" ")]),
            chinese=meanings.of(gloss.word)[gloss.tokens],
        )
        for gloss in translation.glosses
    ]
    return TranslatedTerms((_in_told_skills(index, clauses),) if clauses else (), tuple(glosses), opened.notice)


def _limit(index: LexicalIndex, gloss: WeightedGloss, share: float) -> WeightedGloss:
    """The gloss, weighing no more than the English words that it translates."""
    own = sum([index.idf_of(token) or index.unknown_idf for token in gloss.word.split(" ")])
    most = gloss.weight * share * sum(map(index.idf_of, gloss.tokens))
    return gloss.replace(weight=gloss.weight * own / most) if most > own else gloss


class _Meanings:
    """The Chinese words of a gloss that the hub holds, looked up once for a query."""

    def __init__(self, file: DerivedFile, index: LexicalIndex) -> None:
        self._file = file
        self._index = index
        self._found: dict[str, Meanings] = {}

    def of(self, gloss: str) -> Meanings:
        if gloss not in self._found:
            self._found[gloss] = choose_meanings(self._file.words_for(gloss), self._index.is_in_short_field)
        return self._found[gloss]


def choose_meanings(words: Iterable[str], is_held: Callable[[str], bool]) -> Meanings:
    """The first of some Chinese words whose every token the hub holds in a name or a description."""
    meanings: Meanings = {}
    for word in words:
        tokens = tuple(tokenize(word))
        if all(map(is_held, tokens)):
            meanings.setdefault(tokens, word)
        if len(meanings) == MAX_MEANINGS:
            break
    return meanings


def count_glosses(tokens: Sequence[str], meanings_of: Callable[[str], object]) -> dict[str, int]:
    """How often each gloss occurs in the query: the longest run of words with a common meaning, else the word."""
    counted: dict[str, int] = {}
    at = 0
    while at < len(tokens):
        sizes = range(min(MAX_GLOSS_WORDS, len(tokens) - at), 0, -1)
        size = next(size for size in sizes if size == 1 or meanings_of(" ".join(tokens[at : at + size])))
        gloss = " ".join(tokens[at : at + size])
        counted[gloss] = counted.get(gloss, 0) + 1
        at += size
    return counted


def list_glosses(text: str) -> set[str]:
    """Every gloss that may be looked up for a query."""
    tokens = tokenize(text)
    sizes = range(1, MAX_GLOSS_WORDS + 1)
    return {" ".join(tokens[at : at + size]) for at in range(len(tokens)) for size in sizes}


def _written_words(text: str) -> dict[str, str]:
    """The written words of tokens, in lower case: `databas` is a stem, not a written word."""
    written: dict[str, str] = {}
    for word in split_words(text):
        tokens = tokenize(word)
        if len(tokens) == 1:
            written.setdefault(tokens[0], word.lower())
    return written


def _in_told_skills(index: LexicalIndex, clauses: Sequence[tantivy.Query]) -> tantivy.Query:
    """The clauses, for skills that are described in CJK; one of them must hold, or all these skills were found."""
    told = _Q.const_score_query(_Q.term_query(index.schema, "all", CJK_TOLD_MARKER, "basic"), 0.0)
    either = _Q.boolean_query([(tantivy.Occur.Should, clause) for clause in clauses])
    return _Q.boolean_query([(tantivy.Occur.Must, told), (tantivy.Occur.Must, either)])
