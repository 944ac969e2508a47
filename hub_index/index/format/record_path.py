"""Which ids and paths a record may carry: a hit's path is opened by clients, so it never leaves the hub (F64)."""

import re

from hub_index.limits import MAX_ID_BYTES, MAX_PATH_BYTES

ROOT_ID, ROOT_PATH = "root", "."  # a SKILL.md at the hub's own root
_DOCUMENT_FOLDERS = ("workflows", "commands")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")  # controls, and what separates folders elsewhere


def complaint_about(id_: str, path: str) -> str:
    """Why this id and path may not stand in an index; empty where they may."""
    if not is_relative(id_) or len(id_.encode("utf-8")) > MAX_ID_BYTES:
        return "id is unsafe or too long"
    if path == ROOT_PATH:
        return "" if id_ == ROOT_ID else "path . belongs to the id root only"
    if not is_relative(path) or len(path.encode("utf-8")) > MAX_PATH_BYTES:
        return "path is unsafe or too long"
    if _ends_in(path, id_) or _is_document(id_, path):
        return ""
    return "path does not end in the id"


def is_relative(path: str) -> bool:
    """Whether a path names something below the folder it starts from, in plain steps."""
    return not _FORBIDDEN.search(path) and not any(step in {"", ".", ".."} for step in path.split("/"))


def _ends_in(path: str, id_: str) -> bool:
    path, id_ = _normal_form(path), _normal_form(id_)  # ids are NFC, paths as git has them
    return path == id_ or path.endswith("/" + id_)


def _is_document(id_: str, path: str) -> bool:
    """`workflows:sub:name` lies in `workflows` or, as the Axon client writes it, in `workflows/sub`."""
    steps = _normal_form(id_).split(":")
    if len(steps) < 2 or steps[0] not in _DOCUMENT_FOLDERS or "/" in id_ or ".." in steps:
        return False
    return _normal_form(path) in {steps[0], "/".join(steps[:-1])}


def _normal_form(text: str) -> str:
    if text.isascii():
        return text
    import unicodedata  # a megabyte of tables that an English hub never needs

    return unicodedata.normalize("NFC", text)
