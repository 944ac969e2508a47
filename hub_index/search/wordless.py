"""Searching a big hub by meaning before its words are indexed: records come from the index's own lines.

To tokenise 109,000 skills takes a minute of two cores, and cosines do not need it. Without words nothing is filtered,
corrected or explained, and no hit is marked as weak, because that needs words too.
"""

from hub_index.search.candidate import Candidate
from hub_index.search.engine import Engine
from hub_index.search.fusion import rank
from hub_index.search.lexical.matching import LexicalQuery
from hub_index.search.lexical.prepared import decode_record, encode_record
from hub_index.search.query.paste import count_prompt_terms, request_part
from hub_index.search.query.query import parse_query
from hub_index.search.ranking import Ranking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hub_index.record import Record
    from hub_index.search.search_options import SearchOptions
    from hub_index.search.semantic import Vectors
    from hub_index.search.skill_lines import SkillLines

NOTICE = (
    "the words of this hub are not indexed yet, so that hits which probably do not fit are not marked; "
    "`hub-index sync` or a search by words indexes them"
)


def needs_words(options: "SearchOptions") -> bool:
    """Whether an answer by meaning looks at words as well: syntax, dates, experience, or several hubs as one."""
    if options.recency or options.experience is not None or options.scoring or options.pool is not None:
        return True
    return not parse_query(options.query).is_plain


class LineRecords:
    """The records of an index in the place of a lexical index; a document's address is its row."""

    is_damaged = False  # what lines are read of is checked each time

    def __init__(self, lines: "SkillLines") -> None:
        self._lines = lines
        self.count = len(lines.ids)

    def read_record(self, address: "Any") -> "Record":
        """The record of a row, as a lexical index would carry it. Raises IndexUnusable if the lines are others."""
        return decode_record(encode_record(self._lines.decode(address)))


class WordlessEngine(Engine):
    """An engine whose `lexical` knows records and no words."""

    is_wordless: bool = True

    def has_vector(self, row: int) -> bool:
        """Every record of the index has one."""
        return row < self.lexical.count

    def plan_query(self, text: str) -> LexicalQuery:
        """The query as written."""
        parsed = parse_query(text)
        return LexicalQuery(
            parsed=parsed,
            exact=(),
            scoring=None,
            upper_bound=0.0,
            counts=count_prompt_terms(parsed.text, request_part(parsed.text)),
            restriction=None,
            correction="",
            notices=parsed.notices,
        )

    def search_semantic(self, query: LexicalQuery, vector: "Vectors", options: "SearchOptions") -> Ranking:
        """The nearest by cosine."""
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        found = []
        for row, cosine in self.scan.nearest(vector, options.depth):
            address: Any = row
            candidate = Candidate(row, 0.0, address)
            candidate.score = candidate.cosine = cosine
            found.append(candidate)
        return self._finish(rank(found), set(), query, options)


def wordless_engine(lines: "SkillLines", hub: str, index_dir: str, notices: tuple[str, ...]) -> Engine:
    """An engine of these records; the other fields are as the engine's own."""
    records: Any = LineRecords(lines)
    return WordlessEngine(lexical=records, hub=hub, index_dir=index_dir, notices=(*notices, NOTICE))
