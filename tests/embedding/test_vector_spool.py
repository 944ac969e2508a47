"""New vectors wait on disk: what comes out is what went in, with a file or without."""

from pathlib import Path

import numpy as np
import pytest

from hub_index.embedding import vector_spool
from hub_index.embedding.vector_spool import VectorSpool


def _rows(start: int, count: int = 4) -> dict[str, np.ndarray]:
    return {f"{number:064x}": np.full(8, number, dtype=np.float32) for number in range(start, start + count)}


@pytest.mark.parametrize("held", [0, 200, 10**6])
def test_every_row_comes_back(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    """In memory, in the file, or some here and some there; a text that comes twice is kept once."""
    monkeypatch.setattr(vector_spool, "HELD_BYTES", held)
    spool = VectorSpool()
    for start in (0, 4, 2, 8):
        spool.add(_rows(start))
    assert len(spool) == len(set(spool)) == 12
    for text_hash, row in (_rows(0, 12)).items():
        assert text_hash in spool
        assert np.array_equal(spool[text_hash], row)
    with pytest.raises(KeyError):
        spool["f" * 64]


def test_without_room_for_a_file_rows_stay_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A full disk costs memory, not the build."""
    monkeypatch.setattr(vector_spool, "HELD_BYTES", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    spool = VectorSpool()
    spool.add(_rows(0))
    assert np.array_equal(spool[f"{3:064x}"], np.full(8, 3, dtype=np.float32))
