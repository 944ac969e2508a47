"""A query's text + LexicalIndex → LexicalQuery: the tantivy queries that score and that restrict."""

from __future__ import annotations

import tantivy

from hub_index.frozen import FrozenValue
from hub_index.search.candidate import Candidate
from hub_index.search.lexical.build import FOREIGN, MARKER
from hub_index.search.lexical.identifiers import lift_identifiers
from hub_index.search.lexical.lexical import FIELD_WEIGHTS, LexicalIndex, WeightedTerms
from hub_index.search.lexical.paste import count_prompt_terms, request_part
from hub_index.search.lexical.spelling import latin_words, replace_words, suggest_word
from hub_index.search.lexical.synonyms import has_other_spelling, weigh_concepts
from hub_index.search.query.parsed_query import Item, ParsedQuery
from hub_index.search.query.query import parse_plain, parse_query
from hub_index.search.query.scanning import FIELD_NAMES
from hub_index.search.words.foreign_words import is_foreign
from hub_index.search.words.tokens import has_cjk, is_cjk, split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hub_index.search.lexical.translation.gloss_weights import WeightedGloss
    from hub_index.search.lexical.translation.translation import TranslatedTerms
    from hub_index.search.lexical.translation.translator import Translator

PHRASE_WEIGHT = 0.5  # added by a quoted phrase in a sentence, in units of its words
MAX_EXPANSIONS = 64  # words for one prefix
# A typo matters in a search of a few words. In sentences mending gained nothing (four labelled sets, ±0.02) while the
# look-ups made their p95 five times as long.
MAX_WORDS_MENDED = 6
MAX_CORRECTIONS = 3
_MAX_REGIONS = 200  # of one language; real hubs have a handful
_PATH = ("path", 1.0)  # scores only where it is asked for
MAX_SHOWN_CHARS = 120
_Q = tantivy.Query
_Must, _Should, _MustNot = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot


class LexicalQuery(FrozenValue):
    """A query ready to run against one lexical index."""

    parsed: ParsedQuery
    exact: tuple[Candidate, ...]  # the skills whose id or name the query is
    scoring: tantivy.Query | None  # None: not one term is known to the hub
    upper_bound: float
    counts: dict[str, float]
    restriction: tantivy.Query | None
    correction: str  # the whole query with its typos mended, for "did you mean"
    notices: tuple[str, ...]  # how the query was understood, if its meaning is doubtful
    glosses: tuple[WeightedGloss, ...] = ()  # what its words mean in the other language, in words of the hub

    @property
    def is_demanding(self) -> bool:
        """True if an answer must hold a word of the query; False if it only filters or demands."""
        return bool(self.parsed.items) and not self.parsed.required

    def ranked(self) -> tantivy.Query | None:
        """The tantivy query of a keyword search: scores among the allowed documents; None if nothing can match."""
        if self.restriction is None or (self.scoring is None and self.is_demanding):
            return self.scoring
        if self.scoring is None:
            return self.restriction
        scored = (_Must if self.is_demanding else _Should, self.scoring)
        return _Q.boolean_query([(_Must, self.restriction), scored])


def plan_query(index: LexicalIndex, text: str, translator: Translator | None = None) -> LexicalQuery:
    """The query in terms of this index, its typos corrected; a skill's id or name is never taken for syntax.

    If a query only excludes, its signs count: otherwise `-pdf` would be the name of the excluded skill; and a skill may
    be called `-risk`.
    """
    parsed = parse_query(text)
    exact = tuple(index.find_exact(parsed.text, with_signs=parsed.only_excludes)) if parsed.text else ()
    if exact:
        parsed = parse_plain(parsed.text, tuple([_say_named(item) for item in parsed.excluded if item.written]))
    corrections = {} if is_foreign(parsed.words) else _correct(index, parsed.items)
    words = replace_words(parsed.words, corrections) if corrections else parsed.words
    request = request_part(words)
    counts = count_prompt_terms(words, request)
    concepts = weigh_concepts(index, request, counts)
    own_words = {token: times for token, times in counts.items() if token not in concepts.tokens}
    weighted = index.weigh_terms(own_words, concepts.upper_bound)
    weighted.clauses += concepts.clauses
    weighted.clauses += lift_identifiers(index, request, weighted.upper_bound)
    for item in () if parsed.is_plain else parsed.items:
        if item.is_prefix:
            _weigh_prefix(index, item, weighted)
        elif item.field:
            _weigh_field(index, item, weighted)
        elif item.is_phrase and item.text in request:  # the strings of pasted code are not what is asked for
            weighted.clauses += _phrase_bonus(index, item)
    notices = parsed.notices
    glosses: tuple[WeightedGloss, ...] = ()
    translated = _translate(index, words, counts, weighted.upper_bound, translator) if translator is not None else None
    if translated is not None:
        weighted.clauses += translated.clauses
        glosses = translated.glosses
        notices += (translated.notice,) if translated.notice else ()
    clauses = [(_Should, clause) for clause in weighted.clauses]
    if parsed.is_lone_phrase and parsed.required and not index.search(_restrict(index, parsed), 1):
        # no skill holds the phrase: probably a sentence in quotes, to be searched by words
        parsed = parsed.replace(required=())
        notices += (_say_relaxed(parsed),)
    return LexicalQuery(
        parsed=parsed,
        exact=exact,
        scoring=_Q.boolean_query(clauses) if clauses else None,
        upper_bound=weighted.upper_bound,
        counts=counts,
        restriction=_restrict(index, parsed) if parsed.is_restricted else None,
        correction=replace_words(parsed.text, corrections) if corrections else "",
        notices=notices,
        glosses=glosses,
    )


def _translate(
    index: LexicalIndex, words: str, counts: Mapping[str, float], own_bound: float, translator: Translator
) -> TranslatedTerms | None:
    """Chinese words in English, or English ones in Chinese where the hub has skills for that; most need none of it."""
    if has_cjk(words):
        from hub_index.search.lexical.translation.translation import translate_query

        return translate_query(index, words, counts, own_bound, translator)
    if index.is_told_in_cjk:
        from hub_index.search.lexical.translation.to_chinese import translate_to_chinese

        return translate_to_chinese(index, words, counts, own_bound, translator)
    return None


def _correct(index: LexicalIndex, items: Sequence[Item]) -> dict[str, str]:
    """Word as typed → word of the hub, for words that the hub does not know at all."""
    typed: dict[str, None] = {}
    for item in items:
        if not (item.is_phrase or item.is_prefix or item.field):
            typed.update({word: None for word in latin_words(item.text) if word.lower() not in FIELD_NAMES})
        if len(typed) > MAX_WORDS_MENDED:  # a sentence: looked at no further
            return {}
    unknown = [word for word in typed if _is_unknown(index, word)]
    corrections = {word: suggest_word(index, word) for word in unknown[:MAX_CORRECTIONS]}
    return {word: better for word, better in corrections.items() if better}


def _is_unknown(index: LexicalIndex, word: str) -> bool:
    tokens = tokenize(word)
    return bool(tokens) and not any(map(index.document_frequency, tokens)) and not has_other_spelling(index, word)


def _say_named(item: Item) -> str:
    return f"{item.written[:MAX_SHOWN_CHARS]} was read as part of a skill's name; it excludes nothing"


def _say_relaxed(parsed: ParsedQuery) -> str:
    phrases = " or ".join(dict.fromkeys(f'"{item.text}"' for item in parsed.items))
    who = "no skill that the query allows" if parsed.is_restricted else "no skill"
    return f"{who} holds the phrase {phrases[:MAX_SHOWN_CHARS]}; its words were searched"


def _weigh_prefix(index: LexicalIndex, item: Item, weighted: WeightedTerms) -> None:
    """Adds the best of the words with this beginning: a document is not better for having many of them."""
    fields = [_PATH] if item.field == "path" else [pair for pair in FIELD_WEIGHTS if item.field in ("", pair[0])]
    groups = []
    bound = 0.0
    for token in expand_prefix(index, item.text, item.field):
        count = _known(index, item.field, token)
        clauses = index.term_clauses(token, 1.0, count, fields) if item.field else index.clauses_of(token, 1.0)
        if clauses:
            groups.append(_Q.boolean_query([(_Should, clause) for clause in clauses]))
            bound += index.bound_of(count)
    if groups:
        weighted.clauses.append(_Q.disjunction_max_query(groups))
        weighted.upper_bound += bound / len(groups)  # its rarest word would make every other one look weak


def _known(index: LexicalIndex, field: str, token: str) -> int:
    """The number of documents with the token; tokens of paths are counted separately."""
    return index.searcher.doc_freq("path", token) if field == "path" else index.document_frequency(token)


def expand_prefix(index: LexicalIndex, text: str, field: str = "") -> list[str]:
    """Tokens of the hub for words with this beginning, the common ones first."""
    words = split_words(text)
    prefix = words[-1].lower() if words else ""
    if not prefix:
        return []
    held = "path" if field == "path" else "all"
    counts = dict(index.searcher.terms_with_prefix(held, prefix, limit=4 * MAX_EXPANSIONS))
    for word, _ in index.searcher.terms_with_prefix("words", prefix, limit=4 * MAX_EXPANSIONS):
        counts.update({token: _known(index, field, token) for token in tokenize(word)})
    held_tokens = [token for token, count in counts.items() if count]
    return sorted(held_tokens, key=lambda token: (-counts[token], token))[:MAX_EXPANSIONS]


def _weigh_field(index: LexicalIndex, item: Item, weighted: WeightedTerms) -> None:
    weight = dict((*FIELD_WEIGHTS, _PATH))[item.field]
    for token in dict.fromkeys(tokenize(item.text)):
        count = _known(index, item.field, token)
        if count:
            weighted.clauses += index.term_clauses(token, 1.0, count, [(item.field, weight)])
            weighted.upper_bound += weight * index.bound_of(count)


def _phrase_bonus(index: LexicalIndex, item: Item) -> list[tantivy.Query]:
    return [
        _Q.boost_query(_Q.phrase_query(index.schema, field, list(words)), weight * PHRASE_WEIGHT)
        for field, weight in FIELD_WEIGHTS
        for words in phrase_spellings(item.text)
        if len(words) > 1
    ]


def phrase_spellings(text: str) -> set[tuple[str, ...]]:
    """The phrase as written and in lower case: `PowerPoint` gives three tokens, `powerpoint` one."""
    return {tuple(tokenize(text)), tuple(tokenize(text.lower()))} - {()}


def _restrict(index: LexicalIndex, parsed: ParsedQuery) -> tantivy.Query:
    """The conditions of every answer, without a score."""
    clauses = [(_Must, _term(index, "all", MARKER))]
    clauses += [
        (_Must, _any_of([_all_of([_match(index, item) for item in items]) for items in group]))
        for group in (*parsed.filters, *parsed.required)
    ]
    clauses += [(_MustNot, _match(index, item)) for item in parsed.excluded]
    return _Q.const_score_query(_Q.boolean_query(clauses), 0.0)


def _match(index: LexicalIndex, item: Item) -> tantivy.Query:
    """Documents that hold the word or phrase, or that a filter lets through."""
    if item.field == "since":
        return _Q.range_query(index.schema, "day", tantivy.FieldType.Unsigned, lower_bound=int(item.text))
    if item.field == "lang":
        return _match_language(index, item.text)
    fields = [item.field] if item.field else [field for field, _ in FIELD_WEIGHTS]
    if item.is_prefix:
        return _any_of(
            [_term(index, item.field or "all", token) for token in expand_prefix(index, item.text, item.field)]
        )
    spellings = phrase_spellings(item.text)
    if not item.is_phrase and item.field != "path":
        target = item.field or "all"
        return _any_of([_all_of([_term(index, target, token) for token in tokens]) for tokens in spellings])
    return _any_of([_phrase(index, field, tokens) for field in fields for tokens in spellings])


def _match_language(index: LexicalIndex, tag: str) -> tantivy.Query:
    """`zh` is every Chinese; `zh-cn` is that and what only says `zh`, but not `zh-tw`."""
    primary = tag.partition("-")[0]
    if tag == primary:
        return _term(index, "lang", tag)
    regional = [other for other, _ in index.searcher.terms_with_prefix("lang", f"{primary}-", limit=_MAX_REGIONS)]
    others = [other for other in regional if not f"{tag}-".startswith(f"{other}-") and not other.startswith(f"{tag}-")]
    unwanted = [(_MustNot, _term(index, "lang", other)) for other in others]
    return _Q.boolean_query([(_Must, _term(index, "lang", primary)), *unwanted])


def _phrase(index: LexicalIndex, field: str, tokens: tuple[str, ...]) -> tantivy.Query:
    forms = [tokens]
    if field == "body":
        forms.append(tuple([FOREIGN + token if is_cjk(token[0]) else token for token in tokens]))
    return _any_of(
        [
            _Q.phrase_query(index.schema, field, list(form)) if len(form) > 1 else _term(index, field, form[0])
            for form in dict.fromkeys(forms)
        ]
    )


def _term(index: LexicalIndex, field: str, token: str) -> tantivy.Query:
    return _Q.term_query(index.schema, field, token, "basic")


def _any_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return _Q.boolean_query([(_Should, query) for query in queries]) if queries else _Q.empty_query()


def _all_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return _Q.boolean_query([(_Must, query) for query in queries]) if queries else _Q.all_query()
