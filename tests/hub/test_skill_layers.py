"""The layers agree with YAML where YAML can read, and go on where it cannot."""

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hubs.skill_reader import problem_codes, read_skill, skill_md

from hub_index.hub.skill.fields import Field, NotYaml
from hub_index.hub.skill.line_parser import read_lines
from hub_index.hub.skill.yaml_layer import parse_yaml

_WORDS = st.text("abc XYZ09.,:#'\"-[]{}&*!|>%@`\\\n\té中😀", max_size=30)
_KEYS = st.text("abcdefgh_-", min_size=1, max_size=8).filter(lambda key: not key.startswith("-"))
_VALUES = st.recursive(
    _WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8
)
_SNIPPETS = st.lists(
    st.sampled_from(
        ["a: b", "a:", "- x", "  - y", "  c: d", '"q": r', "a: 'it''s'", "a: |", "  text", "a: >-", "a: [1, 2]",
         "a: {b: c}", "# c", "", "a: b # c", "a: ~", "? k", ": v", "a: b: c", "a: *x", "a: &x y", "a: !t y",
         "\ta: b", "a: \"x"]
    ),
    max_size=8,
)  # fmt: skip


def _as_base_loader(block: str) -> dict[str, object] | None:
    """What PyYAML's BaseLoader reads, where it reads a map without doubled keys."""
    try:
        loaded = yaml.load(block, Loader=yaml.CBaseLoader)
    except yaml.YAMLError:
        return None
    return loaded if isinstance(loaded, dict) else None


def _blank(node: object) -> object:
    """The same value with every null spelling as None: BaseLoader keeps them as text."""
    if isinstance(node, list):
        return [_blank(item) for item in node]
    if isinstance(node, dict):
        return {key: _blank(item) for key, item in node.items()}
    return None if node in ("", "~", "null", "Null", "NULL") else node


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4), st.sampled_from([True, False, None]))
def test_valid_yaml_means_what_yaml_says(values: dict[str, object], flow: bool | None) -> None:
    """Whatever PyYAML writes, block or flow, is read back with every scalar the string written."""
    block = yaml.dump(values, allow_unicode=True, default_flow_style=flow, default_style="'")
    assert _blank({field.key: field.value for field in parse_yaml(block)}) == _blank(values)


@settings(max_examples=300, deadline=None)
@given(_SNIPPETS)
def test_any_lines_are_read_as_the_yaml_library_reads_them_or_refused(lines: list[str]) -> None:
    """Our walk over the events never gives another value than BaseLoader does."""
    block = "\n".join(lines) + "\n"
    expected = _as_base_loader(block)
    try:
        fields = parse_yaml(block)
    except NotYaml:
        return
    if fields:
        first: dict[str, object] = {}
        for field in fields:
            first.setdefault(field.key, field.value)
        assert expected is not None
        if len(first) == len(fields):
            assert _blank(first) == _blank(expected)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(_KEYS, _WORDS, min_size=1, max_size=4))
def test_field_by_field_gives_the_same_as_the_whole_block(values: dict[str, str]) -> None:
    """A valid block reads the same when the line-wise layer takes it apart."""
    block = yaml.dump(values, allow_unicode=True, default_style='"', width=10_000)
    whole = [(field.key, field.value) for field in parse_yaml(block)]
    assert [(field.key, field.value) for field in read_lines(block, parse_yaml).fields] == whole


def _loosely(block: str) -> dict[str, object]:
    """The block without any help from YAML."""

    def refuse(_: str) -> list[Field]:
        raise NotYaml("yaml-syntax", 0, "")

    return {field.key: field.value for field in read_lines(block, refuse).fields}


def test_the_line_wise_layer_alone_reads_what_people_write() -> None:
    """Blocks too large for YAML still give quoted, folded, literal and continued values."""
    block = "a: \"x: y\"\nb: 'it''s'\n"
    block += 'c: >-\n  one\n  two\nd: |\n  one\n  two\ne: one\n  two\ntags: [p, "q"]\nkeywords:\n  - r\n'
    assert _loosely(block) == {
        "a": "x: y",
        "b": "it's",
        "c": "one two",
        "d": "one\ntwo",
        "e": "one two",
        "tags": ["p", "q"],
        "keywords": ["r"],
    }


def test_one_broken_value_costs_no_other_field_and_all_are_reported() -> None:
    """Three broken values and one good one: four values, three reports, each on its line."""
    content = skill_md("name: @a", "description: x: y", "author: `me`", "tags: [p]")
    skill = read_skill(content)
    assert (skill.name, skill.description, skill.keywords) == ("@a", "x: y", ("p",))
    assert problem_codes(content) == ["yaml-sign", "yaml-colon", "yaml-sign"]


def test_fields_keep_their_lines() -> None:
    """A field knows the line of its key, whatever stands above it."""
    assert [(field.key, field.line) for field in parse_yaml("# c\na: |\n  x\n\n  y\nb: 1\n", 5)] == [
        ("a", 6),
        ("b", 10),
    ]
    assert parse_yaml("a: 1\n") == [Field("a", "1", 0, plain=True)]
