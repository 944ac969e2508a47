"""The risks of one skill, from the files of its checkout as they lie there now."""

from hub_index.base.safe_open import read_below
from hub_index.hub.record_file import is_document_record
from hub_index.limits import MAX_RAW_FILE_BYTES
from hub_index.risks.risk import Finding
from hub_index.risks.scan import scan_file
from hub_index.service.reading.skill_files import FolderPaths, find_paths, join_path
from hub_index.service.requests import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.search.results import Hit
    from hub_index.service.hubs.open_hubs import OpenHub


def find_skill_risks(hub: "OpenHub", hit: "Hit") -> "tuple[Finding, ...] | None":
    """The findings of a skill's files, by place, with paths from its folder; None if they cannot be known here."""
    if not hub.folder or not hit.file:
        return None
    folder, _, name = hit.file.rpartition("/")
    is_own = not is_document_record(hit.id, hit.path)
    paths = find_paths(hub.folder, folder, Deadline()) if is_own else FolderPaths((name,))
    found = [
        finding for path, content in _read(hub.folder, folder, paths.paths) for finding in scan_file(path, content)
    ]
    return tuple(sorted(found, key=lambda finding: finding.risk))


def _read(hub: str, folder: str, paths: "tuple[str, ...]") -> "Iterator[tuple[str, bytes | None]]":
    for path in paths:
        try:
            yield path, read_below(hub, join_path(folder, path), MAX_RAW_FILE_BYTES)
        except OSError:  # gone, a link, or too large to be read: the name still counts
            yield path, None
