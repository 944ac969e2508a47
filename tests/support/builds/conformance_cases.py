"""The cases of schemas/conformance, read from cases.json as any reader's author would, and laid out as folders."""

import base64
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

CONFORMANCE = Path(__file__).resolve().parents[3] / "schemas/conformance"


@cache
def conformance_cases() -> dict[str, list[Any]]:
    """What cases.json holds."""
    cases: dict[str, list[Any]] = json.loads((CONFORMANCE / "cases.json").read_bytes())
    return cases


def lay_out(case: dict[str, Any], folder: Path) -> Path:
    """The folder with a case's index."""
    shutil.copytree(CONFORMANCE / "indexes" / case["index"], folder)
    for name, content in case["files"].items():
        path = folder / name
        path.unlink(missing_ok=True)
        if isinstance(content, dict) and "link" in content:
            path.symlink_to(content["link"])
        elif isinstance(content, dict) and "folder" in content:
            path.mkdir()
        elif content is not None:
            path.write_bytes(_bytes_of(content))
    return folder


def _bytes_of(content: Any) -> bytes:
    if isinstance(content, str):
        return content.encode()
    if "base64" in content:
        return base64.b64decode(content["base64"])
    return "".join(text * times for text, times in content["pieces"]).encode()


@dataclass(frozen=True, slots=True)
class Laid:
    """A case, and the folder with its index."""

    case: dict[str, Any]
    folder: Path


def lay_all(folder: Path) -> list[Laid]:
    """Every variant in a folder of its own."""
    return [
        Laid(case, lay_out(case, folder / str(place))) for place, case in enumerate(conformance_cases()["variants"])
    ]


def tiny_verdict(reader: ModuleType, folder: Path) -> tuple[str, str]:
    """What a module of the tiny reader's kind says of an index: of its records, and of all of it."""
    try:
        index = reader.TinyIndex(folder)
    except reader.IndexRefused as error:
        return error.kind, error.kind
    try:
        index.vectors()
    except reader.IndexRefused as error:
        return "good", error.kind
    return "good", "good"


def failures(reader: ModuleType, laid: list[Laid]) -> list[str]:
    """The names of the cases that a module of the tiny reader's kind fails."""
    cases = conformance_cases()
    failed = [each.case["name"] for each in laid if not _holds(_is_refused_rightly, reader, each)]
    failed += [each["text"] for each in cases["tokens"] if not _holds(_is_taken_apart, reader, each)]
    return failed + [each["index"] for each in cases["indexes"] if not _holds(_is_searched_rightly, reader, each)]


def _holds(check: Callable[..., bool], reader: ModuleType, case: Any) -> bool:
    try:
        return check(reader, case)
    except Exception:  # a broken reader may raise anything
        return False


def _is_refused_rightly(reader: ModuleType, laid: Laid) -> bool:
    return tiny_verdict(reader, laid.folder) == (laid.case["records"], laid.case["verdict"])


def _is_taken_apart(reader: ModuleType, case: dict[str, Any]) -> bool:
    return bool(reader.tiny_tokens(case["text"]) == case["tokens"])


def _is_searched_rightly(reader: ModuleType, case: dict[str, Any]) -> bool:
    index = reader.TinyIndex(CONFORMANCE / "indexes" / case["index"])
    is_whole = [record["id"] for record in index.records] == case["ids"]
    return is_whole and all(_is_answered(index, search) for search in case["searches"])


def _is_answered(index: Any, search: dict[str, Any]) -> bool:
    vector, model = search.get("vector"), search.get("model", "")
    answer = index.search(search["query"], 100, vector, model, search["mode"])
    found = [(record["id"], score) for record, score in answer.hits]
    is_close = all(abs(score - wanted[1]) <= 1e-6 for (_, score), wanted in zip(found, search["hits"], strict=False))
    is_mode = (answer.mode, bool(answer.reason)) == (search["answers"], search["reason"])
    return is_mode and is_close and [id_ for id_, _ in found] == [id_ for id_, _ in search["hits"]]
