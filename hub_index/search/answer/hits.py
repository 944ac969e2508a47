"""Ranked rows → Results: hits with their reasons and snippets, notices, and perhaps a corrected query."""

from hub_index.frozen import FrozenValue
from hub_index.search.candidate import Candidate
from hub_index.search.lexical.matching import LexicalQuery
from hub_index.search.options import SearchOptions
from hub_index.search.places.missing_files import PresentRows, file_of, is_gone, keep_present
from hub_index.search.ranking import Ranking
from hub_index.search.ranking.confidence import STRONG
from hub_index.search.ranking.engine import Engine
from hub_index.search.results import Hit, Place, QueryVector, Reasons, Results, Snippet
from hub_index.search.words.tokens import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.record import Record
    from hub_index.search.results import Mode

OFFERED_SHARE = 0.25  # of what all words of a corrected query can score: the mended word alone is no offer
_PASSAGES = 10  # hits whose bodies may be read for a line beneath them: 3 ms each


class Answer(FrozenValue):
    """The mode and engine of an answer, and its rows."""

    mode: "Mode"
    engine: Engine
    query: LexicalQuery
    ranked: Ranking
    present: PresentRows
    reason: str = ""  # why it is not the mode that could have been
    vector: "QueryVector | None" = None


class Found(FrozenValue):
    """Results, and the candidates that their hits were."""

    results: Results
    candidates: tuple[Candidate, ...]


def make_results(answer: Answer, options: SearchOptions) -> Results:
    """The Results of an answer; `explain` and `snippets` read more files."""
    mode, engine, query, present = answer.mode, answer.engine, answer.query, answer.present
    matched: dict[str, tuple[str, ...]] = {}
    translated: dict[str, tuple[str, ...]] = {}
    if options.explain or options.snippets:
        from hub_index.search.answer.explain import find_matched_glosses, find_matched_terms, show_match

        if options.explain:
            ids = [record.id for _, record in present.rows]
            matched = find_matched_terms(ids, query, engine.lexical)
            translated = find_matched_glosses(ids, query, engine.lexical)
    hits = []
    for rank, (row, record) in enumerate(present.rows, start=1):
        reasons = Reasons(
            cosine=row.cosine if mode != "keyword" else None,
            lexical=row.lexical if mode != "semantic" else None,
            bonus=row.bonus,
            rerank=row.rerank,
            is_exact=row.is_exact,
            matched=matched.get(record.id, ()),
            boost=row.boost,
            presumed=row.presumed,
            translated=translated.get(record.id, ()),
        )
        snippet = show_match(record, query, engine.hub) if options.snippets else None
        if options.passages and rank <= _PASSAGES and row.lexical > 0 and _is_unexplained(record, query):
            snippet = _show_passage(record, query, engine.hub)
        file = file_of(engine, record)
        hit = Hit(
            rank,
            record,
            row.score,
            weak=is_weak(row),
            reasons=reasons,
            file=file,
            snippet=snippet,
            confidence=row.confidence,
        )
        hits.append(hit.replace(also_like=_list_copies(engine, row)) if row.copies else hit)
    notices = (*engine.notices, *query.notices)
    if not engine.lexical.count:
        notices += ("the hub's index holds no skills; add some and run `hub-index build`",)
    if not hits and query.parsed.required:
        notices += ("nothing holds all that the query demands by +, AND or a field; see `hub-index search --help`",)
    note = answer.ranked.note
    if note is not None and note.problem:
        notices += (f"not reranked, the order is the search's own: {note.problem}",)
    if present.gone:
        notices += (present.say_gone("better match", "better matches"),)
    encoder = engine.encoder if mode != "keyword" else None
    return Results(
        query=options.query,
        mode=mode,
        hits=tuple(hits),
        fallback_reason=answer.reason,
        model_id=engine.model_id if encoder else "",
        embedded_by=encoder.model_id if encoder else "",
        index_dir=engine.index_dir,
        notices=notices,
        did_you_mean="" if hits and not hits[0].weak else _offer(engine, query.correction),
        rerank=note,
        query_vector=answer.vector,
        upper_bound=query.upper_bound,
    )


def _is_unexplained(record: "Record", query: LexicalQuery) -> bool:
    """Whether name, description and keywords hold less than half of the query's words, and no translated one."""
    told = {*tokenize(" ".join((record.name, record.description, *record.keywords)))}
    if any(told.issuperset(gloss.tokens) for gloss in query.glosses):
        return False
    return 2 * len(told.intersection(query.counts)) < len(query.counts)


def _show_passage(record: "Record", query: LexicalQuery, hub: str) -> Snippet | None:
    """The passage of the body that matched; None if the match lies elsewhere."""
    from hub_index.search.answer.explain import show_match

    snippet = show_match(record, query, hub)
    return snippet if snippet.field == "body" and snippet.highlights else None


def _list_copies(engine: Engine, candidate: Candidate) -> tuple[Place, ...]:
    """The near copies that a hit stands for, as far as they are in the checkout."""
    records = [engine.lexical.read_record(copy.address) for copy in candidate.copies]
    return tuple([Place("", record.id, file_of(engine, record)) for record in records if not is_gone(engine, record)])


def _offer(engine: Engine, correction: str) -> str:
    """The corrected query if all of it together finds something that fits; else empty."""
    if not correction:
        return ""
    query = engine.plan_query(correction)
    best = keep_present(engine, engine.search_keyword(query, SearchOptions(correction, k=1)).candidates, 1).rows
    fits = best and not is_weak(best[0][0]) and best[0][0].lexical >= OFFERED_SHARE * query.upper_bound
    return correction if fits else ""


def is_weak(candidate: Candidate) -> bool:
    """True if the candidate probably does not fit the query."""
    return candidate.confidence is not None and candidate.confidence < STRONG
