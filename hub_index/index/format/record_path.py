"""The ids and paths that a record may carry: a hit's path is opened by clients, so it never leaves the hub (F64)."""

from hub_index.hub.skill.characters import has_forbidden, nfc
from hub_index.hub.tree.record_file import ROOT_ID, ROOT_PATH, is_document_id, is_document_record
from hub_index.limits import MAX_ID_BYTES, MAX_PATH_BYTES

_NOT_STEPS = frozenset(("", ".", ".."))


def problem_with(id_: str, path: str) -> str:
    """Why this id and path may not be in an index; empty if they may."""
    if not is_relative(id_) or len(id_.encode("utf-8")) > MAX_ID_BYTES:
        return "id is unsafe or too long"
    if path == ROOT_PATH:
        return "" if id_ == ROOT_ID else "only the id root may have the path ."
    if not is_relative(path) or len(path.encode("utf-8")) > MAX_PATH_BYTES:
        return "path is unsafe or too long"
    if is_document_id(id_):  # a skill's path that ends in it would be another record under the document's id (F80)
        return "" if is_document_record(id_, path) else "path is not the place of the workflow or command in the id"
    ends_in_id = f"/{path}".endswith(f"/{id_}") or f"/{nfc(path)}".endswith(
        f"/{nfc(id_)}"
    )  # ids are NFC, paths as git's
    return "" if ends_in_id else "path does not end in the id"


def is_relative(path: str) -> bool:
    """Whether a path names something below the folder it starts from, in plain steps."""
    if "\\" in path or has_forbidden(path):  # a backslash separates folders elsewhere
        return False
    return _NOT_STEPS.isdisjoint(path.split("/"))
