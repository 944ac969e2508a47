"""What a newer state of a skill changes: which files, and in texts which lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from hub_index.installs.skill_copy import CopiedFile

_MAX_DIFF_BYTES = 64 * 1024  # of a file whose lines are compared: the time grows with the square
_CONTEXT = 2


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs; `lines` are a unified difference without its heading, empty where there is none."""

    path: str
    kind: str  # added, removed, changed
    lines: tuple[str, ...] = ()
    is_mode_changed: bool = False


def compare_files(old: Sequence[CopiedFile], new: Sequence[CopiedFile]) -> tuple[FileChange, ...]:
    """The files that differ, by path."""
    before, after = _by_path(old), _by_path(new)
    return tuple(
        _change(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    )


def _by_path(files: Sequence[CopiedFile]) -> Mapping[str, CopiedFile]:
    return {file.path: file for file in files}


def _change(path: str, old: CopiedFile | None, new: CopiedFile | None) -> FileChange:
    kind = "added" if old is None else "removed" if new is None else "changed"
    contents = [file.content if file else b"" for file in (old, new)]
    is_mode_changed = old is not None and new is not None and old.executable != new.executable
    return FileChange(path, kind, tuple(_compare_lines(*contents)), is_mode_changed)


def _compare_lines(old: bytes, new: bytes) -> Iterator[str]:
    if len(old) + len(new) > _MAX_DIFF_BYTES or b"\0" in old + new:
        return iter(())
    before, after = (content.decode("utf-8", "replace").split("\n") for content in (old, new))
    lines = unified_diff(before, after, lineterm="", n=_CONTEXT)
    return (line for line in lines if not line.startswith(("--- ", "+++ ")))
