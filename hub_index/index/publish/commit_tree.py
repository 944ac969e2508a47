"""Git trees with one folder's files replaced; every other entry stays exactly as it was."""

from collections.abc import Callable

from hub_index.errors import PublishError
from hub_index.index.publish.git_writer import GitWriter

Entry = tuple[str, str, str, bytes]  # mode, type, id, name: a line of ls-tree
Entries = list[Entry]

_KINDS = {"commit": "submodule", "blob": "file or link"}


def graft_files(
    writer: GitWriter, root: str | None, folder: str, blobs: dict[str, str], is_ours: Callable[[str], bool]
) -> str:
    """The id of a tree like `root` (None: an empty one) with these {name: blob} as plain files in the folder.

    Other files with our names are removed from the folder: an old signature or hold, another format's files.

    Raises PublishError if a link, file or submodule stands in the folder's place.
    """
    parts = [part.encode("utf-8", "surrogateescape") for part in folder.split("/")]
    levels = _read_levels(writer, root, parts)
    kept = [entry for entry in levels[-1] if not is_ours(entry[3].decode("utf-8", "surrogateescape"))]
    tree = _make_tree(writer, kept, [("100644", "blob", blob, name.encode()) for name, blob in blobs.items()])
    for entries, part in zip(reversed(levels[:-1]), reversed(parts), strict=True):
        tree = _make_tree(writer, entries, [("040000", "tree", tree, part)])
    return tree


def list_folder(writer: GitWriter, commit: str, folder: str) -> Entries:
    """The entries of a commit's folder; empty if it is missing or not a folder."""
    outcome = writer.ask("ls-tree", "-z", "--full-tree", f"{commit}:{folder}")
    return parse_tree(outcome.out) if outcome.status == 0 else []


def _read_levels(writer: GitWriter, root: str | None, parts: list[bytes]) -> list[Entries]:
    """The entries of every tree from the root down to the folder; empty for each missing one."""
    levels: list[Entries] = []
    tree = root
    for part in [*parts, b""]:
        levels.append(parse_tree(writer.run("ls-tree", "-z", "--full-tree", tree)) if tree else [])
        tree = _find_tree(levels[-1], part)
    return levels


def _find_tree(entries: Entries, name: bytes) -> str | None:
    for _, kind, object_id, entry_name in entries:
        if entry_name == name:
            if kind != "tree":
                shown = name.decode("utf-8", "backslashreplace")
                raise PublishError(
                    f"{shown!r} is a {_KINDS.get(kind, kind)} in the branch; an index needs a folder there"
                )
            return object_id
    return None


def parse_tree(listing: bytes) -> Entries:
    """The entries that `ls-tree -z` printed."""
    entries: Entries = []
    for line in listing.split(b"\0")[:-1]:
        facts, _, name = line.partition(b"\t")
        mode, kind, object_id = facts.decode("ascii").split(" ")
        entries.append((mode, kind, object_id, name))
    return entries


def _make_tree(writer: GitWriter, entries: Entries, changed: Entries) -> str:
    replaced = {name for _, _, _, name in changed}
    kept = [entry for entry in entries if entry[3] not in replaced]
    lines = [
        f"{mode} {kind} {object_id}\t".encode() + name + b"\0" for mode, kind, object_id, name in [*kept, *changed]
    ]
    # --missing: what is kept came from a tree of this repository; a submodule's commit is never here
    return writer.run("mktree", "-z", "--missing", stdin=b"".join(lines)).decode("ascii").strip()
