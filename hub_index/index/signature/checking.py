"""Checks that an allowed signer has signed a manifest; its digests extend that to the other files.

A signature is a stranger's bytes: its length is capped, and nothing of it becomes an option of ssh-keygen.
"""

import os
from tempfile import NamedTemporaryFile

from hub_index.errors import IndexUntrusted
from hub_index.index.format.manifest import SIGNATURE_FILE, decode_manifest
from hub_index.index.format.parts import skills_digest, vectors_digest
from hub_index.index.signature.ssh_keygen import NAMESPACE, KeygenOutcome, run_ssh_keygen
from hub_index.limits import MAX_SIGNATURE_BYTES, MAX_SIGNERS_TRIED

_WAY_OUT = "sync again, or ask the hub's owner"


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
