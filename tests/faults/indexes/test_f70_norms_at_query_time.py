"""An index whose rows are not of norm 1."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.builds.index_maker import make_files, make_vectors, seal
from support.searches.search_world import WordEncoder

from hub_index.errors import IndexCorrupt
from hub_index.search import open_index
from hub_index.search.index import Index


def open_scaled(folder: Path, scale: float) -> Index:
    """An index whose rows all have this norm, with digests that agree."""
    files = make_files()
    scaled = seal(files.skills, make_vectors(4, scale=scale))
    for name, content in (
        ("index_manifest.json", scaled.manifest),
        ("skills.jsonl", scaled.skills),
        ("vectors.f32", scaled.vectors),
    ):
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)

    def connect(model_id: str, dim: int) -> WordEncoder:
        encoder = WordEncoder(model_id, dim)
        encoder.space = "sha256:" + "2" * 64
        return encoder

    return open_index(folder, cache_dir=folder.parent / "cache", connect=connect)


@pytest.mark.parametrize("scale", [0.5, 1.01, float("nan"), float("inf")])
def test_f70_rows_that_are_not_of_norm_one_are_refused(tmp_path: Path, scale: float) -> None:
    """Digests agree, numbers do not: keyword answers, --semantic is exit 6."""
    index = open_scaled(tmp_path / "index", scale)
    assert index.search("sql").mode == "keyword"
    with pytest.raises(IndexCorrupt):
        index.search("sql", mode="semantic")


def test_f70_the_same_index_with_right_rows_answers(tmp_path: Path) -> None:
    """The test above refuses for the norms and for nothing else."""
    assert open_scaled(tmp_path / "index", 1.0).search("sql", mode="semantic").hits
    assert replace(make_files()) == make_files()
