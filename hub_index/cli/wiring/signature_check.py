"""The signature of an index that a verb has read: its signer, or that signatures are not checked."""

from hub_index.index.signature import check_signature
from hub_index.models import IndexFiles
from hub_index.search.places.signed_manifest import read_allowed_signers
from hub_index.settings import find_allowed_signers


class SignatureCheck:
    """Checks the sets that `read_files` reads; `state` describes the last one."""

    def __init__(self, home: str) -> None:
        self.allowed_signers = find_allowed_signers(home)
        self.state = ""

    def accept(self, files: IndexFiles) -> None:
        """Raises IndexUntrusted, and ConfigError for allowed signers that cannot be read."""
        if not self.allowed_signers:
            self.state = "signed (not checked: no allowed_signers)" if files.signature is not None else ""
            return

        read_allowed_signers(self.allowed_signers)
        self.state = f"signed by {check_signature(files.manifest, files.signature, self.allowed_signers)}"
