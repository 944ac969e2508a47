"""The index of last time: checked by its digests at once, decoded only when a build needs its rows."""

from dataclasses import dataclass
from pathlib import Path

from hub_index.errors import IndexMissing, IndexUnusable
from hub_index.index.folder.store import read_digests_ok, read_files
from hub_index.index.format.verify import VerifiedIndex, check_digests, decode_index
from hub_index.models import IndexFiles, Manifest


@dataclass(frozen=True, slots=True)
class PreviousIndex:
    """A manifest whose digests hold, and where its files are: a folder, or bytes from a git tree."""

    manifest: Manifest
    source: Path | IndexFiles

    def decode(self) -> VerifiedIndex:
        """Everything of it, verified. Raises IndexUnusable."""
        files = self.source if isinstance(self.source, IndexFiles) else read_files(self.source)
        return decode_index(files)


@dataclass(frozen=True, slots=True)
class PreviousLookup:
    """What there was; `notice` says why an index that is there cannot be used."""

    previous: PreviousIndex | None
    notice: str = ""


def read_previous(source: Path | IndexFiles | None) -> PreviousLookup:
    """The previous index of a folder or of a git tree; an unusable one is a notice, not an error (F29)."""
    if source is None:
        return PreviousLookup(None)
    try:
        manifest = check_digests(source) if isinstance(source, IndexFiles) else read_digests_ok(source)
    except IndexMissing:
        return PreviousLookup(None)
    except IndexUnusable as error:
        return PreviousLookup(None, f"the previous index cannot be used, and everything is built anew: {error}")
    return PreviousLookup(PreviousIndex(manifest, source))
