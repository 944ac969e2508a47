"""Several lexical indexes with shared statistics: words are as rare as they are in all of them together.

Only the mean lengths of fields stay those of each index: tantivy cannot take others.
"""

from __future__ import annotations

from hub_index.search.lexical.lexical import LexicalIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_KNOWN_TOKENS = 50_000  # some 5 MB


class LexicalPool:
    """The statistics of several indexes, added up."""

    def __init__(self, members: Sequence[LexicalIndex]) -> None:
        self.members = tuple(members)
        self.count = sum(member.count for member in members)
        self.cjk_count = sum(member.cjk_count for member in members)
        self._frequencies: dict[str, int] = {}
        self._joined: dict[int, PooledIndex] = {}

    def document_frequency(self, token: str) -> int:
        """The number of documents with the token in all indexes."""
        count = self._frequencies.get(token)
        if count is None:
            count = sum([member.document_frequency(token) for member in self.members])
            if len(self._frequencies) >= _MAX_KNOWN_TOKENS:
                self._frequencies.clear()
            self._frequencies[token] = count
        return count

    def join(self, index: LexicalIndex) -> LexicalIndex:
        """The index with the shared statistics; a reopened index shares them too, but is not remembered as a member."""
        for number, member in enumerate(self.members):
            if member is index:
                if number not in self._joined:
                    self._joined[number] = PooledIndex(index, self)
                return self._joined[number]
        return PooledIndex(index, self)


class PooledIndex(LexicalIndex):
    """One index of a pool."""

    def __init__(self, own: LexicalIndex, pool: LexicalPool) -> None:
        self.__dict__.update(own.__dict__)
        self._terms = {}  # another index's weights are not these
        self._pool = pool
        self.idf_count, self.idf_cjk_count = pool.count, pool.cjk_count

    def document_frequency(self, token: str) -> int:
        """The number of documents of the pool with the token in any field."""
        return self._pool.document_frequency(token)

    @property
    def told_count(self) -> int:
        """The number of documents of the pool that are described in CJK."""
        return sum([member.told_count for member in self._pool.members])

    def is_in_short_field(self, token: str) -> bool:
        """Whether a name or a description of any index of the pool holds the token."""
        return any(member.is_in_short_field(token) for member in self._pool.members)
