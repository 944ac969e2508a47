"""The index folder for other rooms: one builder at a time, whole sets only, every read verified.

`reading`, `writing` and `lock` hold the rules. Nothing heavy is imported: a client's keyword search runs this.
"""

from hub_index.index.folder.disk import Disk
from hub_index.index.folder.lock import lock_folder
from hub_index.index.folder.reading import (
    MappedIndex,
    SkillsRead,
    map_index,
    open_files,
    read_digests_ok,
    read_files,
    read_manifest,
    read_signed_manifest,
    read_skills,
)
from hub_index.index.folder.writing import write_files

__all__ = [
    "Disk",
    "MappedIndex",
    "SkillsRead",
    "lock_folder",
    "map_index",
    "open_files",
    "read_digests_ok",
    "read_files",
    "read_manifest",
    "read_signed_manifest",
    "read_skills",
    "write_files",
]
