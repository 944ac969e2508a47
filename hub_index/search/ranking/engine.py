"""`Engine`: the open legs of one index + one query → ranked candidates: keyword, semantic or hybrid."""

from hub_index.frozen import FrozenValue
from hub_index.search.candidate import Candidate
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.matching import LexicalQuery, plan_query
from hub_index.search.query.sentences import split_sentences
from hub_index.search.ranking import Ranking, follow_steps
from hub_index.search.ranking.confidence import is_calibrated, make_question, measure_confidence
from hub_index.search.ranking.fusion import NAME_BONUS, fuse, rank
from hub_index.search.words.tokens import has_cjk, split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.embedding.encoder import Encoder
    from hub_index.record import Record
    from hub_index.search.candidate_source import CandidateSource, Legs
    from hub_index.search.lexical.shared_statistics import LexicalPool
    from hub_index.search.lexical.translation.translator import Translator
    from hub_index.search.options import SearchOptions
    from hub_index.search.ranking import Likeness
    from hub_index.search.ranking.steps.experience import RowFavours
    from hub_index.search.semantic.semantic import Vectors, VectorScan

_SPARE = 5  # keyword hits beyond those asked for: ties at the cut, and skills that are gone from the checkout


class Engine(FrozenValue):
    """One open index: its legs, where they come from and who embeds.

    `scan` is absent where there are no vectors to be used, `encoder` where no query needs to be embedded.
    """

    lexical: LexicalIndex
    hub: str = ""  # the checkout that the records speak of; empty where there is none
    index_dir: str = ""  # empty where the checkout's own files are searched
    notices: tuple[str, ...] = ()
    unindexed: int = 0  # documents of the checkout after those of the index: they have no vector
    scan: "VectorScan | None" = None
    encoder: "Encoder | None" = None
    model_id: str = ""
    dim: int = 0  # of the base vectors, without the index's constant part
    normalize: bool = True
    constant_part: float | None = None
    translator: "Translator | None" = None  # absent where Chinese words of a query stay Chinese
    source: "CandidateSource | None" = None  # where the documents lie, if not at hand

    def among(self, pool: "LexicalPool | None") -> "Engine":
        """The same, scoring as one of several hubs."""
        return self if pool is None else self.replace(lexical=pool.join(self.lexical))

    def has_vector(self, row: int) -> bool:
        """Whether a document belongs to the index; one that is only in the checkout does not."""
        return row < self.lexical.count - self.unindexed

    def plan_query(self, text: str) -> LexicalQuery:
        """The query in terms of this index."""
        lexical = self.lexical if self.source is None else self.source.learn(self.lexical, text, self.translator)
        return plan_query(lexical, text, self.translator)

    def fetch(
        self, query: LexicalQuery, vector: "Vectors | None", options: "SearchOptions"
    ) -> "tuple[Engine, LexicalQuery]":
        """An engine with the candidates for this query, and the query in its terms; itself where they are at hand."""
        if self.source is None:
            return self, query
        engine = self._with(self.source.fetch(self.lexical, query, vector, options, self.translator))
        return engine, plan_query(engine.lexical, options.query, self.translator)

    def fetch_named(self, said: str, near: int = 0) -> "Engine":
        """An engine that holds the named skill and `near` neighbours."""
        return self if self.source is None else self._with(self.source.fetch_named(self.lexical, said, near))

    def fetch_near(self, vector: "Vectors", near: int) -> "Engine":
        """An engine that holds so many of the skills nearest to a vector."""
        return self if self.source is None else self._with(self.source.fetch_near(self.lexical, vector, near))

    def _with(self, legs: "Legs") -> "Engine":
        return self.replace(lexical=legs.lexical, scan=legs.scan, source=None)

    def embed_query(self, query: LexicalQuery) -> "Vectors":
        """The query's vector, or those of a long prompt and its sentences, ready to be compared.

        Raises ProviderError, ModelMismatch.
        """
        assert self.encoder is not None  # noqa: S101 - the reader gave one
        text = query.parsed.semantic_text
        whole = self.base_vector(self.encoder.embed_query(text))
        sentences = split_sentences(text) if self._is_calibrated else ()  # an API would be asked for each
        if not sentences:
            return whole
        from hub_index.search.semantic.semantic import join_vectors

        return join_vectors([whole, *[self.base_vector(self.encoder.embed_query(part)) for part in sentences]])

    def base_vector(self, vector: "Vectors") -> "Vectors":
        """What the encoder gave, checked and ready to be compared with the rows of `scan`. Raises as above."""
        from hub_index.search.semantic.semantic import check_query_vector

        return check_query_vector(vector, self.dim, normalize=self.normalize, part=self.constant_part)

    def search_keyword(self, query: LexicalQuery, options: "SearchOptions", spare: int = _SPARE) -> Ranking:
        """The best by the lexical score, `spare` more than were asked for."""
        favours = self._favours(query, None, options)
        found = self._lexical_hits(query, max(options.depth if options.given() else 0, options.k + spare))
        found += self._remembered(query, favours, {candidate.row for candidate in found})
        if query.exact:
            found = list(_with_exact({candidate.row: candidate for candidate in found}, query).values())
        for candidate in found:
            candidate.score = candidate.lexical
        self._judge(found, query)
        return self._finish(rank(found), query, options, favours)

    def search_semantic(self, query: LexicalQuery, vector: "Vectors", options: "SearchOptions") -> Ranking:
        """The nearest by cosine alone; filters and exclusions of the query hold here too."""
        favours = self._favours(query, vector, options)
        near = dict(self._nearest(query, vector, options))
        near |= self._cosines(vector, [row for row in favours.remembered if row not in near] if favours else [])
        found = self.lexical.score_rows(query.scoring, list(near))  # the words count for the label alone
        for candidate in found:
            candidate.score = candidate.cosine = near[candidate.row]
        self._judge(found, query, vector)
        return self._finish(rank(found), query, options, favours)

    def search_hybrid(self, query: LexicalQuery, vector: "Vectors", options: "SearchOptions") -> Ranking:
        """Both legs, fused; what only one of them found is scored by the other as well."""
        hits = self._lexical_hits(query, options.depth)
        near = dict(self._nearest(query, vector, options))
        favours = self._favours(query, vector, options)
        hits += self._remembered(query, favours, {candidate.row for candidate in hits})
        known = {candidate.row for candidate in hits}
        hits += self.lexical.score_rows(query.scoring, [row for row in near if row not in known])
        candidates = _with_exact({candidate.row: candidate for candidate in hits}, query)
        far = [row for row in candidates if row not in near]
        near |= self._cosines(vector, far)
        named = self._named(query, candidates)
        found = list(candidates.values())
        for candidate in found:
            candidate.cosine = near[candidate.row]
            candidate.bonus = NAME_BONUS if candidate.row in named else 0.0
        self._presume_words(found, query)
        self._judge(found, query, vector)
        ranked = fuse(found, query.upper_bound, **options.joining)
        return self._finish(ranked, query, options, favours)

    @property
    def _is_calibrated(self) -> bool:
        """Whether the embedded model answers: only it was measured, and only its vectors have a constant part."""
        return self.encoder is not None and (self.constant_part is not None or is_calibrated(self.encoder.model_id))

    def _lexical_hits(self, query: LexicalQuery, depth: int) -> list[Candidate]:
        ranked = query.ranked()
        return self.lexical.search(ranked, depth) if ranked is not None else []

    def _named(self, query: LexicalQuery, candidates: dict[int, Candidate]) -> set[int]:
        """Rows whose name the query spells out."""
        rows = self.lexical.find_named(query.counts, list(candidates))
        if not rows:
            return rows
        tokens = tokenize(query.correction or query.parsed.text)
        names = {row: self.lexical.read_record(candidates[row].address).name for row in rows}
        return {row for row, name in names.items() if spells_out(tokens, name)}

    def _presume_words(self, found: list[Candidate], query: LexicalQuery) -> None:
        """What the words of skills in CJK would say to a query without; nothing where the hub has none."""
        if self.lexical.cjk_count and not has_cjk(query.parsed.text):
            from hub_index.search.ranking.steps.cross_script import presume_words

            told = self.lexical.searcher.fast_field_values("cjk", [candidate.address for candidate in found])
            presume_words(found, list(map(bool, told)), query.upper_bound)

    def _nearest(self, query: LexicalQuery, vector: "Vectors", options: "SearchOptions") -> list[tuple[int, float]]:
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        allowed = None if query.restriction is None else self.lexical.list_rows(query.restriction)
        return self.scan.nearest(vector, options.depth, allowed)

    def _cosines(self, vector: "Vectors", rows: list[int]) -> dict[int, float]:
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        return dict(zip(rows, self.scan.cosines(vector, rows), strict=True))

    def _favours(self, query: LexicalQuery, vector: "Vectors | None", options: "SearchOptions") -> "RowFavours | None":
        """What was learnt from use, for this query; None where nothing was, which costs nothing."""
        if options.experience is None:
            return None
        from hub_index.search.ranking.steps.experience import find_favours

        space = self.encoder.space if self.encoder is not None else ""
        whole = whole_of(vector) if vector is not None else None
        return find_favours(self.lexical, query, options.experience, whole, space)

    def _remembered(self, query: LexicalQuery, favours: "RowFavours | None", known: set[int]) -> list[Candidate]:
        """What was accepted for a query like this one, where the words have not found it."""
        rows = [row for row in favours.remembered if row not in known] if favours else []
        return self.lexical.score_rows(query.scoring, rows)

    def _judge(self, found: list[Candidate], query: LexicalQuery, vector: "Vectors | None" = None) -> None:
        """Sets how sure each candidate is to fit; found by meaning, only if the model was measured."""
        if vector is not None and not self._is_calibrated:
            return
        whole = None if vector is None else whole_of(vector)
        question = make_question(query, self.lexical, whole)
        for candidate in found:
            candidate.confidence = measure_confidence(candidate, question, has_vector=self.has_vector(candidate.row))

    def _finish(
        self,
        candidates: list[Candidate],
        query: LexicalQuery,
        options: "SearchOptions",
        favours: "RowFavours | None" = None,
    ) -> Ranking:
        ranking = Ranking(
            candidates,
            options,
            self,
            upper_bound=query.upper_bound,
            text=query.parsed.text,
            meaning=query.parsed.semantic_text,
            favours=favours,
        )
        return follow_steps(ranking)

    def read_record(self, candidate: Candidate) -> "Record":
        """The candidate's record."""
        return self.lexical.read_record(candidate.address)

    def name_hub(self, candidate: Candidate) -> str:  # noqa: ARG002 - as the merged hits of several hubs have it
        """Empty: there is but one hub."""
        return ""

    def list_days(self, candidates: "Sequence[Candidate]") -> list[int]:
        """When each was last changed, as 20260131; 0 where nobody knows."""
        found = self.lexical.searcher.fast_field_values("day", [candidate.address for candidate in candidates])
        return [int(day or 0) for day in found]

    def measure_likeness(self, candidates: "Sequence[Candidate]") -> "Likeness":
        """The cosine of two candidates, or how many words they share where there are no vectors."""
        if self.scan is not None:
            return self.scan.likeness([candidate.row for candidate in candidates])
        from hub_index.search.ranking.steps.diverse import compare_words

        return compare_words(map(self.read_record, candidates), candidates)


def whole_of(vector: "Vectors") -> "Vectors":
    """The vector of the whole query; that of a long prompt has columns for its sentences as well."""
    return vector[:, 0] if vector.ndim > 1 else vector


def _with_exact(candidates: dict[int, Candidate], query: LexicalQuery) -> dict[int, Candidate]:
    for hit in query.exact:
        candidates.setdefault(hit.row, Candidate(hit.row, 0.0, hit.address)).is_exact = True
    return candidates


def spells_out(tokens: "Sequence[str]", name: str) -> bool:
    """Whether the query's tokens hold all words of the name, two or more, side by side in any order.

    Words of a name that are scattered over a sentence, or one everyday word (`app`, `brand`, `OAuth`, which is two
    tokens but one word), are chance. Against a bonus for scattered words, nDCG@10: sealtools 91.7 → 92.0, skillprompts
    56.8 → 57.0, clawhub-zh2en 93.8 → 93.9, three other sets as they were.
    """
    wanted = sorted(tokenize(name))
    size = len(wanted)
    if size < 2 or (len(split_words(name)) < 2 and not has_cjk(name)):
        return False
    starts = [at for at, token in enumerate(tokens) if token in wanted]
    return any(sorted(tokens[at : at + size]) == wanted for at in starts)
