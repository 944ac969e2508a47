"""The last check before anything is published, and what `verify` runs: our own reader, then the JSON Schemas.

Apart from `verify.py` because the client side decodes indexes too and must never reach jsonschema.
"""

from collections.abc import Collection

from hub_index.index.format.manifest import MANIFEST_FILE, decode_manifest
from hub_index.index.format.records import read_records, split_lines
from hub_index.index.format.schema import open_checker
from hub_index.index.format.sections import Section, load, pair_sections, size_of
from hub_index.index.format.strict_json import parse_object
from hub_index.index.format.verify import VerifiedIndex, decode_index
from hub_index.models import IndexFiles
from hub_index.record import Record


def check_index(files: IndexFiles, passed: Collection[Record] = ()) -> VerifiedIndex:
    """The index, decoded and valid by the schemas. Raises IndexCorrupt, IndexTooNew; ConfigError without the extra.

    `passed` are records that this very generator has validated before: the same line need not be validated twice
    (jsonschema takes 0.1 ms a line, most of a build that changes one skill).
    """
    index = decode_index(files)
    check_manifest_schema(files.manifest)
    checked = frozenset(passed)
    for section in pair_sections(decode_manifest(files.manifest), files):
        if not checked.issuperset(index.records):
            rows = section.facts.count_rows(size_of(section.vectors))
            check_lines_schema(load(section.skills), rows, section.facts, checked)
    return index


def check_manifest_schema(manifest: bytes) -> None:
    """Raises IndexCorrupt for a manifest that breaks its schema."""
    open_checker("manifest").check(parse_object(manifest, MANIFEST_FILE), MANIFEST_FILE)


def check_lines_schema(skills: bytes, rows: int, section: Section, known: Collection[Record] = ()) -> None:
    """Raises IndexCorrupt for a line that our reader or, unless it is of a known record, the schema refuses."""
    checker = open_checker("record")
    lines = split_lines(skills, rows, section)
    for number, (record, values) in enumerate(read_records(lines, section), start=1):
        if record not in known:
            checker.check(values, f"{section.skills_file} line {number}")
