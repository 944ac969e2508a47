"""How long a reader waits for files that do not fit together, and which error it then raises.

git writes the files one after the other, in place, and a builder may exchange the folder meanwhile: a set that is wrong
now may be right in a moment. A wrong set that was not touched for a while stays wrong.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hub_index.base.characters import quote_line
from hub_index.errors import IndexChanging, IndexCorrupt, IndexMissing, IndexUntrusted, IndexUnusable
from hub_index.index.folder.leftovers import find_leftovers
from hub_index.index.format.parts import MANIFEST_FILE, SIGNATURE_FILE, SKILLS_FILE, VECTOR_FILE, is_part_name

T = TypeVar("T")
_PAUSES_S = (0.01, 0.02, 0.04, 0.08, 0.15, 0.3)  # 0.6 s in all: a checkout moves between two commits in less
_QUIET_S = 2.0  # after this time without a write, waiting does not help
_STEADY_STATES = 6  # three reads, looked at before and after, of one bad set: it is not being changed any more

_Stamp = tuple[int, ...]
_State = tuple[_Stamp, ...]


def retry_until_settled(folder: Path, read: Callable[[], T]) -> T:
    """The result of `read` as soon as the set is whole.

    Raises IndexChanging if the set kept changing, else the last error of `read`: IndexCorrupt, IndexMissing,
    IndexUntrusted, IndexTooNew.
    """
    seen: list[_State] = []
    for pause_s in (*_PAUSES_S, None):
        seen.append(_state(folder))
        try:
            return read()
        except (IndexCorrupt, IndexMissing, IndexUntrusted) as error:
            seen.append(_state(folder))
            if pause_s is None or _is_quiet(folder, seen):
                raise _verdict(folder, error, seen) from error
            time.sleep(pause_s)
        except IndexUnusable as error:
            raise type(error)(f"{quote_line(str(folder))}: {error}") from error
        except OSError as error:
            raise IndexUnusable(
                f"{quote_line(str(folder))}: cannot be read ({error.strerror}); check its rights"
            ) from error
    raise AssertionError("the last pass returns or raises")


def _verdict(folder: Path, error: IndexUnusable, seen: list[_State]) -> IndexUnusable:
    if len(set(seen[-_STEADY_STATES:])) == 1:
        return type(error)(f"{quote_line(str(folder))}: {error}")
    return IndexChanging(f"{quote_line(str(folder))}: the index is being changed right now; try again in a moment")


def _is_quiet(folder: Path, seen: list[_State]) -> bool:
    """True if no writer is at work: nothing changed during the reads, nor for a while before."""
    newest_ns = max(stamp[0] for stamp in seen[-1])
    if newest_ns == 0 and folder.parent.is_dir():  # perhaps between the two renames of a builder
        newest_ns = max((_stamp(left)[0] for left in find_leftovers(folder)), default=0)
    return len(set(seen)) == 1 and time.time() - newest_ns / 1e9 > _QUIET_S


def _state(folder: Path) -> _State:
    """A value that differs between two states of the folder; no file is read."""
    try:
        parts = sorted(filter(is_part_name, os.listdir(folder)))
    except OSError:
        parts = []
    names = (MANIFEST_FILE, SIGNATURE_FILE, SKILLS_FILE, VECTOR_FILE, *parts)
    return tuple(_stamp(path) for path in (folder, *(folder / name for name in names)))


def _stamp(path: Path) -> _Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return (0,)
    return (status.st_ctime_ns, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
