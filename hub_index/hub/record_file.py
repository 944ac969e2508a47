"""The file of a record: the one rule that build, search, snippets, `show` and verification share.

A skill's record belongs to the SKILL.md of its folder in any ASCII spelling, `SKILL.md` first; the record of a
document, `workflows:sub:name`, to `workflows/sub/name.md`, its ending in any case; so for commands and agents, at the
hub's top or in a plugin (`plugins:NAME:agents:reviewer`). Paths are spelled as in git and ids are in NFC, so the
spelling of a document's file may differ from its id.

Imports next to nothing: a keyword search checks the file of every hit.
"""

import os

from hub_index.base.characters import nfc

SKILL_FILE = "SKILL.md"
TEXT_FOLDERS = ("workflows", "commands")  # where notes are documents as well: they were from the beginning
DOCUMENT_FOLDERS = (*TEXT_FOLDERS, "agents")
PLUGIN_FOLDER = "plugins"  # the Claude plugin layout: `plugins/NAME/agents`
TYPES = ("skill", "workflow", "command", "agent")
ROOT_ID, ROOT_PATH = "root", "."  # a SKILL.md at the hub's own root
_ALL_TEXTS = tuple(f"{folder}/" for folder in TEXT_FOLDERS)
_NEW_PLACES = ("agents/", f"{PLUGIN_FOLDER}/")
_NOTES = frozenset(
    ("agents", "changelog", "claude", "contributing", "gemini", "index", "license", "notice", "readme", "security")
)
_DOCUMENT_ENDS = (".MD", ".Md", ".mD", ".md")  # in the order in which files of one id are preferred


def is_skill_file(path: str) -> bool:
    """Whether the last name is any ASCII spelling of SKILL.md (a Kelvin sign is not a K)."""
    name = path[-8:]
    return name.lower() == "skill.md" and name.isascii() and path[-9:-8] in ("", "/")


def is_document_file(path: str) -> bool:
    """Whether a file at this path is a workflow, a command or an agent."""
    if path[-3:].lower() != ".md":
        return False
    if path.startswith(_ALL_TEXTS):
        return True
    return is_new_place(path) and not is_skill_file(path) and not is_note(path.rpartition("/")[2])


def is_new_place(path: str) -> bool:
    """Whether a path lies in a folder of documents in which notes and skills are left out."""
    return path.startswith(_NEW_PLACES) and bool(document_folder(path))


def document_folder(path: str) -> str:
    """The folder of documents that a path lies in (`agents`, `plugins/NAME/agents`); empty outside of them."""
    steps = path.split("/", 3)
    if len(steps) > 1 and steps[0] in DOCUMENT_FOLDERS:
        return steps[0]
    is_in_plugin = len(steps) == 4 and steps[0] == PLUGIN_FOLDER and steps[2] in DOCUMENT_FOLDERS
    return "/".join(steps[:3]) if is_in_plugin else ""


def is_note(name: str) -> bool:
    """True for a text about its folder: `README.md`, `README.zh.md`, `CHANGELOG.md`, `_draft.md`."""
    stem = name.partition(".")[0].lower()
    return stem in _NOTES or not stem or stem[0] == "_"


def spelling_order(file: str) -> tuple[bool, str]:
    """A key that puts the spelling of SKILL.md that is indexed before the others in its folder."""
    return not file.endswith(SKILL_FILE), file


def document_id(file: str) -> str:
    """`workflows/sub/name.md` → `workflows:sub:name`, as the Axon client writes it."""
    return file[: -len(".md")].replace("/", ":")


def is_document_id(id_: str) -> bool:
    """True if only a document may have this id: a skill's folder of this name is refused (F80)."""
    return ":" in id_ and "/" not in id_ and bool(_type_folder(id_))


def _type_folder(id_: str) -> str:
    """`agents` of `agents:reviewer` and of `plugins:NAME:agents:reviewer`; empty for an id of no document."""
    first, *others = id_.split(":", 3)
    if first == PLUGIN_FOLDER and len(others) == 3:
        first = others[1]
    return first if first in DOCUMENT_FOLDERS else ""


def record_type(id_: str, path: str) -> str:
    """One of TYPES: it follows from a record's id and path."""
    return _type_folder(id_).removesuffix("s") if ":" in id_ and is_document_record(id_, path) else "skill"


def file_type(path: str) -> str:
    """One of TYPES for a file that would be indexed."""
    return document_folder(path).rpartition("/")[2].removesuffix("s") if is_document_file(path) else "skill"


def is_document_record(id_: str, path: str) -> bool:
    """Whether a record is a document's; its path is `workflows/sub`, or `workflows` alone as some writers have it."""
    *steps, _ = id_.split(":")
    if not is_document_id(id_) or ".." in steps:
        return False
    whole = _nfc("/".join(steps))
    return _nfc(path) in ((whole,) if steps[0] == PLUGIN_FOLDER else (steps[0], whole))


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
