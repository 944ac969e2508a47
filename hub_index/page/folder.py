"""The page's folder: written beside its place and exchanged for the old one, which must be a page of ours alone.

What did not change gets a second name in the new folder instead of a copy. `page_files.json` lists every file of the
page: a folder that holds anything besides them and what a web host wants (CNAME, .nojekyll) is never replaced.
"""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from hub_index.errors import ConfigError, PublishError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.leftovers import temporary_folder
from hub_index.index.folder.ownership import check_place
from hub_index.regular_file import read_regular

LISTING = "page_files.json"
HOST_FILES = ("CNAME", ".nojekyll")
_MAX_LISTING_BYTES = 64 * 1024 * 1024
_LISTING_VERSION = 1


def encode_listing(files: Mapping[str, bytes]) -> bytes:
    """The list of the page's files with their digests, itself not among them."""
    listed = {name: sha256(content).hexdigest() for name, content in sorted(files.items())}
    return (json.dumps({"hub_index_page": _LISTING_VERSION, "files": listed}, indent=0) + "\n").encode()


def read_listing(folder: Path) -> dict[str, str]:
    """The files of the page in that folder with their digests; empty where there is no page of ours."""
    try:
        content = json.loads(read_regular(str(folder / LISTING), _MAX_LISTING_BYTES))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("hub_index_page") != _LISTING_VERSION:
        return {}
    files = content.get("files")
    if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
        return {}
    return files


def check_page_folder(folder: Path) -> None:
    """Raises ConfigError where the folder holds something that is not our page's, before any work."""
    if folder.is_symlink():
        raise ConfigError(f"{folder} is a link: name the folder itself")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder: name another with --out")
    listed = read_listing(folder)
    strangers = sorted(name for name in _walk(folder) if name not in listed and name not in (LISTING, *HOST_FILES))
    if strangers:
        shown = ", ".join(strangers[:3]) + (", …" if len(strangers) > 3 else "")
        raise ConfigError(
            f"{folder} holds {shown}, which no page of ours accounts for: name an empty folder with --out, or remove "
            "what stands there"
        )
    if not listed:
        check_place(folder)


def write_page(folder: Path, files: Mapping[str, bytes], disk: Disk | None = None) -> int:
    """How many files had to be written; 0 where the page is this one already. Raises PublishError, ConfigError."""
    check_page_folder(folder)
    contents = {**files, LISTING: encode_listing(files)}
    changed = [name for name, content in contents.items() if not _holds(folder / name, content)]
    if not changed and set(contents) == set(_walk(folder)) - set(HOST_FILES):
        return 0
    disk = disk or Disk()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = temporary_folder(folder, "new")
        try:
            _stage(folder, staged, contents, set(changed), disk)
            _swap(folder, staged, disk)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        raise PublishError(
            f"{folder}: the page cannot be written ({error.strerror or error}); the old one, if any, is as it was; "
            "free space or change rights, then run it again"
        ) from error
    return len(changed)


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
        disk.create(target, contents[name] if name in contents else (folder / name).read_bytes())


def _swap(folder: Path, staged: Path, disk: Disk) -> None:
    if not folder.exists():
        disk.rename(staged, folder)
    elif not disk.exchange(staged, folder):
        aside = temporary_folder(folder, "old")
        disk.rename(folder, aside)
        try:
            disk.rename(staged, folder)
        except OSError:
            disk.rename(aside, folder)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    disk.sync(folder.parent)


def _walk(folder: Path) -> list[str]:
    """Every file below the folder, by its path from there."""
    return [Path(place, name).relative_to(folder).as_posix() for place, _, names in os.walk(folder) for name in names]


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and read_regular(str(path), len(content)) == content
    except OSError:
        return False
