"""The hubs that skills are copied from: git repositories and folders without git, by what a lock calls them.

A lock has a hub's address without its password, or the folder of a hub without an address. `SourceHubs` looks among the
hubs that are searched here, then in clones that it keeps in the user's cache.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from hub_index.base.file_permissions import make_private_folder
from hub_index.errors import ConfigError, HubIndexError, SourceError
from hub_index.hub.git.address import Address, is_same_place, local_path, parse_address
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.sync.sync import SyncOptions, sync_hub
from hub_index.installs.lock_file import LockedSkill
from hub_index.installs.skill_copy import CopiedFile, read_committed, read_plain
from hub_index.search.checkout.git_head import find_root
from hub_index.service.hubs.open_hubs import HubPlace, is_plain_folder

_CLONES = "sources"  # below the cache


@dataclass(frozen=True, slots=True)
class SourceHub:
    """A hub on this machine: its repository, or a folder without git; `prefix` is the hub's folder in it."""

    source: str  # as a lock has it
    folder: Path
    repo: Repository | None = None
    prefix: str = ""

    def newest(self) -> str:
        """The newest commit here; empty for a folder without git. Raises SourceError."""
        return self.repo.resolve_commit("HEAD") if self.repo else ""

    def is_behind(self, commit: str) -> bool:
        """Whether the hub here is older than a commit, or does not have it; a shallow clone cannot say."""
        if self.repo is None or self.repo.shallow:
            return False
        newest = self.newest()
        return newest != commit and (not self.repo.has_commit(commit) or self.repo.is_ancestor(newest, commit))

    def read(self, commit: str, path: str) -> tuple[CopiedFile, ...]:
        """A skill's files at a commit, or as they are in a folder; none if it is not there.

        Raises SourceError, SkillError.
        """
        if self.repo is None:
            return read_plain(self.folder, path)
        if not self.repo.has_commit(commit):
            raise SourceError(
                f"{self.source} has no commit {commit[:12]} here; run `hub-index sync`, or, if its history was "
                "rewritten, remove the skill and add it again"
            )
        return read_committed(self.repo, commit, path)

    def path_of(self, path: str) -> str:
        """A path from the hub's root as a path of the repository."""
        return "/".join(filter(None, (self.prefix, "" if path == "." else path))) or "."


def open_source(folder: str, *, is_plain: bool) -> SourceHub:
    """The hub in a folder. Raises SourceError if git cannot open it."""
    if is_plain:
        return SourceHub(os.path.realpath(folder), Path(os.path.realpath(folder)))
    repo = open_repository(Path(folder))
    source = _recorded_address(repo) or os.path.realpath(find_root(folder) or folder)
    return SourceHub(source, Path(folder), replace(repo, prefix=""), repo.prefix)


def _recorded_address(repo: Repository) -> str:
    """The address of the repository's remote as a lock may show it; empty without one."""
    try:
        return shown_source(parse_address(repo.remote_address(), must_exist=False))
    except ConfigError:  # there is none, or git alone understands it
        return ""


def shown_source(address: Address) -> str:
    """An address without a password; the account that everybody has with ssh stays."""
    if path := local_path(address):
        return path
    parts = urlsplit(address.url) if address.scheme == "ssh" and "://" in address.url else None
    is_account = parts is not None and parts.username and not (parts.password or parts.query or parts.fragment)
    return address.url if is_account else address.shown


class SourceHubs:
    """The hubs at some places, and clones of addresses in the cache; `progress` hears git's while one is fetched."""

    def __init__(
        self, places: Sequence[HubPlace], home: str, cache: str, progress: Callable[[str, int, int], None] | None = None
    ) -> None:
        self._cache = cache
        self._options = SyncOptions(progress=progress) if progress else SyncOptions()
        folders = [(place, place.folder or ("" if place.index_dir else os.path.join(home, "repo"))) for place in places]
        self._hubs = [hub for place, folder in folders if os.path.isdir(folder) and (hub := _try_open(place, folder))]
        self._fetched: dict[str, SourceHub | None] = {}

    def find(self, skill: LockedSkill, *, fetches: bool) -> SourceHub | None:
        """The hub of an installed skill; None if it is not on this machine.

        `fetches`: an address that no hub here has is cloned, or its clone brought up to date. Raises SourceError, then.
        """
        here = next((hub for hub in self._hubs if _is_source(hub, skill)), None)
        if here is not None:
            return here
        key = f"{skill.source}\0{fetches}\0{bool(skill.commit)}"
        if key not in self._fetched:
            self._fetched[key] = self._find_elsewhere(skill, fetches=fetches)
        return self._fetched[key]

    def _find_elsewhere(self, skill: LockedSkill, *, fetches: bool) -> SourceHub | None:
        if not skill.commit:
            return open_source(skill.source, is_plain=True) if os.path.isdir(skill.source) else None
        address = parse_address(skill.source, must_exist=False)
        path = local_path(address)
        if path and not os.path.isfile(path):  # a file is a bundle, which is cloned
            return open_source(path, is_plain=False) if os.path.isdir(path) else None
        clone = Path(self._cache, _CLONES, sha256(skill.source.encode("utf-8")).hexdigest()[:32])
        if fetches:
            make_private_folder(clone.parent)
            sync_hub(clone, address.url, self._options)
        return replace(open_source(str(clone), is_plain=False), source=skill.source) if clone.is_dir() else None


def _try_open(place: HubPlace, folder: str) -> SourceHub | None:
    try:
        return open_source(folder, is_plain=is_plain_folder(place))
    except HubIndexError:  # its own commands say what is wrong with it
        return None


def _is_source(hub: SourceHub, skill: LockedSkill) -> bool:
    if bool(skill.commit) != (hub.repo is not None):
        return False
    if hub.source == skill.source:
        return True
    try:
        return bool(skill.commit) and is_same_place(
            *(parse_address(text, must_exist=False) for text in (hub.source, skill.source))
        )
    except ConfigError:
        return False
