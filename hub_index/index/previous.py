"""The index of last time: checked by its digests at once, decoded only when a build needs its rows."""

from dataclasses import dataclass
from pathlib import Path

from hub_index.errors import IndexMissing, IndexUnusable
from hub_index.index.store import read_digests_ok, read_files
from hub_index.index.verify import Index, check_digests, decode_index
from hub_index.models import IndexFiles, Manifest


@dataclass(frozen=True, slots=True)
class Previous:
    """A manifest whose digests hold, and where its files are: a folder, or bytes from a git tree."""

    manifest: Manifest
    source: Path | IndexFiles

    def decode(self) -> Index:
        """Everything of it, verified. Raises IndexUnusable."""
        files = self.source if isinstance(self.source, IndexFiles) else read_files(self.source)
        return decode_index(files)


@dataclass(frozen=True, slots=True)
class Found:
    """What there was; `notice` says why an index that is there cannot be used."""

    previous: Previous | None
    notice: str = ""


def read_previous(source: Path | IndexFiles | None) -> Found:
    """The previous index of a folder or of a git tree; an unusable one is a notice, not an error (F29)."""
    if source is None:
        return Found(None)
    try:
        manifest = check_digests(source) if isinstance(source, IndexFiles) else read_digests_ok(source)
    except IndexMissing:
        return Found(None)
    except IndexUnusable as error:
        return Found(None, f"the previous index cannot be used, and everything is built anew: {error}")
    return Found(Previous(manifest, source))
