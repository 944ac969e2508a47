"""Real OpenSSH keys for tests of signed indexes, and the file that says whose signatures count."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# Python, git and make are all that a machine must have; what is said where ssh-keygen is missing is tested everywhere.
needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="signing needs ssh-keygen: install OpenSSH's client to run this test"
)


def make_key(file: Path, passphrase: str = "") -> Path:
    """A new private key; its public half lies beside it."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", str(file)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return file


def allow(file: Path, key: Path, name: str = "owner@example.invalid", options: str = 'namespaces="hub-index"') -> Path:
    """The allowed_signers file, which now names this key and no other."""
    file.parent.mkdir(parents=True, exist_ok=True)
    public = key.with_name(f"{key.name}.pub").read_text()
    file.write_text(f"{name} {options} {public}")
    return file


def without_ssh_keygen(folder: Path) -> str:
    """A PATH on which git is found and ssh-keygen is not."""
    folder.mkdir(exist_ok=True)
    git = shutil.which("git")
    assert git is not None
    os.symlink(git, folder / "git")
    return str(folder)
