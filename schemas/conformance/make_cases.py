"""`python -m schemas.conformance.make_cases`: writes cases.json and the right indexes beside this file, byte for byte.

README.md beside this file says what they are for. The standard library alone, and nothing of hub_index: what a reader
must answer is worked out here once more, in the plainest way.
"""

import json
import math
from pathlib import Path
from typing import Any

from schemas.conformance.file_cases import file_cases, line_cases, row_cases
from schemas.conformance.json_cases import json_cases
from schemas.conformance.manifest_cases import manifest_cases
from schemas.conformance.parts_cases import parts_cases
from schemas.conformance.record_cases import place_cases, record_cases
from schemas.conformance.small_indexes import INDEXES, MODEL, SPACE, Small
from schemas.conformance.tiny_profile import TOKEN_TEXTS, keyword_scores, tokenize

_HERE = Path(__file__).resolve().parent
_QUERIES = (
    "how do I analyze database perf?",
    "我想制作一个ppt，哪些skill可用",
    "数据库",
    "データベース",
    "cafe",
    "CAFÉ résumé",
    "sql sql SQL",
    "the and of",
    "",
    "no such word anywhere",
    "ｓｌｉｄｅｓ",
    "数",
    "slides",
)
_VECTORS = ([1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], [3.0, -1.0, 2.0, 0.25], [-1.0, -1.0, 0.0, 1.0])
_WRONG_VECTORS: tuple[Any, ...] = (None, [], [1.0, 0.0, 0.0], [1.0] * 9, [0.0, 0.0, 0.0, 0.0])


def make_cases() -> dict[str, Any]:
    """Everything in cases.json."""
    return {
        "indexes": [
            {"index": name, "ids": small.ids, "searches": _searches(small)} for name, small in sorted(INDEXES.items())
        ],
        "variants": _variants(),
        "tokens": [{"text": text, "tokens": tokenize(text)} for text in TOKEN_TEXTS],
    }


def make_files() -> dict[str, bytes]:
    """Every generated file by its path below this folder."""
    files = {"cases.json": _encode(make_cases()).encode("ascii")}
    for name, small in INDEXES.items():
        files |= {f"indexes/{name}/{file}": data for file, data in small.files().items()}
    return files


def _encode(cases: dict[str, Any]) -> str:
    """JSON in ASCII, so that nothing is hidden, with a line for each case, so that a change shows."""
    lists = []
    for key, values in cases.items():
        lines = ",\n".join(json.dumps(value, separators=(",", ":")) for value in values)
        lists.append(f"{json.dumps(key)}:[\n{lines}\n]")
    return "{\n" + ",\n".join(lists) + "\n}\n"


def _variants() -> list[dict[str, Any]]:
    lists = (manifest_cases, json_cases, parts_cases, file_cases, line_cases, record_cases, place_cases, row_cases)
    return sorted((case for cases in lists for case in cases()), key=lambda case: str(case["name"]))


def _searches(small: Small) -> list[dict[str, Any]]:
    searches = [_found(small, {"query": query, "mode": "keyword"}) for query in _QUERIES]
    vectors = [vector for vector in _VECTORS if small.count]
    searches += [_found(small, {"query": "", "vector": vector, "mode": "semantic"}) for vector in vectors]
    searches += [
        _found(small, {"query": query, "vector": vector, "mode": mode, "model": model})
        for query, mode, model in (("database", "hybrid", ""), ("数据库 slides", "auto", MODEL), ("", "auto", SPACE))
        for vector in vectors[:3]
    ]
    if small.lift and small.count:
        lifted = [number * math.sqrt(1 - small.lift) for number in vectors[0]] + [math.sqrt(small.lift)]
        searches.append(_found(small, {"query": "", "vector": lifted, "mode": "semantic"}))
        searches.append({**_found(small, {"query": "sql", "vector": [*lifted[:-1], 0.5], "mode": "auto"}, falls=True)})
    for vector in _WRONG_VECTORS:
        searches.append(_found(small, {"query": "sql", "vector": vector, "mode": "auto"}, falls=True))
    wrong_model = {"query": "sql", "vector": list(_VECTORS[0]), "model": "openai:another", "mode": "hybrid"}
    searches.append(_found(small, wrong_model, falls=True))
    return searches


def _found(small: Small, search: dict[str, Any], *, falls: bool = False) -> dict[str, Any]:
    """The search, with the mode that answers, whether it says why, and the hits."""
    words = keyword_scores(small.records, search["query"])
    if falls or search["mode"] == "keyword":
        mode, scores = "keyword", words
    else:
        cosines = small.cosines(search["vector"])
        mode = "semantic" if search["mode"] == "semantic" else "hybrid"
        scores = cosines if mode == "semantic" else _fused(words, cosines)
    rows = _best(scores) if mode != "semantic" else sorted(range(small.count), key=lambda row: (-scores[row], row))
    return {
        **search,
        "answers": mode,
        "reason": falls,
        "hits": [[small.ids[row], round(scores[row], 9)] for row in rows],
    }


def _best(scores: list[float]) -> list[int]:
    return sorted((row for row in range(len(scores)) if scores[row] > 0), key=lambda row: (-scores[row], row))


def _fused(*legs: list[float]) -> list[float]:
    places = [{row: place for place, row in enumerate(_best(leg), start=1)} for leg in legs]
    return [sum(1 / (60 + place[row]) for place in places if row in place) for row in range(len(legs[0]))]


def main() -> None:
    """Writes the files."""
    for name, data in make_files().items():
        path = _HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
