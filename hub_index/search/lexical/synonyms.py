"""Words that people use for one thing: `k8s` and `kubernetes`, `post-mortem` and `postmortem`, `aws bill` for cost.

A word of the query and its other spellings score as one term: a document gets the best of them, not their sum. Another
spelling weighs at most half of the word that was typed, if the hub knows that one; of a spelling that the hub knows in
part alone (the `post` of `post mortem`) that part weighs half. The table is `synonyms.txt`: a line
of spellings that stand for each other, or an expression, ` -> ` and what it means.
"""

from __future__ import annotations

import os
from functools import cache

import tantivy

from hub_index.frozen import FrozenValue
from hub_index.search.lexical.lexical import weight_of
from hub_index.search.lexical.spelling import latin_words
from hub_index.search.words.tokens import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hub_index.search.lexical.lexical import LexicalIndex

    Tokens = tuple[str, ...]
    Forms = Mapping[str, Sequence[str]]

TABLE = os.path.join(os.path.dirname(__file__), "synonyms.txt")
MAX_FORM_WORDS = 6
# With the whole weight nDCG@10 of skillprompts is 0.2 lower, of four other sets the same; it is 0.1 lower if words of
# longer prompts that the hub knows are spelled otherwise, too.
KNOWN_SHARE = 0.5
MAX_TERMS_RESPELLED = 10
MAX_CONCEPTS = 12  # of one query; a long prompt says what it wants in its first words
_LEAST_PLURAL_CHARS = 3  # `dbs`, but not `os`
_Q = tantivy.Query
_Must, _Should = tantivy.Occur.Must, tantivy.Occur.Should


class Concept(FrozenValue):
    """Words of a query that stand for one thing, and its other spellings that the hub knows."""

    said: str
    tokens: Tokens
    others: tuple[Tokens, ...]


class WeightedConcepts(FrozenValue):
    """The concepts of a query as scoring clauses, and the most that they can reach in one field."""

    concepts: tuple[Concept, ...] = ()
    clauses: tuple[tantivy.Query, ...] = ()
    upper_bound: float = 0.0

    @property
    def tokens(self) -> set[str]:
        """The tokens of the query that the concepts score."""
        return {token for concept in self.concepts for token in concept.tokens}


@cache
def read_forms() -> Forms:
    """Each spelling, in lower case, with its other spellings."""
    with open(TABLE, encoding="utf-8") as file:
        table = file.read()
    others: dict[str, list[str]] = {}
    for line in table.strip().split("\n"):
        form, arrow, meant = line.partition(" -> ")
        if arrow:
            others.setdefault(form, []).extend(meant.split(", "))
        else:
            spellings = line.split(", ")
            for spelling in spellings:
                others.setdefault(spelling, []).extend([other for other in spellings if other != spelling])
    return others


def find_concepts(index: LexicalIndex, text: str, counts: Mapping[str, float]) -> list[Concept]:
    """The concepts of a text whose other spellings the hub knows; the longest run of words first."""
    words = [word.lower() for word in latin_words(_without_file_names(text))]
    concepts: dict[Tokens, Concept] = {}
    at = 0
    while at < len(words) and len(concepts) < MAX_CONCEPTS:
        size, spellings = _longest_form(words, at)
        said = " ".join(words[at : at + size])
        tokens = tuple(dict.fromkeys([token for token in tokenize(said) if token in counts]))
        if tokens and spellings:
            others = {tuple(tokenize(spelling)): None for spelling in spellings}
            known = [
                other for other in others if other and other != tokens and all(map(index.document_frequency, other))
            ]
            if known and not any(set(tokens) & set(concept) for concept in concepts):
                concepts[tokens] = Concept(said, tokens, tuple(known))
        at += size
    return list(concepts.values())


def has_other_spelling(index: LexicalIndex, word: str) -> bool:
    """Whether the hub knows another spelling of a word that it does not hold."""
    return bool(find_concepts(index, word, dict.fromkeys(tokenize(word), 1.0)))


def list_spellings(text: str) -> set[str]:
    """Every other spelling that may be looked up for a query."""
    words = [word.lower() for word in latin_words(text)]
    runs = [words[at : at + size] for at in range(len(words)) for size in range(1, MAX_FORM_WORDS + 1)]
    return {spelling for run in runs for spelling in _others_of(run)}


def weigh_concepts(index: LexicalIndex, text: str, counts: Mapping[str, float]) -> WeightedConcepts:
    """The concepts of a query, ready to be scored beside its other words."""
    concepts = find_concepts(index, text, counts)
    clauses: list[tantivy.Query] = []
    weighed: list[Concept] = []
    bound = 0.0
    for concept in concepts:
        weight = weight_of(min([counts[token] for token in concept.tokens]))
        own = [token for token in concept.tokens if index.document_frequency(token)]
        is_known = len(own) == len(concept.tokens)
        if is_known and len(counts) > MAX_TERMS_RESPELLED:
            continue
        value = KNOWN_SHARE * _value(index, concept.tokens) if is_known else float("inf")
        ways = [_loose(index, own, weight if is_known else KNOWN_SHARE * weight)] if own else []
        ways += [_whole(index, other, weight * min(1.0, value / _value(index, other))) for other in concept.others]
        weighed.append(concept)
        clauses.append(_Q.disjunction_max_query(ways))
        others = max([_bound(index, other) for other in concept.others])
        bound += weight * (_bound(index, concept.tokens) if is_known else others)
    return WeightedConcepts(concepts=tuple(weighed), clauses=tuple(clauses), upper_bound=bound)


def _value(index: LexicalIndex, tokens: Tokens) -> float:
    return sum(map(index.idf_of, tokens))


def _bound(index: LexicalIndex, tokens: Tokens) -> float:
    return sum([index.bound_of(index.document_frequency(token)) for token in tokens])


def _loose(index: LexicalIndex, tokens: Sequence[str], weight: float) -> tantivy.Query:
    clauses = [clause for token in tokens for clause in index.clauses_of(token, weight)]
    return _Q.boolean_query([(_Should, clause) for clause in clauses])


def _whole(index: LexicalIndex, tokens: Tokens, weight: float) -> tantivy.Query:
    """A spelling of several words counts where a document holds all of them."""
    scored = [(_Should, clause) for token in tokens for clause in index.clauses_of(token, weight)]
    if len(tokens) == 1:
        return _Q.boolean_query(scored)
    held = [_Q.term_query(index.schema, "all", token, "basic") for token in tokens]
    return _Q.boolean_query([*[(_Must, _Q.const_score_query(query, 0.0)) for query in held], *scored])


def _longest_form(words: Sequence[str], at: int) -> tuple[int, Sequence[str]]:
    """The number of words of the longest spelling that begins here, and its other spellings; 1 without any."""
    for size in range(min(MAX_FORM_WORDS, len(words) - at), 0, -1):
        if found := _others_of(words[at : at + size]):
            return size, found
    return 1, ()


def _others_of(words: Sequence[str]) -> Sequence[str]:
    """The other spellings of some words, the last of which may be a plural."""
    forms = read_forms()
    form = " ".join(words)
    return forms.get(form) or forms.get(_singular(form)) or ()


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) >= _LEAST_PLURAL_CHARS else word


def _without_file_names(text: str) -> str:
    """The text without `utils.py`: the end of a file's name says nothing of Python."""
    if "." not in text:
        return text
    return " ".join([word for word in text.split() if "." not in word.strip(".,;:!?()[]\"'`")])
