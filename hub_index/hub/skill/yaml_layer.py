"""A YAML block → its top-level fields; every scalar stays the string that was written.

First layer of reading frontmatter. Works on libyaml's events with an explicit stack, so that nesting cannot exhaust
Python's. Anchors, aliases and tags are refused at their first event, so that nothing is ever expanded or constructed.
"""

from collections.abc import Callable
from typing import Any

from yaml._yaml import CParser
from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from hub_index.hub.skill.fields import Field, Node, NotYaml
from hub_index.limits import MAX_YAML_DEPTH, MAX_YAML_NODES

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


def parse_yaml(block: str, first_line: int = 0) -> list[Field]:
    """The fields in their order, doubles included; lines count from `first_line`. Raises NotYaml."""
    try:
        return _read_document(CParser(block).get_event, first_line)
    except MarkedYAMLError as broken:
        raise _located(broken) from broken
    except YAMLError as broken:
        raise NotYaml("yaml-syntax", 0, str(broken).splitlines()[0]) from broken


def _located(broken: MarkedYAMLError) -> NotYaml:
    mark = broken.problem_mark
    if (broken.context or "").startswith("while scanning") and broken.context_mark is not None:
        mark = broken.context_mark  # there the value begins
    problem = broken.problem or broken.context or "not YAML"
    code = "yaml-surrogate" if "Unicode character escape" in problem else "yaml-syntax"
    return NotYaml(code, mark.line if mark is not None else 0, problem)


def _read_document(next_event: Callable[[], Any], first_line: int) -> list[Field]:
    next_event()  # the stream's start
    event = next_event()
    if type(event) is StreamEndEvent:
        return []
    event = next_event()
    if type(event) is not MappingStartEvent:
        if type(event) is ScalarEvent and not event.style and event.value in _NULLS:
            return []
        raise NotYaml("yaml-not-map", event.start_mark.line, "no `key: value` lines")
    _refuse_indirection(event)
    fields = _read_mapping(next_event, first_line)
    if type(next_event()) is DocumentStartEvent:
        raise NotYaml("yaml-syntax", 0, "a second document begins")
    return fields


def _read_mapping(next_event: Callable[[], Any], first_line: int) -> list[Field]:
    """The root mapping, whose start has been read; leaves the document's end behind."""
    root: list[Any] = []
    current = root
    stack: list[list[Any]] = []
    places: list[tuple[int, bool]] = []  # line and plainness of what stands in `root`
    for _ in range(2 * MAX_YAML_NODES):
        event = next_event()
        kind = type(event)
        if kind is ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                _refuse_indirection(event)
            plain = not event.style
            if current is root:
                places.append((event.start_mark.line + first_line, plain))
            current.append(None if plain and event.value in _NULLS else event.value)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            if current is root:
                next_event()
                return _root_fields(root, places)
            parent = stack.pop()
            parent.append(_mapping(current) if kind is MappingEndEvent else current)
            current = parent
        else:
            _refuse_indirection(event)
            if current is root:
                places.append((event.start_mark.line + first_line, False))
            stack.append(current)
            if len(stack) >= MAX_YAML_DEPTH:
                raise NotYaml("yaml-too-deep", event.start_mark.line, f"nested more than {MAX_YAML_DEPTH} levels deep")
            current = []
    raise NotYaml("yaml-too-large", 0, f"more than {MAX_YAML_NODES} values")


def _refuse_indirection(event: Any) -> None:
    line = event.start_mark.line
    if type(event) is AliasEvent:
        raise NotYaml("yaml-alias", line, f"`*{event.anchor}` refers to another value")
    if event.anchor is not None:
        raise NotYaml("yaml-anchor", line, f"`&{event.anchor}` marks a value for reuse")
    if event.tag is not None:
        raise NotYaml("yaml-tag", line, f"`{event.tag}` asks for a type")


def _mapping(flat: list[Any]) -> dict[str, Node]:
    """Keys and values in turn → a dict in which the first of equal keys wins."""
    mapping: dict[str, Node] = {}
    for position in range(0, len(flat) - 1, 2):
        mapping.setdefault(_key(flat[position]), flat[position + 1])
    return mapping


def _root_fields(flat: list[Any], places: list[tuple[int, bool]]) -> list[Field]:
    return [
        Field(_key(flat[position]), flat[position + 1], places[position][0], places[position + 1][1])
        for position in range(0, len(flat) - 1, 2)
    ]


def _key(node: Node) -> str:
    if isinstance(node, str):
        return node
    return "null" if node is None else "?"  # a list or map as a key names nothing that we look for
