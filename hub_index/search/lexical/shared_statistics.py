"""Several lexical indexes with shared statistics: words are as rare as they are in all of them together.

Only the mean lengths of fields stay those of each index: tantivy cannot take others.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.lexical.lexical import LexicalIndex

_MAX_KNOWN_TOKENS = 50_000  # some 5 MB


class LexicalPool:
    """The statistics of several indexes, added up."""

    def __init__(self, members: Sequence[LexicalIndex]) -> None:
        self.members = tuple(members)
        self.count = sum(member.count for member in members)
        self.cjk_count = sum(member.cjk_count for member in members)
        self._frequencies: dict[str, int] = {}
        self._joined: dict[int, LexicalIndex] = {}

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
        """The index as it scores among the others, made once for each of them."""
        number = next((number for number, member in enumerate(self.members) if member is index), None)
        if number is None:
            return index.among(self)
        if number not in self._joined:
            self._joined[number] = index.among(self)
        return self._joined[number]
