"""One change of an installed skill: its folder and hub-index.lock together, or neither.

The new folder and the new lock are made first, on the same disk, and brought there; then the folder is exchanged in
one step, then the lock renamed. Whoever is killed in between leaves both: the next change finishes it, if the folder is
exactly what the new lock says, and takes it back else. A kernel lock on the root lets one change at a time in; it ends
with its holder. New folders are made beside the skills folder and not in it, where an agent would find half of one.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.base.locks import Lock
from hub_index.errors import ConfigError, HubIndexError, IndexBusy, PublishError, SkillError
from hub_index.index.folder.disk import Disk
from hub_index.index.folder.leftovers import find_leftovers, temporary_folder
from hub_index.index.folder.writing import swap_folders
from hub_index.installs.agent_folders import InstallRoot, leads_outside
from hub_index.installs.file_names import folded
from hub_index.installs.installed_state import read_state
from hub_index.installs.lock_file import InstallLock, LockedSkill, encode_lock, lock_path, read_lock
from hub_index.installs.skill_copy import CopiedFile

_WAIT_S = 10.0  # for another change of the same root: it takes a fraction of a second
_SHOWN_CHARS = 80
_SHOWN_FILES = 5


def skill_folder(root: InstallRoot, folder: str) -> Path:
    """Where a skill's folder of the lock really lies. Raises ConfigError if a project's link leads out of it."""
    skills, _, name = folder.rpartition("/")
    place = os.path.join(root.path, skills)
    if leads_outside(root, place):
        raise ConfigError(f"{place} is a link that leads out of the project; remove it, or install with --user")
    return Path(os.path.realpath(place)) / name


@contextmanager
def change_installs(root: InstallRoot, disk: Disk | None = None) -> Iterator["InstallChange"]:
    """The right to change what is installed below a root; what a killed change left is put in order first.

    Raises ConfigError for a damaged lock, IndexBusy if another change takes too long, PublishError.
    """
    disk = disk or Disk()
    with _plain_errors(root):
        os.makedirs(root.path, exist_ok=True)
        handle = Lock(root.path, on_folder=True)
    with handle:
        with _plain_errors(root):
            is_free = handle.take(_WAIT_S)
        if not is_free:
            raise IndexBusy(f"{root.path}: another hub-index is at work there; wait for it, then run again")
        change = InstallChange(root, disk)
        change.recover()
        yield change


def put_in_order(root: InstallRoot) -> None:
    """Finishes or takes back what a killed change left, before anybody looks; without leftovers nothing is locked.

    Raises as `change_installs`.
    """
    skills = {os.path.join(root.path, folder) for _, folder in root.folders}
    places = [lock_path(root), *[Path(os.path.realpath(place)) for place in skills if not leads_outside(root, place)]]
    with _plain_errors(root):
        is_clean = not any(find_leftovers(place) for place in places if place.parent.is_dir())
    if not is_clean:
        with change_installs(root):
            pass


class InstallChange:
    """The changes of one holder of the kernel lock; `lock` is the present hub-index.lock."""

    def __init__(self, root: InstallRoot, disk: Disk) -> None:
        self.root, self._disk = root, disk
        self.lock = read_lock(root)

    def put(self, skill: LockedSkill, files: Sequence[CopiedFile]) -> None:
        """Puts a skill's files into its folder, in the place of the unedited ones of an earlier state.

        Raises SkillError if anything else is there (nothing is changed), PublishError.
        """
        target, old = skill_folder(self.root, skill.folder), self.lock.find(skill.folder)
        check_replaceable(target, old)
        with self._careful():
            os.makedirs(target.parent, exist_ok=True)
            staged = temporary_folder(target.parent, "new")
            self._stage(staged, files)
            staged_lock = self._stage_lock(self.lock.having(skill))
            aside = swap_folders(target, staged, self._disk, temporary_folder(target.parent, "old"))
            self._settle(aside, target, old, staged_lock, skill)

    def drop(self, skill: LockedSkill) -> None:
        """Removes the unedited files of an installed skill, and its entry. Raises SkillError, PublishError."""
        target = skill_folder(self.root, skill.folder)
        check_replaceable(target, skill)
        with self._careful():
            staged_lock = self._stage_lock(self.lock.without(skill.folder))
            aside = None
            if os.path.lexists(target):
                aside = temporary_folder(target.parent, "old")
                self._disk.rename(target, aside)
                self._disk.sync(target.parent)
            self._settle(aside, target, skill, staged_lock, None)

    def recover(self) -> None:
        """Finishes or takes back what a killed change began. Raises PublishError."""
        with _plain_errors(self.root):
            self.lock = read_lock(self.root)
            self._recover_lock()
            for _, folder in self.root.folders:
                place = os.path.join(self.root.path, folder)
                if os.path.isdir(os.path.dirname(os.path.realpath(place))) and not leads_outside(self.root, place):
                    self._recover_folder(Path(os.path.realpath(place)))

    def _settle(
        self, aside: Path | None, target: Path, old: LockedSkill | None, staged_lock: Path, new: LockedSkill | None
    ) -> None:
        """Puts the new lock in its place and removes the old folder, which goes back if it was edited just now."""
        if aside is not None and old is not None and not read_state(aside, old).is_untouched:
            self._put_back(aside, target, is_swap=new is not None)
            check_replaceable(target, old)
        self._disk.rename(staged_lock, lock_path(self.root))
        self._disk.sync(Path(self.root.path))
        self.lock = self.lock.having(new) if new is not None else self.lock.without(old.folder if old else "")
        if aside is not None:
            remove_tree(aside, self._disk)

    def _put_back(self, aside: Path, target: Path, *, is_swap: bool) -> None:
        if is_swap:
            swap_folders(target, aside, self._disk, temporary_folder(target.parent, "old"))
        else:
            self._disk.rename(aside, target)

    def _stage(self, staged: Path, files: Sequence[CopiedFile]) -> None:
        self._disk.make_folder(staged)
        folders = {parent for file in files for parent in (staged / file.path).parents if staged in parent.parents}
        for folder in sorted(folders):
            self._disk.make_folder(folder)
        for file in files:
            self._disk.create(staged / file.path, file.content)
            if file.executable:
                self._disk.make_executable(staged / file.path)
            self._disk.sync(staged / file.path)
        for folder in (*sorted(folders, reverse=True), staged):
            self._disk.sync(folder)

    def _stage_lock(self, lock: InstallLock) -> Path:
        staged = temporary_folder(lock_path(self.root), "new")
        self._disk.create(staged, encode_lock(lock))
        self._disk.sync(staged)
        return staged

    @contextmanager
    def _careful(self) -> Iterator[None]:
        """Puts everything in order after a failure, Ctrl-C too, as the next change would after a kill."""
        try:
            with _plain_errors(self.root):
                yield
        except BaseException:
            with suppress(HubIndexError):
                self.recover()
            raise

    def _recover_lock(self) -> None:
        """Puts a staged lock in its place if all folders are what it says; else it goes."""
        path = lock_path(self.root)
        for staged in find_leftovers(path):
            try:
                lock = read_lock(self.root, staged)
            except ConfigError:  # it was half written
                self._disk.remove(staged)
                continue
            changed = {skill.folder for skill in {*lock.skills} ^ {*self.lock.skills}}
            if changed and all(self._is_as(folder, lock.find(folder)) for folder in changed):
                self._disk.rename(staged, path)
                self.lock = lock
            else:
                self._disk.remove(staged)

    def _is_as(self, folder: str, skill: LockedSkill | None) -> bool:
        place = skill_folder(self.root, folder)
        return read_state(place, skill).is_untouched if skill is not None else not os.path.lexists(place)

    def _recover_folder(self, skills: Path) -> None:
        """Puts a folder that was moved aside back where it is missing; all other leftovers go."""
        for left in find_leftovers(skills):
            entries = [skill for skill in self.lock.skills if skill_folder(self.root, skill.folder).parent == skills]
            missing = (skill for skill in entries if not os.path.lexists(skills / skill.name))
            owner = next((skill for skill in missing if read_state(left, skill).is_untouched), None)
            if owner is not None and skills.is_dir():
                self._disk.rename(left, skills / owner.name)
            else:
                remove_tree(left, self._disk)


def check_replaceable(target: Path, old: LockedSkill | None) -> None:
    """Raises SkillError if the place of a skill holds something that is not as it was installed."""
    if old is None:
        if twin := _find_twin(target):
            raise SkillError(
                f"{target.parent / twin} is there already and stays as it is; move it away, or give the new one "
                "another name with --as NAME"
            )
        return
    state = read_state(target, old)
    if state.edited:
        raise SkillError(
            f"{target} was edited since it was installed ({list_files(state.edited)}), so it stays as it is; copy "
            "your work elsewhere and delete that folder, then run again"
        )


def list_files(names: Sequence[str]) -> str:
    """Some of these names, quoted, and the number of the others."""
    shown = ", ".join(quote_line(name, _SHOWN_CHARS) for name in names[:_SHOWN_FILES])
    return shown + (f" and {len(names) - _SHOWN_FILES} more" if len(names) > _SHOWN_FILES else "")


def _find_twin(target: Path) -> str:
    """What has the name of a new folder already, or one that only case or normal form tells apart; empty if nothing."""
    try:
        names = os.listdir(target.parent)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise PublishError(f"{target.parent} cannot be read: {error.strerror}; check its rights") from error
    return next((name for name in sorted(names) if folded(name) == folded(target.name)), "")


def remove_tree(path: Path, disk: Disk) -> None:
    """Removes a folder with all that is in it, or a file; links are removed and never followed. Raises OSError."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        disk.remove(path)
        return
    for name in sorted(os.listdir(path)):
        remove_tree(path / name, disk)
    disk.remove_folder(path)


@contextmanager
def _plain_errors(root: InstallRoot) -> Iterator[None]:
    """Turns an OSError into PublishError."""
    try:
        yield
    except OSError as error:
        where = error.filename or root.path
        raise PublishError(
            f"{where}: cannot be written ({error.strerror or error}); every skill is as it was before, or as it was to "
            "be; free space or change rights, then run again"
        ) from error
