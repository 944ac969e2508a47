"""The JSON Schemas: valid themselves, strict on our fields, found from a checkout and from an installed package."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.builds.index_maker import make_files, make_manifest, make_record, make_vectors, seal

import hub_index
from hub_index.errors import ConfigError, IndexCorrupt
from hub_index.index.format.records import encode_records
from hub_index.index.format.validate import check_index, open_checker, read_schema

_INSTALLED = """
import hub_index.index.format.validate as here
print(here.__file__, here.read_schema("manifest")["type"], here.read_schema("record")["type"])
"""


@pytest.mark.parametrize("name", ["manifest", "record"])
def test_the_schemas_are_valid_themselves(name: str) -> None:
    """Both are JSON Schema 2020-12."""
    schema = read_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_a_right_index_passes() -> None:
    """What our own encoder writes is what the schemas describe, and every field has a rule."""
    files = make_files()
    check_index(files)
    assert [*json.loads(files.manifest), "shallow", "constant_part"] == list(read_schema("manifest")["properties"])
    assert [*json.loads(files.skills.split(b"\n")[0]), "type"] == list(read_schema("record")["properties"])


@pytest.mark.parametrize(
    "changes",
    [
        {"updated_at": "2026-02-30T03:04:05Z"},
        {"updated_at": "2026-01-02T25:04:05Z"},
        {"name": ""},
        {"name": "a\nb"},
        {"name": "a\n"},
        {"name": "x" * 257},
        {"description": "\x1b]52;c;x\x07"},
        {"description": "tab\there"},
        {"description": "x" * 8_193},
        {"keywords": ("a\x9bb",)},
        {"keywords": ("",)},
        {"lang": "en us"},
    ],
)
def test_records_that_neither_the_schema_nor_the_reader_accepts(changes: dict[str, Any]) -> None:
    """Control characters, empty names, impossible dates and over-long fields are neither written nor read."""
    skills = encode_records([make_record("a").replace(**changes)])
    field = next(iter(changes))
    with pytest.raises(IndexCorrupt, match=rf"skills.jsonl line 1: {field}.* breaks the schema"):
        open_checker("record").check(json.loads(skills), "skills.jsonl line 1")
    with pytest.raises(IndexCorrupt, match=rf"skills.jsonl line 1: .*{field}"):
        check_index(seal(skills, make_vectors(1)))


def test_a_description_of_several_lines_passes() -> None:
    """Line feeds are the one control character that a description may hold."""
    check_index(seal(encode_records([make_record("a", description="one\ntwo\n")]), make_vectors(1)))


def test_a_model_id_names_its_provider() -> None:
    """A model id names its provider: `usem3` alone could be anybody's."""
    files = seal(b"", b"", manifest=replace(make_manifest(), model_id="usem3"))
    with pytest.raises(IndexCorrupt, match="model_id breaks the schema"):
        open_checker("manifest").check(json.loads(files.manifest), "index_manifest.json")
    with pytest.raises(IndexCorrupt, match="model_id"):
        check_index(files)


def test_refusals_do_not_quote_untrusted_text() -> None:
    """An error message is printed: nothing of the offending text is in it."""
    skills = encode_records([make_record("a", description="\x1b]0;pwned")])
    with pytest.raises(IndexCorrupt) as caught:
        check_index(seal(skills, make_vectors(1)))
    assert "pwned" not in str(caught.value)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client's install has no jsonschema: a user who wants to verify is told what to install."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    open_checker.cache_clear()
    with pytest.raises(ConfigError, match=r"\[build\]"):
        check_index(make_files())
    open_checker.cache_clear()


def test_the_slow_grammar_is_not_loaded() -> None:
    """Prefect brings a package whose grammar jsonschema would compile for 1.9 s; ours does without."""
    probe = (
        "import sys; from hub_index.index.format.validate import open_checker; open_checker('record'); "
        "print('rfc3987_syntax' in sys.modules, 'lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_the_schemas_are_found_when_installed(tmp_path: Path) -> None:
    """In an installed package the folder lies inside the package, as pyproject maps it."""
    package = Path(hub_index.__file__).parent
    shutil.copytree(package, tmp_path / "hub_index", ignore=shutil.ignore_patterns("__pycache__"))
    if not (package / "schemas").exists():
        shutil.copytree(package.parent / "schemas", tmp_path / "hub_index" / "schemas")
    done = subprocess.run([sys.executable, "-c", _INSTALLED], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split()[0].startswith(str(tmp_path))
    assert done.stdout.endswith("object object\n")
