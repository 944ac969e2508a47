"""The conformance cases notice a reader that is wrong: each of these is the tiny reader with one mistake."""

from pathlib import Path
from types import ModuleType

import pytest
from support.builds.conformance_cases import Laid, failures

import hub_index.reader

_SOURCE = Path(hub_index.reader.__file__).read_text(encoding="utf-8")

# what stands in the reader, and what a mistaken author might have written
_MISTAKES = {
    "digests of files are not compared": ("digest in (None, sha256(data).hexdigest())", "True"),
    "links are followed": ('("O_NOFOLLOW", ', "("),
    "a key may stand twice": (
        "if len(found := dict(pairs)) == len(pairs) else",
        "if (found := dict(pairs)) is not None else",
    ),
    "depth is not limited": ("if depth <= MAX_JSON_DEPTH else", "if depth >= 0 else"),
    "true is a number": ("type(value) is int and rule[0]", "isinstance(value, int) and rule[0]"),
    "other file names are read": ('("vectors.f32", "vector_file")', '(str, "vector_file")'),
    "the order of ids is not looked at": ('record["id"] > records[-1]["id"]', "True"),
    "a path may leave the hub": ('{"", ".", ".."}.isdisjoint(text.split("/"))', "True"),
    "norms are not looked at": ("abs(norm - 1) <= NORM_TOLERANCE if", "norm < math.inf if"),
    "the part of an id is not looked at": ("_need(place == part.number", "_need(True"),
    "a later format is called corrupt": ('upgrade this reader", "too-new")', 'upgrade this reader")'),
    "the constant part is left in": ("number / scale / math.sqrt(1 - self._lift)", "number / scale"),
    "records of parts are not brought into one order": ('key=lambda row: found[row]["id"])', "key=lambda row: row)"),
    "equal scores come in any order": ("key=lambda row: -scores[row])", "key=lambda row: (-scores[row], -row))"),
    "CJK is taken for words": ("        if match[1]:\n", "        if False:\n"),
    "accents are kept": ('[0] != "M"', '[0] != "?"'),
    "idf without its 1": ("math.log(1 + (count", "math.log((count"),
    "ranks begin with 0": ("enumerate(_best(leg), start=1)", "enumerate(_best(leg), start=0)"),
    "another model's vector is compared": ('model in ("", *names)', "True"),
    "the query's length counts": ("query = [number / scale", "query = [number"),
}


def _reader_of(source: str) -> ModuleType:
    module = ModuleType("patched_reader")
    exec(compile(source, "patched_reader.py", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("mistake", _MISTAKES)
def test_a_mistaken_reader_fails(laid: list[Laid], mistake: str) -> None:
    """One mistake in the source, and at least one case says so; the reader without it fails none."""
    right, wrong = _MISTAKES[mistake]
    assert _SOURCE.count(right) == 1
    source = _SOURCE.replace(right, wrong)
    if mistake == "links are followed":  # they are refused twice, once for systems without O_NOFOLLOW
        source = source.replace("_need(not is_link, name", "_need(True, name")
    assert failures(_reader_of(source), laid)


def test_the_same_source_without_a_mistake_fails_nothing(laid: list[Laid]) -> None:
    """The tests above fail for the mistakes and for nothing else."""
    assert failures(_reader_of(_SOURCE), laid) == []
