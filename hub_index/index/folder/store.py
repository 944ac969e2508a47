"""The index folder on disk: one builder at a time, whole sets only, every read verified.

Import from here; `reading`, `writing` and `lock` hold the rules. Nothing heavy is imported: the client's
keyword search comes this way.
"""

from hub_index.index.folder.disk import Disk
from hub_index.index.folder.lock import lock_folder
from hub_index.index.folder.reading import (
    MappedIndex,
    SkillsRead,
    map_index,
    read_digests_ok,
    read_files,
    read_manifest,
    read_skills,
)
from hub_index.index.folder.writing import ATTRIBUTES, ATTRIBUTES_FILE, check_output_folder, write_files

__all__ = [
    "ATTRIBUTES",
    "ATTRIBUTES_FILE",
    "Disk",
    "MappedIndex",
    "SkillsRead",
    "check_output_folder",
    "lock_folder",
    "map_index",
    "read_digests_ok",
    "read_files",
    "read_manifest",
    "read_skills",
    "write_files",
]
