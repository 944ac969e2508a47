"""The files of an index → the index folder, all at once or not at all.

The new folder is made beside the old one, brought to the disk, and the two names are exchanged in one step
(two renames if the system has no exchange). A builder dies before or after it: readers find the old set or
the new one. An unchanged part gets a second name in the new folder and is not written.

Files that are not ours stay. They get a second name in the new folder before the exchange; folders and late files
cannot have one and are moved after it. So nothing is lost when `recover_folder`, which the next lock runs, removes what
a dead builder left behind.

One builder a folder: the parent folder's handle is locked, which leaves no file and ends with its holder. Under the
lock our .gitattributes are put back alone beside an unchanged index: without them git may convert line ends or run
filters, and the next checkout has other bytes than the manifest's digests.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from hub_index.base.locks import Lock
from hub_index.base.safe_open import read_regular
from hub_index.errors import IndexBusy, PublishError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.leftovers import find_leftovers, is_old_set, temporary_folder
from hub_index.index.folder.our_files import (
    ATTRIBUTES,
    ATTRIBUTES_FILE,
    OUR_FILES,
    contents_of,
    holds,
    is_our_name,
    part_names,
)
from hub_index.index.format.parts import MANIFEST_FILE, SIGNATURE_FILE, is_part_name
from hub_index.index.format.sections import load
from hub_index.index.format.verify import check_stored
from hub_index.limits import MAX_SIGNATURE_BYTES
from hub_index.models import Content, IndexFiles

_ANOTHER = "choose another (--out, or `output` in hub-index.toml)"


def write_files(folder: Path, files: IndexFiles, disk: Disk | None = None) -> bool:
    """Whether anything had to be written; a folder that holds these bytes already is not touched.

    Raises PublishError (the old set is as it was), IndexCorrupt for files that contradict each other.
    """
    check_stored(files)
    disk = disk or Disk()
    folder = Path(os.path.abspath(folder))
    contents = contents_of(_keep_signature(folder, files))
    check_output_folder(folder)
    present = [name for name in (*OUR_FILES, *part_names(folder)) if os.path.lexists(folder / name)]
    kept = {name for name, content in contents.items() if holds(folder / name, content)}
    if kept == contents.keys() and contents.keys() >= set(present):
        return False
    with plain_errors(folder, "no half-written index was left there"):
        staged = temporary_folder(folder, "new")
        try:
            _stage(folder, staged, contents, kept, disk)
            old = swap_folders(folder, staged, disk)
        except BaseException:  # Ctrl-C too: the same tidying up as after a crash, only sooner
            with suppress(PublishError):
                recover_folder(folder, disk)
            raise
    if old is not None:
        with plain_errors(folder, f"the new index is in place, and {old.name} beside it will go with the next build"):
            _retire(old, folder, disk)
    return True


def _keep_signature(folder: Path, files: IndexFiles) -> IndexFiles:
    """The files with the signature that is there already, if the manifest that it belongs to stays as it is."""
    if files.signature is not None or not holds(folder / MANIFEST_FILE, files.manifest):
        return files
    try:
        return replace(files, signature=read_regular(str(folder / SIGNATURE_FILE), MAX_SIGNATURE_BYTES))
    except OSError:
        return files


def check_output_folder(folder: Path) -> None:
    """Raises PublishError if a folder cannot or must not be replaced, before vectors are paid for (F46)."""
    if not folder.name or folder.name == "..":
        raise PublishError(f"{folder}: an index needs a separate folder; {_ANOTHER}")
    if folder.is_symlink():
        raise PublishError(f"{folder}: is a link, and an index is never written through one; name the folder itself")
    if not os.access(folder.parent, os.W_OK | os.X_OK):
        raise PublishError(f"{folder.parent}: is not writable; change its rights or {_ANOTHER}")
    if not folder.exists():
        return
    if not folder.is_dir() or (folder / ".git").exists():
        raise PublishError(f"{folder}: an index needs a separate folder; {_ANOTHER}")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PublishError(f"{folder}: is not writable; change its rights or {_ANOTHER}")


def recover_folder(folder: Path, disk: Disk) -> None:
    """Finishes or undoes what dead builders began; only under the lock, which says that they are dead.

    Raises PublishError.
    """
    with plain_errors(folder, "what a stopped build left beside it could not be removed"):
        for left in find_leftovers(folder):
            if left.is_symlink() or not left.is_dir():
                disk.remove(left)
            elif is_old_set(left) and not folder.exists():
                disk.rename(left, folder)  # its builder died between the two renames: this is the old set
            else:
                _retire(left, folder, disk)


def _stage(folder: Path, staged: Path, contents: dict[str, Content], kept: set[str], disk: Disk) -> None:
    old_status = folder.stat() if folder.exists() else None
    disk.make_folder(staged, stat.S_IMODE(old_status.st_mode) if old_status else None)
    if old_status and os.geteuid() == 0:  # whose folder it is stays so, also where an administrator builds
        os.chown(staged, old_status.st_uid, old_status.st_gid)
    for name, content in contents.items():
        if name not in kept or not is_part_name(name) or not _link(folder / name, staged / name, disk):
            disk.create(staged / name, load(content))
            disk.sync(staged / name)
    for entry in _foreign(folder):
        if not _is_folder(entry):
            with suppress(OSError):  # a system without hard links: it is moved after the exchange
                disk.link(entry, staged / entry.name)
    disk.sync(staged)


def _link(source: Path, target: Path, disk: Disk) -> bool:
    """Whether a file that stays as it is has a second name now; not every file system gives one."""
    try:
        disk.link(source, target)
    except OSError:
        return False
    return True


def swap_folders(folder: Path, staged: Path, disk: Disk, aside: Path | None = None) -> Path | None:
    """Where the old set is now, if there was one; the new one is in place, on the disk. Raises OSError.

    `aside` is where a system without exchange moves the old set, on the same disk; by default beside the folder.
    """
    aside = aside or temporary_folder(folder, "old")
    if not folder.exists():
        disk.rename(staged, folder)
        _settle(folder, disk, lambda: disk.rename(folder, staged))
        return None
    old = _exchange(folder, staged, disk, aside)
    _settle(folder, disk, lambda: _exchange(folder, old, disk, staged))
    return old


def _exchange(folder: Path, staged: Path, disk: Disk, aside: Path) -> Path:
    if disk.exchange(staged, folder):
        return staged
    disk.rename(folder, aside)
    try:
        disk.rename(staged, folder)
    except OSError:
        disk.rename(aside, folder)
        raise
    return aside


def _settle(folder: Path, disk: Disk, undo: Callable[[], object]) -> None:
    """Waits until the new name has reached the disk; only then may the old set go."""
    try:
        disk.sync(Path(os.path.realpath(folder.parent)))  # a hub may be reached through a link
    except OSError:
        undo()
        raise


def _retire(old: Path, folder: Path, disk: Disk) -> None:
    """Empties and removes the folder of the previous index; foreign files in it move on."""
    for entry in _foreign(old):
        target = folder / entry.name
        if not os.path.lexists(target):
            if not folder.exists():
                disk.make_folder(folder)
            disk.rename(entry, target)
        elif not _is_folder(entry) and target.lstat().st_mtime_ns >= entry.lstat().st_mtime_ns:
            disk.remove(entry)  # a second name of the same file, or an older form of it
    for name in (*OUR_FILES, *part_names(old)):
        if os.path.lexists(old / name) and not _is_folder(old / name):
            disk.remove(old / name)
    if not os.listdir(old):  # files that would overwrite a user's work stay where they are
        disk.remove_folder(old)


def _foreign(folder: Path) -> list[Path]:
    if not folder.exists():
        return []
    return [folder / name for name in sorted(os.listdir(folder)) if not is_our_name(name)]


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


@contextmanager
def plain_errors(folder: Path, state: str) -> Iterator[None]:
    """Turns an OSError into PublishError, which says what state the folder is in."""
    try:
        yield
    except OSError as error:
        raise PublishError(
            f"{folder}: cannot be written ({error.strerror or error}); {state}; free space or change rights, "
            "then build again"
        ) from error


@contextmanager
def lock_folder(
    folder: Path, disk: Disk | None = None, recover: Callable[[Path, Disk], None] = recover_folder
) -> Iterator[None]:
    """Holds the right to write a folder; what dead builders left behind is healed first, by `recover`.

    Raises IndexBusy if another builder is at work, PublishError if the folder cannot be written.
    """
    folder = Path(os.path.abspath(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = Lock(folder.parent, on_folder=True)
    except OSError as error:
        raise PublishError(f"{folder.parent}: cannot be opened ({error.strerror}); choose another --out") from error
    with lock:
        where = f"{folder}, or another index in {folder.parent}, where one is written at a time"
        busy = IndexBusy(f"another build is writing {where}; wait for it or stop it")
        lock.take_now(busy, folder.parent, "build into a local folder")
        check_output_folder(folder)
        recover(folder, disk or Disk())
        yield


def put_attributes(folder: Path, disk: Disk | None = None) -> str:
    """A sentence on the repair; empty if none was needed. Only under the lock, beside an index of ours.

    Raises PublishError, with the folder as it was.
    """
    folder = Path(os.path.abspath(folder))
    path, disk = folder / ATTRIBUTES_FILE, disk or Disk()
    if holds(path, ATTRIBUTES) or (path.is_dir() and not path.is_symlink()):
        return ""  # somebody's folder of that name stays, and git reads no rule from it
    what = "had been changed" if os.path.lexists(path) else "was missing"
    with plain_errors(folder, f"{ATTRIBUTES_FILE} there {what} and could not be put back"):
        _replace(path, temporary_folder(folder, "new"), disk)
    return f"{path} {what} and was put back: git must not convert the index (the hub's own rules go into its root)"


def _replace(path: Path, staged: Path, disk: Disk) -> None:
    """Writes a new file beside the folder, where a dead builder's is found and removed, and moves it into place."""
    try:
        disk.create(staged, ATTRIBUTES)
        disk.sync(staged)
        disk.rename(staged, path)
    except BaseException:
        with suppress(OSError):
            disk.remove(staged)
        raise
