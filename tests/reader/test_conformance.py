"""The cases of schemas/conformance: made by their script, passed by the tiny reader, and by our own client."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.builds.conformance_cases import CONFORMANCE, Laid, conformance_cases, failures

from hub_index import reader
from hub_index.errors import IndexUnusable
from hub_index.index.folder.reading import map_index, read_files, read_skills
from hub_index.index.format.records import decode_records
from hub_index.index.format.vectors import base_vectors, check_vectors
from hub_index.index.format.verify import decode_index
from hub_index.search.semantic.semantic import VectorScan, check_query_vector
from schemas.conformance.make_cases import make_files

_KINDS = {"IndexMissing": "missing", "IndexTooNew": "too-new", "IndexCorrupt": "corrupt"}


def test_the_script_makes_the_committed_files() -> None:
    """Byte for byte, and nothing else lies in the folder of the indexes."""
    made = make_files()
    assert [name for name, data in made.items() if (CONFORMANCE / name).read_bytes() != data] == []
    committed = {str(path.relative_to(CONFORMANCE)) for path in (CONFORMANCE / "indexes").rglob("*") if path.is_file()}
    assert committed | {"cases.json"} == set(made)


@pytest.mark.parametrize("has_numpy", [True, False])
def test_the_tiny_reader_passes(laid: list[Laid], monkeypatch: pytest.MonkeyPatch, has_numpy: bool) -> None:
    """Every verdict, token, hit and score, with numpy and without."""
    if not has_numpy:
        monkeypatch.setitem(sys.modules, "numpy", None)
    assert failures(reader, laid) == []


def test_our_own_client_gives_the_same_verdicts(laid: list[Laid], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the whole index, and of its records alone as a search by words reads them."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    wrong = {}
    for each in laid:
        found = (
            _verdict(_check_records, each.folder),
            _verdict(_check_all, each.folder),
        )
        if found != (each.case["records"], each.case["verdict"]):
            wrong[each.case["name"]] = found
    assert wrong == {}


def test_our_own_client_gives_the_same_semantic_scores() -> None:
    """To a millionth, in the same order."""
    asked = 0
    for case in conformance_cases()["indexes"]:
        mapped = map_index(CONFORMANCE / "indexes" / case["index"])
        manifest = mapped.manifest
        check_vectors(mapped.vectors, manifest)
        rows = base_vectors(mapped.vectors, manifest)
        for search in (search for search in case["searches"] if search["answers"] == "semantic"):
            query = np.array(search["vector"], dtype=np.float32)
            ready = check_query_vector(query, rows.shape[1], normalize=manifest.normalize, part=manifest.constant_part)
            scores = [score for _, score in search["hits"]]
            found = VectorScan(rows).nearest(ready, len(rows))
            assert [case["ids"][row] for row, _ in found] == [id_ for id_, _ in search["hits"]]
            assert [score for _, score in found] == pytest.approx(scores, rel=1e-6, abs=1e-6)
            asked += 1
    assert asked > 20


def _check_records(path: Path) -> None:
    read = read_skills(path)
    decode_records(read.skills, read.skills.count(b"\n"))


def _check_all(path: Path) -> None:
    decode_index(read_files(path))


def _verdict(read: Callable[[Path], object], path: Path) -> str:
    try:
        read(path)
    except IndexUnusable as error:
        return _KINDS[type(error).__name__]
    return "good"


def test_where_only_vectors_are_damaged_words_answer_and_say_why(laid: list[Laid]) -> None:
    """Every mode but `semantic`, which is refused; the reason names the file."""
    asked = 0
    for each in laid:
        if (each.case["records"], each.case["verdict"]) != ("good", "corrupt") or each.case["index"] != "small":
            continue
        index = reader.TinyIndex(each.folder)
        vector = [1.0] + [0.0] * (index.manifest["dim"] - 1 - bool(index.manifest.get("constant_part")))
        for mode in ("auto", "hybrid"):
            answer = index.search("useful", vector=vector, mode=mode)
            assert (answer.mode, answer.reason.partition(":")[0]) == ("keyword", "vectors.f32"), each.case["name"]
            assert answer.hits
        with pytest.raises(reader.IndexRefused, match=r"vectors\.f32"):
            index.search("useful", vector=vector, mode="semantic")
        asked += 1
    assert asked > 10


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": -1}, {"mode": "words"}])
def test_a_question_that_nobody_can_mean_is_an_error(wrong: dict[str, Any]) -> None:
    """No hits at all, or a mode that there is not."""
    with pytest.raises(ValueError, match="k is 1 or more, and mode is auto"):
        reader.TinyIndex(CONFORMANCE / "indexes/words").search("sql", **wrong)
