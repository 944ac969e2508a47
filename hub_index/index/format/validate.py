"""The last check before anything is published, and what `verify` runs: our own reader, then the JSON Schemas.

Apart from `verify.py` because the client side decodes indexes too and must never reach jsonschema.

The schemas stand in `schemas/` of a checkout and in `hub_index/schemas/` of an installed package.
"""

import json
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hub_index
from hub_index.base.install_hint import install_hint
from hub_index.errors import ConfigError, IndexCorrupt
from hub_index.index.format.manifest import MANIFEST_FILE, decode_manifest
from hub_index.index.format.records import read_records, split_lines
from hub_index.index.format.sections import Section, load, pair_sections, size_of
from hub_index.index.format.strict_json import parse_object
from hub_index.index.format.verify import VerifiedIndex, decode_index
from hub_index.models import IndexFiles
from hub_index.record import Record

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


_SLOW_FORMAT = "rfc3987_syntax"


class SchemaChecker:
    """One schema, compiled once: a validator per row would cost fifty times as much."""

    __slots__ = ("_validator",)

    def __init__(self, validator: "Draft202012Validator") -> None:
        self._validator = validator

    def check(self, value: object, where: str) -> None:
        """Raises IndexCorrupt at the first rule that the value breaks; the value's own text is not quoted."""
        for error in self._validator.iter_errors(value):
            field = ".".join(str(step) for step in error.absolute_path) or "the object"
            raise IndexCorrupt.at(where, f"{field} breaks the schema's rule {error.validator!r}")


@cache
def open_checker(name: str) -> SchemaChecker:
    """The checker of `schemas/<name>.json`. Raises ConfigError without the build extra."""
    validator = _load_validator()
    # Without the format checker, and the package behind it, `updated_at: "yesterday"` passes.
    formats = validator.FORMAT_CHECKER
    if "date-time" not in formats.checkers:
        raise ConfigError(
            f"validating an index needs the package rfc3339-validator; install it with `{install_hint('build')}`"
        )
    return SchemaChecker(validator(read_schema(name), format_checker=formats))


def _load_validator() -> "type[Draft202012Validator]":
    """The validator's class, imported without the grammar of international addresses.

    jsonschema imports that package if it is installed (Prefect brings it), and compiling its grammar takes 1.9 s of
    every build that writes; no schema of ours has a field of that kind.
    """
    is_loaded = _SLOW_FORMAT in sys.modules
    if not is_loaded:
        sys.modules[_SLOW_FORMAT] = None  # type: ignore[assignment]  # import's own way to say "not there"
    try:
        from jsonschema import Draft202012Validator
    except ImportError as error:
        raise ConfigError(
            f"validating an index needs the package jsonschema; install it with `{install_hint('build')}`"
        ) from error
    finally:
        if not is_loaded:
            del sys.modules[_SLOW_FORMAT]
    return Draft202012Validator


def read_schema(name: str) -> dict[str, Any]:
    """The schema of that name, as it is shipped."""
    package = Path(hub_index.__file__).parent
    folder = package / "schemas"
    if not folder.is_dir():  # a source checkout: the folder is mapped into the package only when it is built
        folder = package.parent / "schemas"
    schema: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return schema


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
