"""How many skills of a hub hold each word of a field, and how long its fields are: counted while rows come and go.

Kept in a separate table, because a tsvector's index cannot count the rows of a word without visiting them.
"""

from __future__ import annotations

import struct
from collections import Counter
from operator import add, sub

from hub_index.postgres.table_content import LENGTH_FIELDS, copy_tuple
from hub_index.search.lexical.build import GONE_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hub_index.postgres.connection import Connection
    from hub_index.postgres.table_content import Content
    from hub_index.postgres.tables import HubTables

COUNTED = {field: GONE_FIELDS[field] for field in ("all", "name", "description", "path", "words", "lang")}
# Two columns as texts, a line each, since no word holds a line feed: to take long lists apart costs psycopg more.
_CHANGED = "unnest(string_to_array(%s, E'\\n'), string_to_array(%s, E'\\n')::int[]) AS changed (word, change)"


class Totals:
    """The totals of all documents of a hub; during a change also the added and removed words."""

    def __init__(self, lengths: Iterable[int] = ()) -> None:
        self.lengths = list(lengths) or [0] * len(LENGTH_FIELDS)
        self._came: dict[str, Counter[str]] = {field: Counter() for field in COUNTED}
        self._went: dict[str, Counter[str]] = {field: Counter() for field in COUNTED}

    def add(self, content: Content) -> None:
        """Counts a document."""
        for field, came in self._came.items():
            came.update(content.terms[field])
        self.lengths = list(map(add, self.lengths, content.lengths))

    def remove(self, content: Content) -> None:
        """Counts a document that is gone."""
        for field, went in self._went.items():
            went.update(content.terms[field])
        self.lengths = list(map(sub, self.lengths, content.lengths))

    def exchange(self, old: Content, new: Content) -> None:
        """Counts a document in the place of another: of an edited skill most words stay, and need no counting."""
        for field in COUNTED:
            before, after = old.terms[field], new.terms[field]
            self._came[field].update(after - before)
            self._went[field].update(before - after)
        changes = map(sub, new.lengths, old.lengths)
        self.lengths = list(map(add, self.lengths, changes))

    def changes(self) -> dict[str, dict[str, int]]:
        """The words of each field, by its mark, whose count changed, and by how much."""
        return {mark: _difference(self._came[field], self._went[field]) for field, mark in COUNTED.items()}

    def encode_words(self) -> bytes:
        """The rows of a table that holds nothing yet, in binary COPY."""
        rows = [(mark, *word) for mark, changed in self.changes().items() for word in changed.items()]
        return b"".join([_word_tuple(*row) for row in rows])


def count_words(connection: Connection, tables: HubTables, totals: Totals) -> None:
    """Adds what changed; words that no skill holds any more go."""
    statement = (
        f'WITH counted AS (INSERT INTO {tables.words} AS known SELECT %s::text::"char", word, change FROM {_CHANGED} '
        "ON CONFLICT (field, word) DO UPDATE SET skills = known.skills + excluded.skills RETURNING word, skills) "
        "SELECT word FROM counted WHERE skills <= 0"
    ).encode()
    with connection.pipeline():  # the next field's words are sorted while the server counts these
        cursors = {
            mark: connection.execute(statement, (mark, *_columns(changed)))
            for mark, changed in totals.changes().items()
            if changed
        }
        unheld = {mark: [word for (word,) in cursor] for mark, cursor in cursors.items()}
    for mark, words in unheld.items():
        if words:  # few of those that lost some: to look up all of these again would take half as long as counting
            connection.execute(
                f'DELETE FROM {tables.words} WHERE field = %s::text::"char" AND word = ANY(%s)'.encode(), (mark, words)
            )


def _difference(came: Mapping[str, int], went: Mapping[str, int]) -> dict[str, int]:
    changed = {word: change for word, count in came.items() if (change := count - went.get(word, 0))}
    return changed | {word: -went[word] for word in went.keys() - came.keys()}


def _columns(changed: Mapping[str, int]) -> tuple[str, str]:
    """Words in the order of the table's index, and the change in the count of each."""
    words = sorted(changed)
    return "\n".join(words), "\n".join([str(changed[word]) for word in words])


def _word_tuple(mark: str, word: str, skills: int) -> bytes:
    return copy_tuple((mark.encode(), word.encode("utf-8", "replace").replace(b"\0", b" "), struct.pack("!i", skills)))
