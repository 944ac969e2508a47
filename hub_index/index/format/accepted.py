"""Digests of sections that our reader has accepted before: their lines and vectors are not checked again.

To check the 109,026 lines of an index takes 1.9 s of a build that changes one of them, to take them apart 0.6 s. The
notes are empty files in the user's own cache, named by the accepted digests and our version, and used only if no other
user may write there. Bytes are hashed as ever whenever they are read: a note is about these very bytes.
"""

import os
from contextlib import suppress
from hashlib import sha256

from hub_index import GENERATOR
from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.index.format.sections import Section, sections_of
from hub_index.models import Manifest

_KIND = "accepted"
_KEPT = 4_096  # an index has at most 1,024 parts, and an edit makes one anew


class AcceptedSections:
    """The notes in a cache folder; an empty name remembers nothing."""

    def __init__(self, cache: str) -> None:
        self._folder = os.path.join(cache, _KIND) if cache else ""

    def has(self, section: Section, manifest: Manifest) -> bool:
        """True if records and vectors of these digests were accepted at the same place of an index with these facts."""
        path = self._path(section, manifest)
        return bool(path) and os.path.isfile(path) and not any(map(who_else_may_write, (self._folder, path)))

    def add(self, manifest: Manifest) -> None:
        """Notes that all records and vectors of an index were accepted, if that can be done."""
        paths = [path for section in sections_of(manifest) if (path := self._path(section, manifest))]
        with suppress(OSError):
            for path in paths:
                make_private_folder(self._folder)
                with suppress(FileExistsError), open(path, "xb", opener=open_private_file):
                    pass
                os.utime(path)  # used now: the oldest are dropped first
            entries = list(os.scandir(self._folder)) if paths else []
            for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[:-_KEPT]:
                os.unlink(entry.path)

    def _path(self, section: Section, manifest: Manifest) -> str:
        """The path of a section's note; empty if the manifest has no digest of its bytes."""
        if not self._folder or section.skills_sha256 is None or section.vector_sha256 is None:
            return ""
        form = (section.number, section.width, section.count, manifest.dim, manifest.normalize, manifest.constant_part)
        facts = f"2 {GENERATOR}\0{form!r}\0{section.skills_sha256}\0{section.vector_sha256}"
        return os.path.join(self._folder, sha256(facts.encode()).hexdigest())


NOTHING_ACCEPTED = AcceptedSections("")
