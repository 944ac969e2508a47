"""{text_hash: vector} that takes memory for the first rows only; the others wait in a temporary file.

A build of 109,000 skills has 223 MB of new vectors, and makes files of the same size of them.
"""

from collections.abc import Iterator, Mapping
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING
from weakref import finalize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.float32]

HELD_BYTES = 16 * 1024 * 1024  # some 8,000 rows of 512 numbers: most builds need no file


class VectorSpool(Mapping[str, "Row"]):
    """Grows by `add`; all rows are of one length. A file that cannot be written is done without."""

    def __init__(self) -> None:
        self._held: dict[str, Row] = {}
        self._held_bytes = 0
        self._places: dict[str, int] = {}  # rows of the file
        self._file: IO[bytes] | None = None
        self._may_write = True
        self._stride = 0  # bytes of a row

    def add(self, rows: Mapping[str, "Row"]) -> None:
        """Takes rows of new texts."""
        new = {text_hash: row for text_hash, row in rows.items() if text_hash not in self}
        size = sum(row.nbytes for row in new.values())
        self._stride = self._stride or next((row.nbytes for row in new.values()), 0)
        if self._held_bytes + size <= HELD_BYTES or not self._write(new):
            self._held |= new
            self._held_bytes += size

    def _write(self, rows: Mapping[str, "Row"]) -> bool:
        """Whether the rows are in the file now."""
        if not self._may_write:
            return False
        try:
            file = self._open()
            file.seek(0, 2)
            for row in rows.values():
                file.write(row.astype("<f4", copy=False).tobytes())
            file.flush()
        except OSError:  # no room: what is in the file already stays there
            self._may_write = False
            return False
        for text_hash in rows:
            self._places[text_hash] = len(self._places)
        return True

    def __getitem__(self, text_hash: str) -> "Row":
        if text_hash in self._held:
            return self._held[text_hash]
        import numpy as np

        place, file = self._places[text_hash], self._open()
        file.seek(place * self._stride)
        return np.frombuffer(file.read(self._stride), dtype="<f4")

    def _open(self) -> IO[bytes]:
        if self._file is None:
            self._file = TemporaryFile(prefix="hub-index-")  # noqa: SIM115 - it goes with the spool
            finalize(self, self._file.close)
        return self._file

    def __contains__(self, text_hash: object) -> bool:
        return text_hash in self._held or text_hash in self._places

    def __iter__(self) -> Iterator[str]:
        yield from self._held
        yield from self._places

    def __len__(self) -> int:
        return len(self._held) + len(self._places)
