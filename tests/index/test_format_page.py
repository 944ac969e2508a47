"""docs/format.md says what the schemas, the limits and the readers do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hub_index import limits, reader
from schemas.conformance import tiny_profile

_PROJECT = Path(__file__).resolve().parents[2]
_PAGE = (_PROJECT / "docs/format.md").read_text(encoding="utf-8")
_LIMITS = (
    *("MAX_DIM", "MAX_COUNT", "MAX_MANIFEST_BYTES", "MAX_WHOLE_MANIFEST_BYTES", "MAX_GIT_FILE_BYTES"),
    *("MAX_MANIFEST_TEXT_CHARS", "MAX_LINE_BYTES", "MAX_ID_BYTES", "MAX_PATH_BYTES", "MAX_NAME_CHARS"),
    *("MAX_DESCRIPTION_CHARS", "MAX_KEYWORDS_CHARS", "MAX_LANG_CHARS", "MAX_JSON_DEPTH", "MAX_INT_DIGITS"),
)


def _keys(schema: dict[str, Any]) -> set[str]:
    return set(schema["properties"]) | set(schema.get("then", {}).get("properties", {}))


@pytest.mark.parametrize("name", ["manifest", "record"])
def test_every_key_of_the_schemas_is_on_the_page(name: str) -> None:
    """A key that is published is specified."""
    schema = json.loads((_PROJECT / f"schemas/{name}.json").read_text(encoding="utf-8"))
    assert {key for key in _keys(schema) if f"`{key}`" not in _PAGE} == set()


@pytest.mark.parametrize("name", _LIMITS)
def test_every_limit_is_on_the_page(name: str) -> None:
    """As the number that our client holds to."""
    number = f"{getattr(limits, name):,}"
    assert re.search(rf"(?<![\d,]){number}(?![\d,])", _PAGE), f"{name} is {number}"


def test_stop_words_are_those_of_the_readers() -> None:
    """One list, in four places."""
    found = re.search(r"Stop words: ([a-z\s]+)\.", _PAGE)
    script = re.search(r"new Set\(\s*`([a-z\s]+)`", (_PROJECT / "hub_index/reader.mjs").read_text(encoding="utf-8"))
    assert found is not None
    assert script is not None
    assert set(found[1].split()) == set(script[1].split()) == reader.STOP_WORDS == set(tiny_profile.STOP_WORDS)
