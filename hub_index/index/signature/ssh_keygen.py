"""How ssh-keygen is started: without shell, terminal or window, so it asks for no passphrase, and with a time limit."""

import os
from dataclasses import dataclass

from hub_index.base.characters import short_line

NAMESPACE = "hub-index"  # a signature that was made for mail or for git commits is none of an index
_ASKS_THE_USER = frozenset(("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"))
_FIXED_VARIABLES = {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
_TIMEOUT_S = 60.0  # an agent may ask its user to touch a key; checking takes 10 ms
_REASON_CHARS = 300
_FAILED = 127


@dataclass(frozen=True, slots=True)
class KeygenOutcome:
    """The end of an ssh-keygen call: its status, its stdout (`out`) and its stderr (`said`)."""

    status: int
    out: bytes
    said: str

    @property
    def reason(self) -> str:
        """Why it failed, in one short line."""
        lines = [line.strip(" @\r") for line in self.said.split("\n")]
        return short_line("; ".join(line for line in lines if line), _REASON_CHARS) or "ssh-keygen gives no reason"


def run_ssh_keygen(*arguments: str, stdin: bytes = b"") -> KeygenOutcome:
    """The outcome of a call; a call that could not start has failed too, and its reason says so."""
    import subprocess  # late: only signing and checking signatures need it

    kept = {name: value for name, value in os.environ.items() if name not in _ASKS_THE_USER}
    try:
        done = subprocess.run(
            ["ssh-keygen", *arguments],
            input=stdin,
            capture_output=True,
            env=kept | _FIXED_VARIABLES,
            timeout=_TIMEOUT_S,
            check=False,
            start_new_session=True,  # without a terminal: a question would wait for ever on a machine without people
        )
    except FileNotFoundError:
        return KeygenOutcome(_FAILED, b"", "ssh-keygen is not installed: install OpenSSH's client")
    except subprocess.TimeoutExpired:
        return KeygenOutcome(_FAILED, b"", f"ssh-keygen did not answer within {_TIMEOUT_S:.0f} s")
    except OSError as error:
        return KeygenOutcome(_FAILED, b"", f"ssh-keygen cannot be started ({error.strerror})")
    return KeygenOutcome(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
