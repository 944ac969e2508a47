"""The signature that goes out with an index: the old one if the manifest stays, a new one by a given key, or none."""

from dataclasses import replace

from hub_index.index.signature.signing import Signer
from hub_index.models import IndexFiles


def is_doubtful(signer: Signer | None, committed: IndexFiles | None) -> bool:
    """True if a signer would take over vectors that its key has not signed: other people may have made it."""
    return signer is not None and committed is not None and not signer.has_signed(committed)


def with_signature(signer: Signer | None, files: IndexFiles, committed: IndexFiles | None) -> IndexFiles:
    """The files with a signature of theirs, or with none."""
    if committed is not None and committed.manifest == files.manifest and not is_doubtful(signer, committed):
        return replace(files, signature=committed.signature)
    return signer.sign(files) if signer is not None else files


def unsigned_notice(files: IndexFiles | None, committed: IndexFiles | None) -> tuple[str, ...]:
    """A notice if an unsigned index follows a signed one; else empty."""
    if files is None or files.signature is not None or committed is None or committed.signature is None:
        return ()
    return ("the previous index was signed and this one is not: its signature is removed; --sign KEY makes a new one",)
