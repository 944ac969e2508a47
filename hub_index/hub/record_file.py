"""The file of a record: the one rule that build, search, snippets, `show` and verification share.

A skill's record belongs to the SKILL.md of its folder in any ASCII spelling, `SKILL.md` first; the record of a
document, `workflows:sub:name`, to `workflows/sub/name.md`, its ending in any case. Paths are spelled as in git and ids
are in NFC, so the spelling of a document's file may differ from its id.

Imports next to nothing: a keyword search checks the file of every hit.
"""

import os

from hub_index.base.characters import nfc

SKILL_FILE = "SKILL.md"
DOCUMENT_FOLDERS = ("workflows", "commands")
ROOT_ID, ROOT_PATH = "root", "."  # a SKILL.md at the hub's own root
_DOCUMENT_PLACES = tuple(f"{folder}/" for folder in DOCUMENT_FOLDERS)
_DOCUMENT_ENDS = (".MD", ".Md", ".mD", ".md")  # in the order in which files of one id are preferred


def is_skill_file(path: str) -> bool:
    """Whether the last name is any ASCII spelling of SKILL.md (a Kelvin sign is not a K)."""
    name = path[-8:]
    return name.lower() == "skill.md" and name.isascii() and path[-9:-8] in ("", "/")


def is_document_file(path: str) -> bool:
    """Whether a file at this path is a workflow or a command."""
    return path.startswith(_DOCUMENT_PLACES) and path[-3:].lower() == ".md"


def spelling_order(file: str) -> tuple[bool, str]:
    """A key that puts the spelling of SKILL.md that is indexed before the others in its folder."""
    return not file.endswith(SKILL_FILE), file


def document_id(file: str) -> str:
    """`workflows/sub/name.md` → `workflows:sub:name`, as the Axon client writes it."""
    return file[: -len(".md")].replace("/", ":")


def is_document_id(id_: str) -> bool:
    """True if only a document may have this id: a skill's folder of this name is refused (F80)."""
    return ":" in id_ and "/" not in id_ and id_.partition(":")[0] in DOCUMENT_FOLDERS


def is_document_record(id_: str, path: str) -> bool:
    """Whether a record is a document's; its path is `workflows/sub`, or `workflows` alone as some writers have it."""
    *steps, _ = id_.split(":")
    if not is_document_id(id_) or ".." in steps:
        return False
    return _nfc(path) in (steps[0], _nfc("/".join(steps)))


def likely_file(id_: str, path: str) -> str:
    """The usual spelling of the record's file, for an index without a checkout."""
    if is_document_record(id_, path):
        return f"{id_.replace(':', '/')}.md"
    return SKILL_FILE if path == ROOT_PATH else f"{path}/{SKILL_FILE}"


def record_file(hub: str, id_: str, path: str) -> str:
    """The record's file, from the hub's root; empty if the checkout has no regular file for it.

    No link is followed: what became one counts as gone, as a build would leave it out.
    """
    if ":" in id_ and is_document_record(id_, path):
        *steps, name = id_.split(":")
        folder = "/".join(steps) if path == steps[0] else path
        likely = [name + end for end in _DOCUMENT_ENDS]
    else:
        name, folder, likely = "", "" if path == ROOT_PATH else path, [SKILL_FILE]
    place = hub
    try:
        for step in folder.split("/") if folder else ():
            place = f"{place}/{step}"  # a third of what os.path.join takes, for every hit of every query
            if os.lstat(place).st_mode & 0o170000 != 0o040000:
                return ""
    except (OSError, ValueError):
        return ""
    for file in likely:
        if _is_regular(f"{place}/{file}"):
            return f"{folder}/{file}" if folder else file
    for file in _list_folder(place):  # another spelling of SKILL.md, or of a document's name
        fits = file[-3:].lower() == ".md" and _nfc(file[:-3]) == _nfc(name) if name else is_skill_file(file)
        if fits and _is_regular(f"{place}/{file}"):
            return f"{folder}/{file}" if folder else file
    return ""


def _list_folder(place: str) -> list[str]:
    try:
        return sorted(os.listdir(place))
    except OSError:
        return []


def _is_regular(path: str) -> bool:
    try:
        return os.lstat(path).st_mode & 0o170000 == 0o100000
    except (OSError, ValueError):
        return False


def _nfc(text: str) -> str:
    if text.isascii():
        return text

    return nfc(text)
