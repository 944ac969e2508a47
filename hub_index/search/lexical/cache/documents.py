"""The source of a lexical index: a key for every row, and how its document is prepared.

A key is 16 bytes for the record and 16 for the body. Equal keys are equal documents, whatever commit, branch or hub
they came from: so an index reuses the tokenised documents of another one.
"""

from __future__ import annotations

from dataclasses import dataclass

from hub_index.search.lexical.prepared import PreparedDocument
from hub_index.search.lexical.preparing import KEY_BYTES, digest_key, run_task, text_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hub_index.search.lexical.build import LexicalDocument
    from hub_index.search.lexical.preparing import Outcome, Task

    Progress = Callable[[int, int], None]  # how many are done, of how many

ROW_KEY_BYTES = 2 * KEY_BYTES
MANY_TASKS = 1_500  # a second of work; a worker takes 0.1 s to start


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """The rows that are wanted, in their order; a row whose file turns out not to be a skill is left out."""

    keys: list[bytes]  # what each row should be; what it is, is known when it was read
    task: Callable[[int], Task]
    task_with: Callable[[int, bytes], Task] | None = None  # the same of a row whose stored record is at hand
    # rows that differ from their keys → the files that the source's name leaves out
    find_loose: Callable[[Sequence[int]], list[str]] | None = None

    def loose_files(self, others: Sequence[int]) -> list[str]:
        """The files by which an entry of this source may differ from another one, where these rows do."""
        return self.find_loose(others) if self.find_loose else []


class KeyedDocument:
    """A document and what it was made of."""

    __slots__ = ("key", "prepared")

    def __init__(self, key: bytes, prepared: PreparedDocument) -> None:
        self.key = key
        self.prepared = prepared


def source_of(documents: Iterable[LexicalDocument]) -> DocumentSource:
    """The source of documents that are at hand."""
    tasks = [text_task(document.record, document.body) for document in documents]
    return DocumentSource([digest_key(task[1]) + task[3] for task in tasks], tasks.__getitem__)


def prepare_rows(
    source: DocumentSource, rows: Sequence[int], records: Mapping[bytes, bytes] | None = None
) -> Iterator[KeyedDocument | None]:
    """The documents of these rows, in their order; on all cores if there are many.

    `records` are stored ones, by the first half of the key: to find them in skills.jsonl it would be read whole.
    """

    def task(row: int) -> Task:
        stored = records.get(source.keys[row][:KEY_BYTES]) if records and source.task_with else None
        return source.task(row) if stored is None or source.task_with is None else source.task_with(row, stored)

    tasks = map(task, rows)
    outcomes: Iterable[Outcome | None] = map(run_task, tasks)
    if len(rows) >= MANY_TASKS:
        from hub_index.search.lexical.cache.document_workers import run_on_all_cores

        outcomes = run_on_all_cores(tasks)
    for row, outcome in zip(rows, outcomes, strict=True):
        if outcome is None:
            yield None
        else:
            record, tokens, distinct, body_key = outcome
            yield KeyedDocument(source.keys[row][:KEY_BYTES] + body_key, PreparedDocument(record, tokens, distinct))
