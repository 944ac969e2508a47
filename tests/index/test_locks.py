"""The one way to take a lock: held by one, waited for, free when its holder is gone."""

import os
import threading
import time
from pathlib import Path

import pytest

from hub_index.base.locks import Lock


@pytest.mark.parametrize("on_folder", [True, False])
def test_a_lock_is_held_by_one_until_the_block_is_left(tmp_path: Path, on_folder: bool) -> None:
    """The second is told no at once; on a folder, no file is left behind."""
    path = tmp_path if on_folder else tmp_path / "lock"
    with Lock(path, on_folder=on_folder) as first, Lock(path, on_folder=on_folder) as second:
        assert first.take()
        assert not second.take()
    with Lock(path, on_folder=on_folder) as third:
        assert third.take()
    assert os.listdir(tmp_path) == ([] if on_folder else ["lock"])


def test_a_lock_can_be_waited_for(tmp_path: Path) -> None:
    """It is taken as soon as it is free, and given up after the time that was named."""
    holder = Lock(tmp_path / "lock")
    assert holder.take()
    with Lock(tmp_path / "lock") as waiting:
        started_s = time.monotonic()
        assert not waiting.take(wait_s=0.1)
        assert time.monotonic() - started_s >= 0.1
        threading.Timer(0.1, holder.__exit__).start()
        assert waiting.take(wait_s=30)
