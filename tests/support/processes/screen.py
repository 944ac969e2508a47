"""A real terminal of a given width for a command of ours."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path


def on_a_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    """What the command shows on a terminal of that many columns."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "hub_index", *arguments]
    process = subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL, env=os.environ | environment)
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(reader, 65_536):
            shown += chunk
    except OSError:  # Linux says EIO when the other end has gone
        pass
    os.close(reader)
    assert process.wait() == 0
    return shown.decode()


def answer_on_a_terminal(answer: str, *arguments: str, cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    """The exit code of a command that asks on a terminal, and all that it shows there."""
    reader, terminal = pty.openpty()
    command = [sys.executable, "-m", "hub_index", *arguments]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, cwd=cwd, env=os.environ | env)
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(reader, 65_536):
            shown += chunk
            if b"[y/N]" in chunk:
                os.write(reader, answer.encode())
    except OSError:  # Linux says EIO when the other end has gone
        pass
    os.close(reader)
    return process.wait(), shown.decode()
