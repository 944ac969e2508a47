"""A row on its way to becoming a hit: what each leg says of it, and where tantivy keeps its record."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import tantivy

    from hub_index.record import Record


class Candidate:
    """One row; a leg that has not looked at it has left 0."""

    __slots__ = (
        "address",
        "bonus",
        "boost",
        "confidence",
        "copies",
        "cosine",
        "is_exact",
        "lexical",
        "presumed",
        "record",
        "rerank",
        "row",
        "score",
    )

    def __init__(self, row: int, lexical: float, address: tantivy.DocAddress) -> None:
        self.row = row
        self.lexical = lexical
        self.address = address
        self.cosine = 0.0
        self.bonus = 0.0
        self.presumed = 0.0  # for words of another script, which the query cannot share
        self.is_exact = False
        self.boost = 0.0  # what experience, or a preset, added to the score
        self.score = 0.0
        self.confidence: float | None = None  # that it fits the query; None if nobody measured the model
        self.copies: tuple[Candidate, ...] = ()  # near copies of it that are not shown, best first
        self.record: Record | None = None  # where a step has read it
        self.rerank: float | None = None  # a reranker's score, where one was asked
