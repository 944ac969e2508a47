"""Three byte strings → the index folder, all at once or not at all.

The new folder is made beside the old one, brought to the disk, and the two names are exchanged in one step
(two renames where the system has no such call). A builder dies before or after it: readers find the old set or
the new one. The caller holds `lock_folder`.

Files that are not ours stay. They get a second name in the new folder before the exchange; what cannot have
one (folders, files that came late) is moved after it. So nothing is lost when `recover_folder`, which the next lock
runs, removes what a dead builder left behind.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from hub_index.errors import PublishError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.hold import HOLD_FILE
from hub_index.index.folder.leftovers import find_leftovers, is_old_set, temporary_folder
from hub_index.index.format.manifest import MANIFEST_FILE, SIGNATURE_FILE, SKILLS_FILE, VECTOR_FILE
from hub_index.index.format.verify import check_digests
from hub_index.limits import MAX_SIGNATURE_BYTES
from hub_index.models import IndexFiles
from hub_index.regular_file import open_regular, read_regular

ATTRIBUTES_FILE = ".gitattributes"
_ANOTHER = "choose another (--out, or `output` in hub-index.toml)"
# The bytes are hashed and the triple must never be merged; whatever the hub's own attributes say, nothing is converted.
ATTRIBUTES = b"* -text -diff -merge\n* -filter -ident -working-tree-encoding\n"
OUR_FILES = (MANIFEST_FILE, SKILLS_FILE, VECTOR_FILE, ATTRIBUTES_FILE, SIGNATURE_FILE, HOLD_FILE)
_CHUNK_BYTES = 1024 * 1024


def contents_of(files: IndexFiles) -> dict[str, bytes]:
    """The files of an index folder by name: the three, the attributes that protect them, a signature, a hold."""
    contents = (files.manifest, files.skills, files.vectors, ATTRIBUTES, files.signature, files.hold)
    return {name: data for name, data in zip(OUR_FILES, contents, strict=True) if data is not None}


def write_files(folder: Path, files: IndexFiles, disk: Disk | None = None) -> bool:
    """Whether anything had to be written; a folder that holds these bytes already is not touched.

    Raises PublishError (the old set is as it was), IndexCorrupt for files that contradict each other.
    """
    check_digests(files)
    disk = disk or Disk()
    folder = Path(os.path.abspath(folder))
    contents = contents_of(_keep_signature(folder, files))
    check_output_folder(folder)
    is_free_of_others = not any(os.path.lexists(folder / name) for name in OUR_FILES if name not in contents)
    if is_free_of_others and all(holds(folder / name, data) for name, data in contents.items()):
        return False
    with _plain_errors(folder, "no half-written index was left there"):
        staged = temporary_folder(folder, "new")
        try:
            _stage(folder, staged, contents, disk)
            old = _swap(folder, staged, disk)
        except BaseException:  # Ctrl-C too: the same tidying up as after a crash, only sooner
            with suppress(PublishError):
                recover_folder(folder, disk)
            raise
    if old is not None:
        with _plain_errors(folder, f"the new index is in place, and {old.name} beside it will go with the next build"):
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
    """Raises PublishError where a folder cannot or must not be replaced, before anybody pays for vectors (F46)."""
    if not folder.name or folder.name == "..":
        raise PublishError(f"{folder}: an index needs a folder of its own; {_ANOTHER}")
    if folder.is_symlink():
        raise PublishError(f"{folder}: is a link, and an index is never written through one; name the folder itself")
    if not os.access(folder.parent, os.W_OK | os.X_OK):
        raise PublishError(f"{folder.parent}: is not writable; change its rights or {_ANOTHER}")
    if not folder.exists():
        return
    if not folder.is_dir() or (folder / ".git").exists():
        raise PublishError(f"{folder}: an index needs a folder of its own; {_ANOTHER}")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PublishError(f"{folder}: is not writable; change its rights or {_ANOTHER}")


def recover_folder(folder: Path, disk: Disk) -> None:
    """Finishes or undoes what dead builders began; only under the lock, which says that they are dead.

    Raises PublishError.
    """
    with _plain_errors(folder, "what a stopped build left beside it could not be removed"):
        for left in find_leftovers(folder):
            if left.is_symlink() or not left.is_dir():
                disk.remove(left)
            elif is_old_set(left) and not folder.exists():
                disk.rename(left, folder)  # its builder died between the two renames: this is the old set
            else:
                _retire(left, folder, disk)


def _stage(folder: Path, staged: Path, contents: dict[str, bytes], disk: Disk) -> None:
    known = folder.stat() if folder.exists() else None
    disk.make_folder(staged, stat.S_IMODE(known.st_mode) if known else None)
    if known and os.geteuid() == 0:  # whose folder it is stays so, also where an administrator builds
        os.chown(staged, known.st_uid, known.st_gid)
    for name, data in contents.items():
        disk.create(staged / name, data)
        disk.sync(staged / name)
    for entry in _foreign(folder):
        if not _is_folder(entry):
            with suppress(OSError):  # a system without hard links: it is moved after the exchange
                disk.link(entry, staged / entry.name)
    disk.sync(staged)


def _swap(folder: Path, staged: Path, disk: Disk) -> Path | None:
    """Where the old set is now, if there was one; the new one is in place, on the disk."""
    if not folder.exists():
        disk.rename(staged, folder)
        _settle(folder, disk, lambda: disk.rename(folder, staged))
        return None
    old = _exchange(folder, staged, disk)
    _settle(folder, disk, lambda: _exchange(folder, old, disk))
    return old


def _exchange(folder: Path, staged: Path, disk: Disk) -> Path:
    if disk.exchange(staged, folder):
        return staged
    aside = temporary_folder(folder, "old")
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
        disk.sync(folder.parent)
    except OSError:
        undo()
        raise


def _retire(old: Path, folder: Path, disk: Disk) -> None:
    """Empties and removes a folder that is not the index any more; what is not ours moves on."""
    for entry in _foreign(old):
        target = folder / entry.name
        if not os.path.lexists(target):
            if not folder.exists():
                disk.make_folder(folder)
            disk.rename(entry, target)
        elif not _is_folder(entry) and target.lstat().st_mtime_ns >= entry.lstat().st_mtime_ns:
            disk.remove(entry)  # a second name of the same file, or an older form of it
    for name in OUR_FILES:
        if os.path.lexists(old / name) and not _is_folder(old / name):
            disk.remove(old / name)
    if not os.listdir(old):  # what would overwrite somebody's work is kept where it is
        disk.remove_folder(old)


def _foreign(folder: Path) -> list[Path]:
    if not folder.exists():
        return []
    return [folder / name for name in sorted(os.listdir(folder)) if name not in OUR_FILES]


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


def holds(path: Path, data: bytes) -> bool:
    """Whether a regular file has exactly these bytes; it is not loaded as a whole."""
    try:
        file = open_regular(path)
    except OSError:
        return False
    with file:
        view = memoryview(data)
        return os.fstat(file.fileno()).st_size == len(data) and all(
            file.read(_CHUNK_BYTES) == view[at : at + _CHUNK_BYTES] for at in range(0, len(data) + 1, _CHUNK_BYTES)
        )


@contextmanager
def _plain_errors(folder: Path, state: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PublishError(
            f"{folder}: cannot be written ({error.strerror or error}); {state}; free space or change rights, "
            "then build again"
        ) from error
