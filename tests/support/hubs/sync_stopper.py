"""Stops a sync at a chosen moment: a filter of the user's holds git at a file, then the test kills whom it chooses."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from support.hubs.sync_world import SyncWorld

WAIT_S = 20.0
WAIT = "while [ -e armed ]; do sleep 0.02; done"


class Stopper:
    """Holds git at the n-th file that it writes (or at sending a pack), and kills whom the test chooses."""

    def __init__(self, world: SyncWorld, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def hold_at_file(self, number: int) -> None:
        """From now on git stops before it writes that file."""
        script = self.folder / "filter.sh"
        script.write_text(
            f"cd {self.folder}\necho x >> calls\n"
            f'if [ "$(wc -l < calls)" -eq {number} ]; then echo $$ > held; {WAIT}; fi\ncat\n'
        )
        (self.folder / "armed").touch()
        self.world.git("config", "--global", "filter.slow.smudge", f"sh {script}")
        self.world.git("config", "--global", "filter.slow.clean", "cat")

    def hold_sending(self) -> None:
        """From now on whoever sends a pack stops before the first byte."""
        script = self.folder / "hook.sh"
        script.write_text(f'(cd {self.folder}; if [ -e armed ]; then echo $$ > held; {WAIT}; fi)\nexec "$@"\n')
        (self.folder / "armed").touch()
        subprocess.run(["git", "config", "--global", "uploadpack.packObjectsHook", f"sh {script}"], check=True)

    def start(self, *arguments: str) -> int:
        """Starts `hub-index sync` and gives the pid of what holds it, as soon as it is held."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hub_index", "sync", *arguments],
            env=os.environ | {"AXON_HOME": str(self.world.clone.parent)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        held = self.folder / "held"
        end_s = time.monotonic() + WAIT_S
        while not (held.exists() and held.read_text().strip()):
            assert time.monotonic() < end_s, "git was never held"
            time.sleep(0.01)
        return int(held.read_text())

    def kill_all(self, held: int) -> None:
        """kill -9 for everybody from the holding script up to hub-index, git first."""
        assert self.process is not None
        chain = ancestors(held, self.process.pid)
        for pid in [*chain[1:], chain[0]]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(WAIT_S)
        self.let_go()
        time.sleep(0.1)  # the script's last `sleep` still has the lock

    def let_go(self) -> None:
        """Whoever is held goes on."""
        (self.folder / "armed").unlink(missing_ok=True)


def ancestors(pid: int, last: int) -> list[int]:
    """A process and those above it, up to and with `last`."""
    chain = [pid]
    while chain[-1] != last and chain[-1] > 1:
        stat = Path(f"/proc/{chain[-1]}/stat").read_text()
        chain.append(int(stat.rpartition(")")[2].split()[1]))
    return chain
