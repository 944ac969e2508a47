"""An index folder → its manifest, signed by an allowed signer; a known verdict needs no process.

A good verdict is remembered under the digests of manifest, signature and allowed_signers, in a cache that no other user
may write; ssh-keygen checks every other state of the three. Used only with allowed_signers.
"""

import os
import time
from hashlib import sha256

from hub_index.base.cache_notes import read_note, write_note
from hub_index.base.safe_open import RootedPath, read_regular
from hub_index.errors import ConfigError, IndexChanging
from hub_index.index.folder.reading import read_signed_manifest
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import skills_digest
from hub_index.index.signature import check_signature
from hub_index.limits import MAX_ALLOWED_SIGNERS_BYTES, MAX_MANIFEST_BYTES, MAX_SIGNATURE_BYTES

_KIND = "signatures"
_MANIFEST, _SIGNATURE = "index_manifest.json", "index_manifest.json.sig"  # as in index/format, which imports json
_DATED = (b"valid-after", b"valid-before")


def read_signed(folder: RootedPath, skills_sha256: str, allowed_signers: str, cache: str) -> bytes:
    """The signed manifest, which names a skills.jsonl of this digest.

    Raises IndexUntrusted, IndexChanging if the set is another by now, ConfigError without the allowed signers.
    """
    allowed = read_allowed_signers(allowed_signers)
    manifest, signed_skills = _remembered(folder, allowed, cache) or _verified(folder, allowed_signers, allowed, cache)
    if signed_skills != skills_sha256:
        raise IndexChanging(f"{folder}: the index is being changed right now; try again in a moment")
    return manifest


def read_allowed_signers(path: str) -> bytes:
    """The file's bytes. Raises ConfigError if it is unreadable: a named file must never be skipped."""
    try:
        return read_regular(os.path.realpath(path), MAX_ALLOWED_SIGNERS_BYTES)  # the user's own file may be a link
    except OSError as error:
        raise ConfigError(f"the allowed signers {path} cannot be read ({error.strerror}); mend or unset it") from error


def _remembered(folder: RootedPath, allowed: bytes, cache: str) -> tuple[bytes, str] | None:
    try:
        manifest = folder.read(_MANIFEST, MAX_MANIFEST_BYTES)
        signature = folder.read(_SIGNATURE, MAX_SIGNATURE_BYTES)
    except OSError:
        return None
    key = _key(manifest, signature, allowed)
    note = read_note(cache, _KIND, key, ("skills_sha256",))
    return (manifest, note["skills_sha256"]) if note else None


def _verified(folder: RootedPath, allowed_signers: str, allowed: bytes, cache: str) -> tuple[bytes, str]:
    accepted: list[bytes] = []

    def accept(manifest: bytes, signature: bytes | None) -> None:
        check_signature(manifest, signature, allowed_signers)
        accepted.append(signature or b"")

    manifest = read_signed_manifest(folder, accept)
    skills_sha256 = skills_digest(decode_manifest(manifest)) or ""
    write_note(cache, _KIND, _key(manifest, accepted[-1], allowed), {"skills_sha256": skills_sha256})
    return manifest, skills_sha256


def _key(manifest: bytes, signature: bytes, allowed: bytes) -> str:
    """A digest of all that a verdict depends on, with the day if a key is allowed for a time only."""
    digests = b"".join(sha256(part).digest() for part in (manifest, signature, allowed))
    is_dated = any(word in allowed.lower() for word in _DATED)
    return sha256(digests + (time.strftime("%Y%m%d", time.gmtime()).encode() if is_dated else b"")).hexdigest()
