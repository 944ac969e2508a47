"""git for `sync`: as in `process.py`, but it may use the network, reports progress, and is stopped where it hangs.

No hook, no file-system monitor, no submodule and no LFS download: a clone only ever brings files. What git prints may
quote a stranger's server: only a GitOutcome's `reason`, redacted, is fit to be shown.
"""

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hub_index.errors import SourceError
from hub_index.hub.git.own_settings import NOTHING_TO_SAY, OwnSettings, as_options
from hub_index.hub.git.process import GitOutcome, clean_environment, start_git

Progress = Callable[[str, int, int], None]  # what, done, of how many

_STALL_S = 300.0  # git reports its progress every second; a server may count objects for a minute in silence
_GRACE_S = 5.0  # for git to remove its own lock files
_SAID_BYTES = 64 * 1024
# how this user reaches servers: proxies, certificates, ssh, key stores
_KEPT_VARIABLES = ("GIT_SSH", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_", "GIT_ASKPASS")
_SETTINGS = (
    "submodule.recurse=false",
    "merge.autoStash=false",
    "gc.autoDetach=false",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=60",
)
_STEP = re.compile(rb"(?:remote: )?([A-Z][a-z]+(?: [a-z]+)*): +\d+% \((\d+)/(\d+)\)")


@dataclass(frozen=True, slots=True)
class NetworkGit:
    """The settings for starting git: its transport, whether it may ask the user, and the lock held while it writes."""

    scheme: str
    is_interactive: bool
    lock: int  # a handle: a git that writes files keeps it, so that the lock outlives a killed hub-index
    progress: Progress
    own: OwnSettings = NOTHING_TO_SAY  # of the clone, once there is one

    def ask(self, folder: Path, *arguments: str, index_file: Path | None = None) -> GitOutcome:
        """The outcome of a command in a checkout, with any status. Raises SourceError."""
        extra = {"GIT_INDEX_FILE": str(index_file)} if index_file else {}
        if self.own.put_aside:
            extra["GIT_ALLOW_PROTOCOL"] = "none"  # a partial clone would fetch what is missing in its own way
        return self._run(["-C", str(folder), *arguments], extra, handles=(self.lock,))

    def fetch(self, *arguments: str) -> GitOutcome:
        """The outcome of a command that uses the network. Raises SourceError.

        It does not hold the lock: helpers that it starts may stay (a password cache does), and would keep it.
        """
        return self._run(list(arguments), {}, handles=())

    def _run(self, arguments: list[str], extra: dict[str, str], handles: tuple[int, ...]) -> GitOutcome:
        process = start_git(
            [*as_options(_SETTINGS + self.own.instead), "--no-pager", "--literal-pathspecs", *arguments],
            self._environment() | extra,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=handles,
            start_new_session=not self.is_interactive,  # without a terminal ssh cannot wait for a password
        )
        with process:
            try:
                return self._listen(process)
            finally:
                if process.poll() is None:
                    _stop(process, is_leader=not self.is_interactive)

    def _listen(self, process: "subprocess.Popen[bytes]") -> GitOutcome:
        out, errors = bytearray(), bytearray()
        with selectors.DefaultSelector() as selector:
            for pipe, heard in ((process.stdout, out), (process.stderr, errors)):
                if pipe is not None:
                    selector.register(pipe, selectors.EVENT_READ, heard)
            heard_s = time.monotonic()
            while selector.get_map():
                ready = selector.select(timeout=1.0)
                for key, _ in ready:
                    chunk = os.read(key.fd, 1 << 16)
                    heard_s = time.monotonic()
                    if not chunk:
                        selector.unregister(key.fileobj)
                    key.data.extend(chunk)
                self._take_steps(errors)
                if not ready and process.poll() is not None:
                    break  # git has ended; a connection that ssh keeps for later holds our pipe open
                if time.monotonic() - heard_s > _STALL_S:
                    raise SourceError(f"git has said nothing for {_STALL_S:.0f} s; check the network and try again")
        return GitOutcome(process.wait(), bytes(out), errors.decode("utf-8", "replace"))

    def _take_steps(self, said: bytearray) -> None:
        """Reports the lines of progress and removes them from `said`, the output of git so far."""
        *lines, rest = bytes(said).replace(b"\r", b"\n").split(b"\n")
        kept = []
        for line in lines:
            if step := _STEP.match(line):
                self.progress(step[1].decode("ascii"), int(step[2][:12]), int(step[3][:12]))
            else:
                kept.append(line + b"\n")
        said[:] = (b"".join(kept) + rest)[-_SAID_BYTES:]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name.startswith(_KEPT_VARIABLES)}
        environment = clean_environment() | kept
        environment.pop("GIT_NO_LAZY_FETCH", None)  # the user's own clone may be a partial one
        return environment | {
            # no redirect leads elsewhere; https and ssh stay, for many users' settings turn one into the other
            "GIT_ALLOW_PROTOCOL": f"{self.scheme}:https:ssh",
            "GIT_TERMINAL_PROMPT": "1" if self.is_interactive else "0",
            "GIT_LFS_SKIP_SMUDGE": "1",
        }


def _stop(process: "subprocess.Popen[bytes]", *, is_leader: bool) -> None:
    """Ends git, and its helpers if it leads a session: by SIGTERM, and by SIGKILL if it does not end in time."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            if is_leader:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
            return
