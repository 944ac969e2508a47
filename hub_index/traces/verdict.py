"""The parts that gained in the last replay, for each hub: a small file beside the traces, read if learning is on.

It holds no word of a query. Plain JSON, written whole and renamed; a damaged one counts as none.
"""

import json
import os
from typing import Any

from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.errors import TracesUnusable
from hub_index.frozen import FrozenValue

PARTS = ("memory", "prior")
_NAME = "learnt.json"
_MAX_BYTES = 1024 * 1024


class Verdict(FrozenValue):
    """The parts of the experience that gained on the user's own history, and how much; none if nothing did."""

    parts: tuple[str, ...]
    gain: float
    error: float
    searches: int
    at: float


def read_verdict(folder: str, hub: str) -> Verdict | None:
    """The verdict of the last replay of this hub, or None."""
    entry: Any = _read_all(folder).get(hub)  # any JSON value
    try:
        parts = tuple(part for part in PARTS if part in entry["parts"])
        gain, error = float(entry["gain"]), float(entry["error"])
        return Verdict(parts, gain, error, int(entry["searches"]), float(entry["at"]))
    except (TypeError, KeyError, ValueError):
        return None


def write_verdict(folder: str, hub: str, verdict: Verdict) -> None:
    """Keeps what a replay found. Raises TracesUnusable."""
    path = os.path.join(folder, _NAME)
    temporary = f"{path}.{os.getpid()}"
    verdicts = _read_all(folder) | {hub: {**verdict.__dict__, "parts": list(verdict.parts)}}
    try:
        make_private_folder(folder)
        with open(temporary, "w", encoding="utf-8", opener=open_private_file) as file:
            json.dump(verdicts, file)
        os.replace(temporary, path)
    except OSError as error:
        raise TracesUnusable(f"traces: {path}: {error.strerror}; check the folder and the disk") from error


def forget_verdicts(folder: str) -> int:
    """The number of removed files."""
    try:
        os.unlink(os.path.join(folder, _NAME))
    except OSError:
        return 0
    return 1


def _read_all(folder: str) -> dict[str, dict[str, object]]:
    path = os.path.join(folder, _NAME)
    if who_else_may_write(folder) or who_else_may_write(path):
        return {}
    try:
        with open(path, "rb") as file:
            verdicts = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return verdicts if isinstance(verdicts, dict) else {}
