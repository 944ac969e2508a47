"""The three files ↔ values, pure functions on bytes; each file's own module holds its rules."""

from hub_index.index.format.manifest import decode_manifest, encode_manifest
from hub_index.index.format.records import decode_records, encode_records
from hub_index.index.format.vectors import check_vectors, encode_vectors, view_vectors

__all__ = [
    "check_vectors",
    "decode_manifest",
    "decode_records",
    "encode_manifest",
    "encode_records",
    "encode_vectors",
    "view_vectors",
]
