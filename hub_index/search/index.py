"""`Index`: an open hub that answers queries; the mode that was asked for, or keyword with the reason."""

from math import isfinite

from hub_index.errors import ConfigError, IndexUnusable, ProviderError
from hub_index.hub.tree.record_file import record_file
from hub_index.search.engine import RankedRows, Request
from hub_index.search.model import embed_query
from hub_index.search.reader import OpenIndex, Reader
from hub_index.search.results import Hit, Reasons, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.semantic import Vectors

MODES = ("auto", "keyword", "semantic", "hybrid")
MAX_K = 10_000
_MAX_GONE = 1_000  # how many skills that are gone from the checkout a search looks past


class Index:
    """One hub's index, open. Legs are opened when a query first needs them, and stay open."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._keyword: OpenIndex | None = None
        self._vectors: OpenIndex | None = None

    def search(  # noqa: PLR0913 - the options of the command line
        self,
        query: str,
        k: int = 5,
        mode: str = "auto",
        *,
        fusion: str = "default",
        alpha: float | None = None,
        min_score: float | None = None,
        recency: bool = False,
        diverse: bool = False,
        explain: bool = False,
        snippets: bool = False,
    ) -> Results:
        """The best k skills. `auto` and `hybrid` fall back to keyword and say why; `semantic` raises instead.

        Raises ConfigError for a wrong option, IndexUnusable and ProviderError as the class says.
        """
        _check_options(k, mode)
        _check_query(query, min_score)
        query = query.encode("utf-8", "replace").decode()  # half characters can be neither looked up nor printed
        request = Request(k, fusion=fusion, alpha=alpha, min_score=min_score, recency=recency, diverse=diverse)
        if mode == "keyword":
            results = self._search_keyword(query, request)
        else:
            results = self._search_vectors(query, request, mode)
        opened = self._vectors if results.mode != "keyword" else self._keyword
        if opened is not None and (explain or snippets):
            self._annotate(results, opened, explain=explain, snippets=snippets)
        return results

    def related(self, skill: str, k: int = 5) -> Results:
        """The skills nearest to one skill, named by id, path or name: no model is needed.

        Raises IndexUnusable, and ConfigError where the name is nobody's or more than one's.
        """
        _check_options(k, "semantic")
        from hub_index.search.related import find_related

        return find_related(self.reader, skill, k)

    def show(self, skill: str) -> Hit:
        """One skill's record, by id, path or name; its notices say whether it can still be relied on.

        Raises ConfigError where the name is nobody's or more than one's.
        """
        from hub_index.search.lookup import find_skill

        opened = self._open_keyword()
        fields = find_skill(opened.engine.lexical, skill).fields
        hit = Hit(1, fields, 0.0, weak=False, reasons=Reasons(is_exact=True))
        hit.notices = list(opened.notices)
        if opened.hub and opened.index_dir and not record_file(opened.hub, fields["id"], fields["path"]):
            hit.notices.append(f"{hit.id} is no longer in the checkout")
        return hit

    def close(self) -> None:
        """Lets go of encoders."""
        self.reader.models.close()

    def _open_keyword(self) -> OpenIndex:
        if self._keyword is None:
            self._keyword = self.reader.open_keyword()
        return self._keyword

    def _search_keyword(self, query: str, request: Request, reason: str = "") -> Results:
        opened = self._open_keyword()
        question = opened.engine.understand(query)
        answer = opened.engine.search_keyword(question, request)
        results = _results(query, "keyword", answer, opened, request)
        if len(results.hits) < request.k <= len(answer.candidates):  # many are gone: look further down
            request.spare = _MAX_GONE
            results = _results(query, "keyword", opened.engine.search_keyword(question, request), opened, request)
        results.fallback_reason = reason or self._why_checkout(opened)
        return results

    def _why_checkout(self, opened: OpenIndex) -> str:
        """Keyword was asked for and no index could be used: the checkout's files answered, and that has a reason."""
        return "" if opened.index_dir or not self.reader.refusals else str(self.reader.main_refusal())

    def _search_vectors(self, query: str, request: Request, mode: str) -> Results:
        try:
            if self._vectors is None:
                self._vectors = self.reader.open_vectors()
            opened = self._vectors
            question = opened.engine.understand(query)
            if not question.parsed.semantic_text.strip():
                return self._search_keyword(query, request, "the query has no words to embed")
            vector = self._embed(opened, question.parsed.semantic_text)
        except (IndexUnusable, ProviderError, ConfigError) as error:
            if mode == "semantic":
                raise
            return self._search_keyword(query, request, str(error))
        is_semantic = mode == "semantic"
        search = opened.engine.search_semantic if is_semantic else opened.engine.search_hybrid
        answer = search(question, vector, request)
        results = _results(query, "semantic" if is_semantic else "hybrid", answer, opened, request)
        results.model_id = opened.model_id
        results.embedded_by = opened.encoder.model_id if opened.encoder is not None else ""
        return results

    def _embed(self, opened: OpenIndex, text: str) -> "Vectors":
        from hub_index.search.semantic import check_query_vector

        assert opened.encoder is not None  # noqa: S101 - open_vectors gave one
        return check_query_vector(embed_query(opened.encoder, text), opened.dim, normalize=opened.normalize)

    def _annotate(self, results: Results, opened: OpenIndex, *, explain: bool, snippets: bool) -> None:
        from hub_index.search.explain import add_matched_terms, add_snippets

        question = opened.engine.understand(results.query)
        if explain:
            add_matched_terms(results.hits, question, opened.engine.lexical)
        if snippets:
            add_snippets(results.hits, question, opened.hub)


def _check_options(k: int, mode: str) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise ConfigError(f"k is how many results to show: a whole number from 1 to {MAX_K}")
    if mode not in MODES:
        raise ConfigError(f"there is no mode {mode!r}; choose one of {', '.join(MODES)}")


def _check_query(query: str, min_score: float | None) -> None:
    if not isinstance(query, str):
        raise ConfigError("the query must be a text")
    if min_score is not None and not (isinstance(min_score, int | float) and isfinite(min_score)):
        raise ConfigError("min_score must be a finite number")


def _results(query: str, mode: str, answer: RankedRows, opened: OpenIndex, request: Request) -> Results:
    """Hits for the first k candidates whose folder is still there."""
    results = Results(query, mode, [])
    results.index_dir = opened.index_dir
    results.notices = [*opened.notices, *answer.matching.notices]
    results.did_you_mean = answer.matching.correction
    gone = 0
    for one in answer.candidates:
        if len(results.hits) == request.k:
            break
        fields = opened.engine.lexical.read_fields(one.address)
        if opened.hub and opened.index_dir and not record_file(opened.hub, fields["id"], fields["path"]):
            gone += 1
            continue
        reasons = Reasons(
            cosine=one.cosine if mode != "keyword" else None,
            lexical=one.lexical if mode != "semantic" else None,
            bonus=one.bonus,
            is_exact=one.is_exact,
        )
        weak = one.row in answer.weak_rows
        results.hits.append(Hit(len(results.hits) + 1, fields, one.score, weak=weak, reasons=reasons))
    if gone:
        results.notices.append(f"{gone} better matches are no longer in the checkout and were left out")
    return results
