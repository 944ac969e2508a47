"""Whether files of our names beside a damaged manifest are certainly an index, and not a stranger's (F78).

Certain are two things: the damaged manifest begins byte for byte as we write it, or the hub's own history has an index
there, in the commit that is read or just before its manifest was damaged, and no file that the index does not have.
"""

import re
from collections.abc import Callable

from hub_index.errors import IndexTooNew, IndexUnusable, SourceError
from hub_index.hub.git.repository import Repository
from hub_index.index.folder.our_files import is_our_name
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import MANIFEST_FILE

_OUR_BEGINNING = re.compile(rb'\{\n  "index_version": [12],\n  "created_at": "')

TrackedNames = Callable[[], frozenset[str]]  # asked only where it matters, since git is


def is_damaged_index(error: IndexUnusable, manifest: bytes, taken: set[str], tracked: TrackedNames) -> bool:
    """True if files of our names are an index whose manifest our reader refuses with this error.

    An index of a later format is not damaged, with any beginning and any history.
    """
    if isinstance(error, IndexTooNew):
        return False
    return _OUR_BEGINNING.match(manifest) is not None or taken <= tracked()


def tracked_index(repo: Repository, commit: str, folder: str) -> frozenset[str]:
    """The names of an index's files in a folder of the hub, as the commit has them, or had before the last change.

    None if the commit has no manifest there, or if our reader accepts neither.
    """
    place = f"{folder}/{MANIFEST_FILE}"
    if repo.read_file(commit, place) is None:
        return frozenset()
    try:
        for version in repo.read_fields("log", "-2", "-z", "--format=%H", commit, "--", place):
            if _is_accepted(repo.read_file(version, place)):
                return _our_names(repo, version, folder)
    except SourceError:  # a shallow or damaged history is no evidence
        pass
    return frozenset()


def _is_accepted(manifest: bytes | None) -> bool:
    try:
        decode_manifest(manifest or b"")
    except IndexUnusable:
        return False
    return True


def _our_names(repo: Repository, commit: str, folder: str) -> frozenset[str]:
    paths = (entry.path.rpartition("/") for entry in repo.list_tree(commit, f"{folder}/"))
    return frozenset(name for place, _, name in paths if place == folder and is_our_name(name))
