"""From a file's place in the hub to the id of its record, and why some names get none.

The path is the identity, so an id never comes from what a file says. Ids are printed, typed, joined to paths
and compared by machines and people: a name with something invisible, or with steps that leave the hub, is
refused; names that are merely odd (`--help`, spaces, emoji, any script) pass.
"""

import re

from hub_index.base.characters import clean_text, nfc
from hub_index.hub.record_file import ROOT_ID, ROOT_PATH
from hub_index.limits import MAX_ID_BYTES, MAX_PATH_BYTES, MAX_PATH_STEPS

# What nearly all names look like; nothing that is refused below can match it, and it saves most of a listing's time.
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*+(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*+)*+")


def skill_id(folder: str, root: str, keeps_root: bool) -> str:
    """The raw id of a skill's folder below (or equal to) a root; "" is the hub itself."""
    if not folder:
        return ROOT_ID
    if keeps_root or not root:
        return folder
    return root.rpartition("/")[2] if folder == root else folder[len(root) + 1 :]


def why_refused(identity: str, path: str) -> str:
    """Why this id (or raw document name) and folder path are refused; empty if they may be published."""
    if (
        len(path) <= MAX_ID_BYTES
        and len(identity) <= MAX_ID_BYTES
        and path.count("/") < MAX_PATH_STEPS
        and _PLAIN.fullmatch(identity)
        and _PLAIN.fullmatch(path)
    ):
        return ""
    return _unreadable(identity, path) or _unsafe(identity, path) or _too_long(identity, path)


def _unreadable(identity: str, path: str) -> str:
    text = f"{path}/{identity}"
    if text.isascii() and text.isprintable():
        return ""
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        return "it is not UTF-8"
    if clean_text(text, keep="").text != text:
        return "it holds control, invisible or direction-changing characters"
    return ""


def _unsafe(identity: str, path: str) -> str:
    steps = identity.split("/") + ([] if path == ROOT_PATH else path.split("/"))
    if "\\" in identity or "\\" in path:
        return "a backslash separates folders on other systems"
    if "" in steps or "." in steps or ".." in steps:
        return "a part of it is empty, `.` or `..`"
    if any(step.casefold() == ".git" for step in steps):
        return "git's own folder cannot be checked out"
    if path[1:2] == ":" and path[2:3] in ("", "/") and path[0].isalpha():
        return "it would be a drive on other systems"
    return ""


def _too_long(identity: str, path: str) -> str:
    if max(len(nfc(identity).encode()), len(identity.encode())) > MAX_ID_BYTES:
        return f"its id is longer than {MAX_ID_BYTES} bytes"
    if path.count("/") >= MAX_PATH_STEPS:
        return f"its path has more than {MAX_PATH_STEPS} folders"
    return f"its path is longer than {MAX_PATH_BYTES} bytes" if len(path.encode()) > MAX_PATH_BYTES else ""


def shown_name(name: str) -> str:
    """A name as a message may carry it: what cannot be printed is written as an escape."""
    if name.isprintable():
        return name
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in name)


def _escaped(sign: str) -> str:
    code = ord(sign)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
