"""A SKILL.md's bytes → its frontmatter as a JSON object, exactly as written; None if others would read it otherwise.

Values have the types of YAML 1.2's core schema, as hosts read them: a date stays a text, `yes` too.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from hub_index.hub.skill.block_split import split_frontmatter
from hub_index.hub.skill.characters import is_plain_utf8
from hub_index.hub.skill.fields import NotYaml
from hub_index.hub.skill.good_name import is_kebab
from hub_index.hub.skill.problems import ProblemList
from hub_index.hub.skill.yaml_layer import parse_yaml
from hub_index.limits import MAX_FRONTMATTER_CHARS, SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS


class _CoreLoader(yaml.SafeLoader):
    """SafeLoader with the core schema's types only."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - PyYAML's own attribute


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))


def read_frontmatter(content: bytes) -> dict[str, Any] | None:
    """The fields of a skill that keeps to the specification; None for any other."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    problems = ProblemList("")
    block = split_frontmatter(text, problems).block if is_plain_utf8(content) and text.startswith("---\n") else None
    if block is None or problems.found or len(block) > MAX_FRONTMATTER_CHARS:
        return None
    try:
        parse_yaml(block)  # refuses what is too deep, too large, or refers to something else
        fields = yaml.load(block, _CoreLoader)  # noqa: S506 - a SafeLoader
        json.dumps(fields, allow_nan=False)
        if not all(map(_shows_all, _texts_of(fields))):
            return None
    except (NotYaml, yaml.YAMLError, TypeError, ValueError):
        return None
    return fields if isinstance(fields, dict) and _keeps_to_specification(fields) else None


def _texts_of(value: Any) -> Iterator[str]:
    """Every text and key in it; parse_yaml has bounded the depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts_of(key)
            yield from _texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner)


def _shows_all(text: str) -> bool:
    """Whether nothing is hidden in a value: an escape such as "\\u202e" is visible in the file alone."""
    return "\r" not in text and is_plain_utf8(text.encode())  # half a character is a ValueError


def _keeps_to_specification(fields: dict[Any, Any]) -> bool:
    name, description = fields.get("name"), fields.get("description")
    return (
        all(isinstance(key, str) for key in fields)
        and isinstance(name, str)
        and is_kebab(name)
        and len(name) <= SPEC_NAME_CHARS
        and isinstance(description, str)
        and 0 < len(description.strip()) <= SPEC_DESCRIPTION_CHARS
    )
