"""What no first search of a hub can go without: tantivy fed with ready tokens, and one regular expression.

Both over the hub's own records and bodies, each step by itself in processor time. `python -m benchmarks.lexical_floor
HUB` prints it for a hub with an index.
"""

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from benchmarks.measure import used_s
from hub_index.index.folder.reading import read_skills
from hub_index.index.format.records import decode_records
from hub_index.search.checkout.files import list_checkout, read_body
from hub_index.search.lexical.build import LexicalDocument, feed_document, make_schema
from hub_index.search.lexical.prepared import prepare_document

_WRITER_HEAP_BYTES = 256_000_000  # as our own writer has


@dataclass(frozen=True, slots=True)
class LexicalFloor:
    """Processor time, in which two readings of "ready tokens" differ by `make_s`."""

    words_s: float  # the regular expression
    make_s: float  # tantivy's documents, made of strings in which the tokens are joined
    feed_s: float  # those documents indexed and committed

    @property
    def strict_s(self) -> float:
        """Where making tantivy's documents counts as our work."""
        return self.words_s + self.feed_s

    @property
    def whole_s(self) -> float:
        """Where it is a part of feeding tantivy, which takes nothing else."""
        return self.strict_s + self.make_s


def read_all(hub: Path) -> list[LexicalDocument]:
    """Every record of the hub's index with the body of its file."""
    skills = read_skills(hub / "search").skills
    files = {file.id: file.file for file in list_checkout(str(hub))}
    records = decode_records(skills, skills.count(b"\n"))
    return [LexicalDocument(record, read_body(str(hub), files.get(record.id, ""))) for record in records]


def measure_floor(documents: Sequence[LexicalDocument]) -> LexicalFloor:
    """The floor of an index of these documents."""
    words_s = used_s(lambda: _find_words(documents))
    prepared = (prepare_document(document.record, document.body) for document in documents)
    ready = [feed_document(row, document).to_dict() for row, document in enumerate(prepared)]
    made: list[tantivy.Document] = []
    make_s = used_s(lambda: made.extend(map(_make_document, ready)))
    return LexicalFloor(words_s, make_s, used_s(lambda: _feed(made)))


def _find_words(documents: Sequence[LexicalDocument]) -> None:
    words = re.compile(r"\w+")
    for document in documents:
        for text in (document.record.name, document.record.description, *document.record.keywords, document.body):
            words.findall(text)


def _make_document(fields: dict[str, list[Any]]) -> tantivy.Document:
    document = tantivy.Document()
    add: dict[type, Any] = {str: document.add_text, int: document.add_unsigned, bytes: document.add_bytes}
    for field, values in fields.items():
        for value in values:
            add[type(value)](field, value)
    return document


def _feed(documents: Sequence[tantivy.Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        writer = tantivy.Index(make_schema(), path=folder).writer(_WRITER_HEAP_BYTES, 1)
        for document in documents:
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()


if __name__ == "__main__":
    print(measure_floor(read_all(Path(sys.argv[1]))))
