"""Signs manifests with the owner's key, and recognises indexes that this key has signed before.

Anybody could have made an index without this signature: a publisher must not put its name under its vectors.
"""

import os
from base64 import b64decode
from binascii import Error as NotBase64
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from hub_index.errors import ConfigError
from hub_index.index.signature.ssh_keygen import NAMESPACE, run_ssh_keygen
from hub_index.models import IndexFiles

_ARMOUR = (b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----")
_KEY_LENGTH_AT = len(b"SSHSIG") + 4  # after the magic bytes and the version


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
