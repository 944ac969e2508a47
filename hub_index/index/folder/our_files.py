"""Which files of an index folder are ours, their contents, and whether one is there already."""

import os
from pathlib import Path

from hub_index.base.safe_open import open_regular
from hub_index.index.folder.hold import HOLD_FILE
from hub_index.index.folder.open_folder import CHUNK_BYTES, FolderFile, digest_file
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import MANIFEST_FILE, SIGNATURE_FILE, SKILLS_FILE, VECTOR_FILE, is_part_name
from hub_index.index.format.sections import pair_sections
from hub_index.models import Content, IndexFiles

ATTRIBUTES_FILE = ".gitattributes"
# The bytes are hashed and a set must never be merged; whatever the hub's own attributes say, nothing is converted.
ATTRIBUTES = b"* -text -diff -merge\n* -filter -ident -working-tree-encoding\n"
OUR_FILES = (MANIFEST_FILE, SKILLS_FILE, VECTOR_FILE, ATTRIBUTES_FILE, SIGNATURE_FILE, HOLD_FILE)  # and parts' files


def is_our_name(name: str) -> bool:
    """True if a file of an index folder has one of our names, of any format."""
    return name in OUR_FILES or is_part_name(name)


def part_names(folder: Path) -> list[str]:
    """The part files in a folder, of any index."""
    try:
        return sorted(filter(is_part_name, os.listdir(folder)))
    except OSError:
        return []


def contents_of(files: IndexFiles) -> dict[str, Content]:
    """The files of an index folder by name: manifest, records, vectors, attributes, a signature, a hold.

    Raises IndexUnusable for a manifest that names other files.
    """
    contents: dict[str, Content] = {MANIFEST_FILE: files.manifest}
    if files.parts:
        for section in pair_sections(decode_manifest(files.manifest), files):
            contents |= {section.facts.skills_file: section.skills, section.facts.vector_file: section.vectors}
    else:
        contents |= {SKILLS_FILE: files.skills, VECTOR_FILE: files.vectors}
    contents[ATTRIBUTES_FILE] = ATTRIBUTES
    contents |= {SIGNATURE_FILE: files.signature} if files.signature is not None else {}
    return contents | ({HOLD_FILE: files.hold} if files.hold is not None else {})


def holds(path: Path, content: Content) -> bool:
    """Whether a regular file has exactly these bytes; it is not loaded as a whole."""
    if isinstance(content, FolderFile) and content.folder / content.name == path:
        return os.path.lexists(path)  # the file itself, which was hashed when the index was read
    try:
        file = open_regular(path)
    except OSError:
        return False
    with file:
        size = os.fstat(file.fileno()).st_size
        if not isinstance(content, bytes):
            return size == content.size and digest_file(file) == content.sha256
        view = memoryview(content)
        return size == len(content) and all(
            file.read(CHUNK_BYTES) == view[at : at + CHUNK_BYTES] for at in range(0, len(content) + 1, CHUNK_BYTES)
        )
