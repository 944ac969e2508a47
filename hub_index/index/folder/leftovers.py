"""The names of folders that a builder makes beside the index, by which the next builder recognises them."""

import os
import re
from pathlib import Path
from typing import Literal

_NAME = re.compile(r"\.(?P<of>.+)\.hub-index-(?P<kind>old|new)-[0-9a-f]{12}", re.DOTALL)


def temporary_folder(folder: Path, kind: Literal["old", "new"]) -> Path:
    """An unused name beside the folder, so that a rename can put one in the other's place."""
    return folder.parent / f".{folder.name}.hub-index-{kind}-{os.urandom(6).hex()}"


def find_leftovers(folder: Path) -> list[Path]:
    """The files that builders of this folder left beside it; former indexes come first. Raises OSError."""
    names = sorted((name for name in os.listdir(folder.parent) if _is_of(name, folder)), reverse=True)
    return [folder.parent / name for name in names]


def is_old_set(leftover: Path) -> bool:
    """Whether a leftover was the index, moved aside by a builder on a system without exchange."""
    match = _NAME.fullmatch(leftover.name)
    return match is not None and match["kind"] == "old"


def _is_of(name: str, folder: Path) -> bool:
    match = _NAME.fullmatch(name)
    return match is not None and match["of"] == folder.name
