"""The page's folder: written beside its place and exchanged for the old one, which must be a page of ours alone.

Unchanged files get a second name in the new folder instead of a copy. `page_files.json` lists every file of the
page: a folder that holds anything else, but for a web host's files (CNAME, .nojekyll), is never replaced.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from hub_index.base.characters import short_line
from hub_index.base.safe_open import read_below, read_regular
from hub_index.errors import ConfigError, PublishError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.foreign_files import check_place, is_gits_own
from hub_index.index.folder.leftovers import find_leftovers, is_old_set, temporary_folder
from hub_index.index.folder.writing import lock_folder, swap_folders

LISTING = "page_files.json"
HOST_FILES = ("CNAME", ".nojekyll")
_MAX_LISTING_BYTES = 64 * 1024 * 1024
_MAX_HOST_FILE_BYTES = 64 * 1024
_LISTING_VERSION = 1


def encode_listing(files: Mapping[str, bytes]) -> bytes:
    """The list of the page's files with their digests, itself not among them."""
    listed = {name: sha256(content).hexdigest() for name, content in sorted(files.items())}
    return (json.dumps({"hub_index_page": _LISTING_VERSION, "files": listed}, indent=0) + "\n").encode()


def read_listing(folder: Path) -> dict[str, str]:
    """The files of the page in that folder with their digests; empty if it is no page of ours."""
    try:
        return parse_listing(read_regular(str(folder / LISTING), _MAX_LISTING_BYTES))
    except OSError:
        return {}


def list_served(folder: Path) -> frozenset[str]:
    """The files that a server of that page serves: the page's files, and their list, which a service worker reads."""
    listed = read_listing(folder)
    return frozenset({LISTING, *listed}) if listed else frozenset()


def parse_listing(text: bytes) -> dict[str, str]:
    """The files in a list with their digests; empty if it is not one of ours."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(content, dict) or content.get("hub_index_page") != _LISTING_VERSION:
        return {}
    files = content.get("files")
    if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
        return {}
    return files


def check_page_folder(folder: Path) -> None:
    """Raises ConfigError if the folder holds something that is not our page's, before any work."""
    if folder.is_symlink():
        raise ConfigError(f"{folder} is a link: name the folder itself")
    if is_gits_own(folder):
        raise ConfigError(f"the page cannot be written to {folder}: it is git's own; name another folder with --out")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder: name another with --out")
    if link := next((name for name in HOST_FILES if (folder / name).is_symlink()), ""):
        raise ConfigError(f"{folder / link} is a link, whose target would be copied into the page: put the file itself")
    listed = read_listing(folder)
    check_strangers(str(folder), _walk(folder), listed, "name an empty folder, or remove these files")
    if not listed:
        check_place(folder)


def check_strangers(place: str, names: Iterable[str], listed: Mapping[str, str], advice: str) -> None:
    """Raises ConfigError if a name is neither in the page's list nor a web host's own."""
    strangers = sorted(name for name in names if name not in listed and name not in (LISTING, *HOST_FILES))
    if strangers:
        shown = ", ".join(map(short_line, strangers[:3])) + (", …" if len(strangers) > 3 else "")
        raise ConfigError(f"{place} holds {shown}, which no page of ours accounts for: {advice}")


@contextmanager
def lock_page(folder: Path) -> Iterator[None]:
    """Holds the right to write a page, as a builder's to write an index.

    Raises ConfigError, IndexBusy, PublishError.
    """
    check_page_folder(folder)
    with lock_folder(folder, recover=_recover):
        check_page_folder(folder)  # once more: the lock's holder before may have put something there
        yield


def write_page(folder: Path, files: Mapping[str, bytes], disk: Disk | None = None) -> int:
    """The number of written files; 0 if the page is current. The caller holds `lock_page`.

    Raises PublishError.
    """
    contents = {**files, LISTING: encode_listing(files)}
    changed = [name for name, content in contents.items() if not _holds(folder / name, content)]
    if not changed and set(contents) == set(_walk(folder)) - set(HOST_FILES):
        return 0
    disk = disk or Disk()
    staged = temporary_folder(folder, "new")
    try:
        try:
            _stage(folder, staged, contents, set(changed), disk)
            old = swap_folders(folder, staged, disk)
        except BaseException:  # Ctrl-C too
            _recover(folder, disk)
            raise
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)  # what is left of it goes with the next page
    except OSError as error:
        raise PublishError(
            f"{folder}: the page cannot be written ({error.strerror or error}); the old one, if any, is as it was; "
            "free space or change rights, then run it again"
        ) from error
    return len(changed)


def _recover(folder: Path, disk: Disk) -> None:
    """Finishes or undoes what a stopped writer of this page began."""
    for left in find_leftovers(folder):
        if is_old_set(left) and not folder.exists():
            disk.rename(left, folder)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _stage(folder: Path, staged: Path, contents: Mapping[str, bytes], changed: set[str], disk: Disk) -> None:
    disk.make_folder(staged, 0o755)
    kept = [name for name in HOST_FILES if (folder / name).is_file()]
    for name in (*contents, *kept):
        target = staged / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name not in changed:
            with suppress(OSError):  # a system without hard links
                disk.link(folder / name, target)
                continue
        disk.create(target, contents[name] if name in contents else read_below(folder, name, _MAX_HOST_FILE_BYTES))


def _walk(folder: Path) -> list[str]:
    """Every file below the folder, by its path from there."""
    return [Path(place, name).relative_to(folder).as_posix() for place, _, names in os.walk(folder) for name in names]


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and read_regular(str(path), len(content)) == content
    except OSError:
        return False
