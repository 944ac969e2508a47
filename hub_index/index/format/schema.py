"""The JSON Schemas (2020-12) of the published files, for writing and verifying an index.

The files stand in `schemas/` of a checkout and in `hub_index/schemas/` of an installed package.
"""

import json
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hub_index
from hub_index.base.install_hint import install_hint
from hub_index.errors import ConfigError, IndexCorrupt

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
