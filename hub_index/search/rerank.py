"""The first N of an answer in the order of a reranker: after fusion, before hits without a file are left out.

The reranker is passed in, as the encoder is: nothing here imports an SDK. Its order is used whole or not at all; no hit
is ever added or lost. A query that is a skill's name keeps that skill first.
"""

from dataclasses import dataclass

from hub_index.errors import ConfigError, ProviderError
from hub_index.limits import MAX_RERANK_CHARS, MAX_RERANK_QUERY_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.embedding.rerank.reranker import RerankAnswer, Reranker
    from hub_index.record import Record
    from hub_index.search.candidate import Candidate
    from hub_index.search.engine import Engine, RankedRows
    from hub_index.search.results import RerankNote


@dataclass(frozen=True, slots=True)
class Reranking:
    """The reranker of one search and its depth; `answers` holds paid answers for another try."""

    reranker: "Reranker"
    depth: int
    answers: "dict[tuple[str, ...], RerankAnswer | ProviderError | ConfigError]"

    def apply(self, engine: "Engine", ranked: "RankedRows") -> "tuple[RankedRows, RerankNote | None]":
        """The rows in their new order and a note on it; None if there is nothing to reorder."""
        from hub_index.search.results import RerankNote

        query = ranked.query.parsed.semantic_text.strip()[:MAX_RERANK_QUERY_CHARS]
        first = [candidate for candidate in ranked.candidates[: self.depth] if not candidate.is_exact]
        if not query or len(first) < 2:
            return ranked, None
        records = [engine.lexical.read_record(candidate.address) for candidate in first]
        answer = self._ask(query, describe_records(records))
        by = self.reranker.model_id
        if isinstance(answer, ConfigError | ProviderError):
            return ranked, RerankNote(by=by, count=0, problem=str(answer))
        in_order = reorder(ranked.candidates, first, answer.scores)
        note = RerankNote(by=by, count=len(first), tokens=answer.tokens, usd=answer.usd)
        return ranked.replace(candidates=in_order), note

    def _ask(self, query: str, texts: "list[str]") -> "RerankAnswer | ProviderError | ConfigError":
        key = (query, *texts)
        if key not in self.answers:
            try:
                self.answers[key] = self.reranker.rerank(query, texts)
            except (ProviderError, ConfigError) as error:
                self.answers[key] = error
        return self.answers[key]


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
