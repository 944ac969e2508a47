"""The previous index: checked by its digests at once, decoded only when a build needs its records."""

from dataclasses import dataclass
from pathlib import Path

from hub_index.errors import IndexMissing, IndexUnusable
from hub_index.index.folder.reading import open_files, read_digests_ok, read_files
from hub_index.index.format.format_choice import is_right_format
from hub_index.index.format.verify import NOTHING_ACCEPTED, AcceptedSections, VerifiedIndex, check_digests, decode_index
from hub_index.models import IndexFiles, Manifest


@dataclass(frozen=True, slots=True)
class PreviousIndex:
    """A manifest whose digests are right, and where its files are: a folder, or bytes from a git tree."""

    manifest: Manifest
    source: Path | IndexFiles

    def read(self) -> IndexFiles:
        """The files, their digests right. Raises IndexUnusable."""
        return self.source if isinstance(self.source, IndexFiles) else read_files(self.source)

    def decode(self, accepted: AcceptedSections = NOTHING_ACCEPTED) -> VerifiedIndex:
        """All of it, verified; lines that were accepted before are not checked again. Raises IndexUnusable."""
        return decode_index(self.open(), accepted)

    def open(self) -> IndexFiles:
        """The files; parts are not read yet, and hashed when they are. Raises IndexUnusable."""
        return self.source if isinstance(self.source, IndexFiles) else open_files(self.source)


@dataclass(frozen=True, slots=True)
class PreviousLookup:
    """The previous index, if there is one that can be used; `notice` says why one that is there cannot."""

    index: PreviousIndex | None
    notice: str = ""

    @property
    def manifest(self) -> Manifest | None:
        """The manifest of the previous index, if there is one."""
        return self.index.manifest if self.index is not None else None

    def is_current(self, wanted: Manifest, configured: int | None = None) -> bool:
        """Whether a build would write the same again; the time of the build does not count.

        `configured` is the format that the hub chooses, if it does.
        """
        if self.index is None or not is_right_format(self.index.manifest, configured):
            return False
        old = self.index.manifest
        if old.shallow and not wanted.shallow:  # a full clone puts its times right
            return False
        return (old.source_digest, old.space, old.model_id, old.text_version, old.generator) == (
            wanted.source_digest,
            wanted.space,
            wanted.model_id,
            wanted.text_version,
            wanted.generator,
        )


def read_previous(source: Path | IndexFiles | None) -> PreviousLookup:
    """The previous index of a folder or of a git tree; an unusable one is a notice, not an error (F29)."""
    if source is None:
        return PreviousLookup(None)
    try:
        manifest = check_digests(source) if isinstance(source, IndexFiles) else read_digests_ok(source)
    except IndexMissing:
        return PreviousLookup(None)
    except IndexUnusable as error:
        return PreviousLookup(None, unusable_notice(error))
    return PreviousLookup(PreviousIndex(manifest, source))


def unusable_notice(error: IndexUnusable) -> str:
    """Why everything is built anew; the error's own advice is to build, which is just what happens."""
    why, _, _ = str(error).partition("; ")
    return f"the previous index cannot be used, and everything is built anew: {why}"
