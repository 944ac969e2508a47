"""The first N of an answer in the order of a reranker: after fusion, before hits without a file are left out.

The reranker is passed in, as the encoder is: nothing here imports an SDK. Its order is used whole or not at all; no hit
is ever added or lost. A query that is a skill's name keeps that skill first.
"""

from hub_index.errors import ConfigError, ProviderError
from hub_index.limits import MAX_RERANK_CHARS, MAX_RERANK_QUERY_CHARS
from hub_index.search.ranking import Ranking
from hub_index.search.results import RerankNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.embedding.rerank.reranker import RerankAnswer, Reranker
    from hub_index.record import Record
    from hub_index.search.candidate import Candidate


class PaidReranker:
    """The reranker of one search: a paid or failed answer is kept for another try."""

    def __init__(self, reranker: "Reranker") -> None:
        self._reranker = reranker
        self._answers: dict[tuple[str, ...], RerankAnswer | ProviderError | ConfigError] = {}
        self.model_id = reranker.model_id
        self.close = reranker.close

    def rerank(self, query: str, texts: "Sequence[str]") -> "RerankAnswer":
        """As the reranker answered the first time. Raises ProviderError, ConfigError."""
        key = (query, *texts)
        if key not in self._answers:
            try:
                self._answers[key] = self._reranker.rerank(query, texts)
            except (ProviderError, ConfigError) as error:
                self._answers[key] = error
        answer = self._answers[key]
        if isinstance(answer, ProviderError | ConfigError):
            raise answer
        return answer


def rerank(ranking: Ranking) -> Ranking:
    """The first candidates in the reranker's order, and a note of what became of it; as it was if that is one hit."""
    options, query = ranking.options, ranking.meaning.strip()[:MAX_RERANK_QUERY_CHARS]
    first = [hit for hit in ranking.candidates[: options.depth_to_rerank] if not hit.is_exact]
    if options.rerank is None or not query or len(first) < 2:
        return ranking
    by = options.rerank.model_id
    try:
        answer = options.rerank.rerank(query, describe_records([ranking.facts.read_record(hit) for hit in first]))
    except (ProviderError, ConfigError) as error:
        return ranking.replace(note=RerankNote(by=by, count=0, problem=str(error)))
    note = RerankNote(by=by, count=len(first), tokens=answer.tokens, usd=answer.usd)
    return ranking.replace(candidates=reorder(ranking.candidates, first, answer.scores), note=note)


def describe_records(records: "Sequence[Record]") -> "list[str]":
    """The text of each skill for a reranker: name, description, keywords; all of them within the budget."""
    texts = []
    for record in records:
        keywords = f"\n{', '.join(record.keywords)}" if record.keywords else ""
        texts.append(f"{record.name}: {record.description}{keywords}")
    share = MAX_RERANK_CHARS // max(1, len(texts))
    return [text[:share] for text in texts]


def reorder(
    candidates: "Sequence[Candidate]", first: "Sequence[Candidate]", scores: "Sequence[float]"
) -> "list[Candidate]":
    """All candidates: what is exact, then the first by their new scores (ties as before), then the rest."""
    for candidate, score in zip(first, scores, strict=True):
        candidate.rerank = round(score, 6)
    chosen = {candidate.row for candidate in first}
    best = sorted(first, key=lambda candidate: -(candidate.rerank or 0.0))
    exact = [candidate for candidate in candidates if candidate.is_exact]
    rest = [candidate for candidate in candidates if not candidate.is_exact and candidate.row not in chosen]
    return [*exact, *best, *rest]
