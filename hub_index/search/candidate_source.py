"""Where candidates come from that are not at hand: the one seam between the engine and a database."""

from __future__ import annotations

from typing import Protocol

from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.matching import LexicalQuery
    from hub_index.search.lexical.translation.translator import Translator
    from hub_index.search.options import SearchOptions
    from hub_index.search.semantic.semantic import Vectors, VectorScan


class Legs(FrozenValue):
    """Documents at hand: their words, and their vectors where these are wanted."""

    lexical: LexicalIndex
    scan: VectorScan | None = None


class CandidateSource(Protocol):
    """Documents that lie elsewhere: the candidates for each question are fetched. Raises IndexUnusable."""

    def learn(self, lexical: LexicalIndex, text: str, translator: Translator | None) -> LexicalIndex:
        """A lexical index that knows what the words of a text weigh in the whole hub."""

    def fetch(
        self,
        lexical: LexicalIndex,
        query: LexicalQuery,
        vector: Vectors | None,
        options: SearchOptions,
        translator: Translator | None,
    ) -> Legs:
        """The candidates of both legs for a query."""

    def fetch_named(self, lexical: LexicalIndex, said: str, near: int) -> Legs:
        """The skills that a name may mean, and so many of its neighbours."""

    def fetch_near(self, lexical: LexicalIndex, vector: Vectors, near: int) -> Legs:
        """The skills nearest to a vector."""
