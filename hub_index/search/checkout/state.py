"""The state of a checkout, looked at before and after its files are read.

git takes `index.lock`, moves the files, renames the lock over `index`, and moves HEAD last. So files that were read
while there was no lock, between two looks at the same `index`, are of one state; any other set may be a mixture, and is
neither believed nor stored. Which files are skills depends on hub-index.toml as well, which may be edited and not
added: it belongs to the state. No process is started and nothing is read: every query looks twice.
"""

import os
import time

from hub_index.base.safe_open import file_stamp
from hub_index.frozen import FrozenValue
from hub_index.search.checkout.git_head import find_git_folder

CONFIG = "hub-index.toml"  # as in hub/config, which imports dataclasses and TOML
_OLD_LOCK_S = 10.0  # git has died, or waits for an editor: waiting for it does not help


class CheckoutState(FrozenValue):
    """The stamps of git's index file and the hub's settings; empty without git."""

    stamp: str
    is_moving: bool  # git holds its lock: files may be changing

    def is_settled(self, hub: str) -> bool:
        """True if nothing has moved since this look."""
        return not self.is_moving and read_state(hub) == self


def read_state(hub: str) -> CheckoutState:
    """The state right now."""
    git = find_git_folder(hub) if hub else ""
    if not git:
        return CheckoutState("", is_moving=False)
    is_moving = os.path.lexists(f"{git}/index.lock")
    return CheckoutState(f"{file_stamp(f'{git}/index')} {file_stamp(f'{hub}/{CONFIG}')}", is_moving)


def has_old_lock(hub: str) -> bool:
    """Whether git's lock has been there for so long that it will hardly go away by itself."""
    try:
        return time.time() - os.lstat(f"{find_git_folder(hub)}/index.lock").st_mtime > _OLD_LOCK_S
    except OSError:
        return False
