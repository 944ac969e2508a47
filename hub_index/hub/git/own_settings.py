"""Repository settings that make git run programs, and the harmless values that replace them (F87).

`.git/config` belongs to the author of the folder, and a hub may come as an archive. The user's own settings (global,
system, environment) still decide what runs; the repository's settings of this kind are replaced by `-c`. All other
settings of the repository count, such as the header that allows a CI job to push.

Not here: hooks, the file-system monitor and signatures, which `process.py` switches off for every git; diff and merge
drivers, editors, pagers and aliases, which none of our commands starts.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from hub_index.base.characters import short_line
from hub_index.errors import SourceError
from hub_index.hub.git.process import run_git

_OWN_SCOPES = ("local", "worktree")
# section and last word of a setting, {what it is unless the user's own settings say otherwise}
_INSTEAD = {
    "core.sshcommand": "ssh",
    "core.askpass": "",
    "core.alternaterefscommand": "true",  # git would run an empty one
    "filter.clean": "",
    "filter.smudge": "",
    "filter.process": "",
    "filter.required": "false",
    "gpg.program": "gpg",
    "gpg.defaultkeycommand": "true",
    "hook.command": "true",
    "http.savecookies": "false",  # writes what a server says to any file
}
_HELPER = "credential.helper"  # a list, which an empty value ends
# git takes the first of several values, the repository's: the commands pass these as their options
_TRANSPORTS = ("remote.uploadpack", "remote.receivepack")
OWN_UPLOAD_PACK, OWN_RECEIVE_PACK = "--upload-pack=git-upload-pack", "--receive-pack=git-receive-pack"
# a repository on this machine would inherit our `-c`, and with it go without the hooks that guard it
LOCAL_RECEIVE_PACK = "--receive-pack=GIT_CONFIG_PARAMETERS= git-receive-pack"
_CANNOT_BE_ENDED = "gc.recentobjectshook"  # a list too: git runs every entry

_SAID_BY_US = ("command", f"core.hookspath\n{os.devnull}")  # NO_PROGRAMS of process.py


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """The `-c` options for a repository; `put_aside` names the replaced settings, for people."""

    instead: tuple[str, ...] = ()
    put_aside: tuple[str, ...] = ()
    hooks: str = os.devnull  # where the user keeps hooks for all repositories; never a folder of the hub

    @property
    def hint(self) -> str:
        """The end of a message about a server that could not be reached; empty if nothing was put aside."""
        if not self.put_aside:
            return ""
        names = short_line(", ".join(self.put_aside))
        return (
            f" (the hub's own .git/config names programs, which are not run: {names}; `git config --global` is yours)"
        )


NOTHING_TO_SAY = OwnSettings()


def read_own_settings(folder: Path) -> OwnSettings:
    """The `-c` options that this repository needs; reading the settings runs nothing. Raises SourceError."""
    done = run_git(["-C", os.fspath(folder), "config", "--list", "-z", "--show-scope"])
    if done.status != 0:
        raise SourceError(f"git cannot read its settings in {folder}: {done.reason}; correct .git/config there")
    return replace_programs(done.out.decode("utf-8", "surrogateescape"))


def replace_programs(listing: str) -> OwnSettings:
    """The settings that take the place of a repository's programs, from `git config --list -z --show-scope`."""
    fields = listing.split("\0")
    users: dict[str, str] = {}
    helpers: list[str] = []
    kinds: dict[str, str] = {}  # {key: section and last word}
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = setting.partition("\n")
        kind = f"{key.partition('.')[0]}.{key.rpartition('.')[2]}"
        if (scope, setting) == _SAID_BY_US:
            continue
        if scope not in _OWN_SCOPES:
            users[key] = value
            helpers += [f"{key}={value}"] if kind == _HELPER else []
        elif kind in _INSTEAD or kind in (_HELPER, _CANNOT_BE_ENDED, *_TRANSPORTS):
            kinds[key] = kind
    for key, kind in kinds.items():
        if kind == _CANNOT_BE_ENDED or ("=" in key and kind in _INSTEAD):  # `-c` ends a key at the first `=`
            raise SourceError(f"{short_line(key)!r} in .git/config would make git run a program: remove it there")
    instead = [f"{key}={users.get(key, _INSTEAD[kind])}" for key, kind in kinds.items() if kind in _INSTEAD]
    if _HELPER in kinds.values():
        instead += [f"{_HELPER}=", *helpers]
    hooks = users.get("core.hookspath", "")
    return OwnSettings(tuple(instead), tuple(sorted(kinds)), hooks if hooks.startswith(("/", "~")) else os.devnull)


def as_options(settings: tuple[str, ...]) -> list[str]:
    """Settings as git's own options."""
    return [part for setting in settings for part in ("-c", setting)]
