"""The last check before anything is published, and what `verify` runs: our own reader, then the JSON Schemas.

Apart from `verify.py` because the client side decodes indexes too and must never reach jsonschema.
"""

from collections.abc import Collection

from hub_index.index.format.manifest import MANIFEST_FILE, SKILLS_FILE
from hub_index.index.format.records import parse_lines
from hub_index.index.format.schema import open_checker
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
    open_checker("manifest").check(parse_object(files.manifest, MANIFEST_FILE), MANIFEST_FILE)
    known = frozenset(passed)
    new = {number for number, record in enumerate(index.records) if record not in known}
    if new:
        checker = open_checker("record")
        for number, line in enumerate(parse_lines(files.skills, len(index.records))):
            if number in new:
                checker.check(line, f"{SKILLS_FILE} line {number + 1}")
    return index
