"""The signature of a manifest, whose digests extend it to the other files: made by the owner's key, checked by readers.

A signature is a stranger's bytes: its length is capped, and nothing of it becomes an option of ssh-keygen, which is
started without shell, terminal or window, so it asks for no passphrase, and with a time limit. A publisher recognises
indexes that its own key has signed: anybody could have made one without, and a publisher must not put its name under
its vectors.
"""

import os
from base64 import b64decode
from binascii import Error as NotBase64
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from hub_index.base.characters import short_line
from hub_index.errors import ConfigError, IndexUntrusted
from hub_index.index.format.manifest import SIGNATURE_FILE, decode_manifest
from hub_index.index.format.parts import skills_digest, vectors_digest
from hub_index.limits import MAX_SIGNATURE_BYTES, MAX_SIGNERS_TRIED
from hub_index.models import IndexFiles

NAMESPACE = "hub-index"  # a signature that was made for mail or for git commits is none of an index
_ASKS_THE_USER = frozenset(("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"))
_FIXED_VARIABLES = {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
_TIMEOUT_S = 60.0  # an agent may ask its user to touch a key; checking takes 10 ms
_REASON_CHARS = 300
_FAILED = 127
_WAY_OUT = "sync again, or ask the hub's owner"
_ARMOUR = (b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----")
_KEY_LENGTH_AT = len(b"SSHSIG") + 4  # after the magic bytes and the version


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


def check_signature(manifest: bytes, signature: bytes | None, allowed_signers: str) -> str:
    """The signer of the manifest, by the name in allowed_signers. Raises IndexUntrusted, and IndexCorrupt."""
    if signature is None:
        raise IndexUntrusted(
            f"the index is not signed, and {allowed_signers} lists the allowed signers; ask the hub's owner for "
            "`hub-index publish --sign`, or take that file away to do without signatures"
        )
    named = decode_manifest(manifest)
    if skills_digest(named) is None or vectors_digest(named) is None:
        raise IndexUntrusted(f"the signed manifest has no digests of the other files; {_WAY_OUT}")
    outcome = _verify(manifest, signature, os.path.abspath(allowed_signers))
    if outcome.status != 0:
        raise IndexUntrusted(
            f"{SIGNATURE_FILE}: is not a signature of this index by anybody in {allowed_signers} "
            f"({outcome.reason}); {_WAY_OUT}"
        )
    return outcome.out.decode("utf-8", "replace")


def _verify(manifest: bytes, signature: bytes, allowed_signers: str) -> KeygenOutcome:
    """The outcome of the check that succeeded, with the signer's name, else of the last that did not."""
    if len(signature) > MAX_SIGNATURE_BYTES or not signature:
        return KeygenOutcome(1, b"", f"it is empty, not a regular file, or larger than {MAX_SIGNATURE_BYTES} bytes")

    with NamedTemporaryFile(prefix="hub-index-", suffix=".sig") as file:
        file.write(signature)
        file.flush()
        outcome = run_ssh_keygen("-Y", "find-principals", "-s", file.name, "-f", allowed_signers)
        if outcome.status != 0:
            return outcome
        for name in outcome.out.decode("utf-8", "replace").split("\n")[:MAX_SIGNERS_TRIED]:
            if not name:
                continue
            outcome = run_ssh_keygen(
                "-Y", "verify", "-n", NAMESPACE, "-I", name, "-s", file.name, "-f", allowed_signers, stdin=manifest
            )
            if outcome.status == 0:
                return KeygenOutcome(0, name.encode(), "")
    return KeygenOutcome(1, b"", outcome.reason)


class Signer:
    """The owner of a key: a private key's file, or a public one's whose private half an agent holds."""

    def __init__(self, key: Path) -> None:
        """Signs nothing at all once, so that a key that cannot be used is known before anything is embedded.

        Raises ConfigError.
        """
        self._key = key
        self._public = _public_key(self._sign(b""))

    def sign(self, files: IndexFiles) -> IndexFiles:
        """The files with a signature of their manifest. Raises ConfigError."""
        return replace(files, signature=self._sign(files.manifest))

    def has_signed(self, files: IndexFiles) -> bool:
        """Whether these files carry this key's own signature, and a right one."""
        if files.signature is None or not self._public or _public_key(files.signature) != self._public:
            return False
        with NamedTemporaryFile(prefix="hub-index-", suffix=".sig") as file:
            file.write(files.signature)
            file.flush()
            arguments = ("-Y", "check-novalidate", "-n", NAMESPACE, "-s", file.name)
            return run_ssh_keygen(*arguments, stdin=files.manifest).status == 0

    def _sign(self, data: bytes) -> bytes:
        outcome = run_ssh_keygen("-q", "-Y", "sign", "-n", NAMESPACE, "-f", os.path.abspath(self._key), stdin=data)
        if outcome.status != 0 or not outcome.out:
            raise ConfigError(
                f"--sign {self._key}: cannot be signed with ({outcome.reason}); name an OpenSSH private key without a "
                "passphrase, or a public key whose private half is in your agent (`ssh-add`)"
            )
        return outcome.out


def _public_key(signature: bytes) -> bytes:
    """The public key in a signature; empty if it is none. OpenSSH's PROTOCOL.sshsig has the format."""
    start, end = _ARMOUR
    body = signature.strip().removeprefix(start).removesuffix(end)
    try:
        blob = b64decode(b"".join(body.split()), validate=True)
    except NotBase64:
        return b""
    length = int.from_bytes(blob[_KEY_LENGTH_AT : _KEY_LENGTH_AT + 4])
    return blob[_KEY_LENGTH_AT + 4 : _KEY_LENGTH_AT + 4 + length]
