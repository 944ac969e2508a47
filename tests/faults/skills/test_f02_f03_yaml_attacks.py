"""F02 and F03: YAML that would grow, construct or recurse is read line by line instead."""

import time

import pytest
from support.hubs.skill_reader import parse_text, problem_codes, read_skill, skill_md

BOMB = skill_md(
    "name: bomb",
    "description: looks harmless",
    'a: &a ["lol","lol","lol","lol","lol","lol","lol","lol","lol"]',
    *(f"{to}: &{to} [{','.join([f'*{of}'] * 9)}]" for of, to in ("ab", "bc", "cd", "de", "ef", "fg")),
    "tags: [*g, *g]",
)


def test_f02_a_bomb_is_never_expanded() -> None:
    """Nine to the seventh strings stay nine, and reading takes less than 50 ms of a processor."""
    assert min(_time(BOMB) for _ in range(5)) < 0.05
    skill = read_skill(BOMB)
    assert (skill.name, skill.description, skill.keywords) == ("bomb", "looks harmless", ())
    assert {"yaml-anchor", "yaml-bracket"} >= set(problem_codes(BOMB)) != set()


def _time(content: str) -> float:
    started = time.process_time()
    parse_text(content)
    return time.process_time() - started


@pytest.mark.parametrize(
    "value",
    ["!!python/object/apply:os.system [touch owned]", "!!python/name:os.system", "!include /etc/passwd", "!!int 5"],
)
def test_f02_no_type_is_constructed(value: str) -> None:
    """A tag is dropped, what follows it is text, and the author is told."""
    content = skill_md("name: tagged", f"description: {value} Sorts files.")
    skill = read_skill(content)
    assert skill.description.endswith("Sorts files.")
    assert "!" not in skill.description
    assert "yaml-tag" in problem_codes(content)


def test_f02_an_alias_of_an_earlier_text_is_that_text_once() -> None:
    """`*d` after `&d text` means the text; an alias of a list or of nothing means nothing."""
    skill = read_skill(skill_md("name: an", "description: &d shared", "tags: *d"))
    assert (skill.description, skill.keywords, skill.text_keywords) == ("shared", ("shared",), "shared")
    assert read_skill(skill_md("name: a", "description: *nobody", body="Text.")).description == "*nobody"


def test_f02_a_chain_of_aliases_cannot_grow() -> None:
    """Aliases of aliases hold one text, however long the chain."""
    chain = [f"k{n}: &a{n} *a{n - 1}" for n in range(1, 300)]
    skill = read_skill(skill_md("name: a", "k0: &a0 " + "x" * 100, *chain, "description: *a299"))
    assert len(skill.description) <= 100


@pytest.mark.parametrize(
    "nested",
    [
        "[" * 20_000 + "]" * 20_000,
        "[" * 20_000,
        "{a: " * 15_000,
        "\n" + "- " * 20_000,
        "\n" + "".join(" " * depth + "k:\n" for depth in range(1, 300)),
        "? " * 20_000,
    ],
    ids=["flow", "unclosed flow", "maps", "dashes", "blocks", "keys"],
)
def test_f03_deep_nesting_costs_only_its_own_field(nested: str) -> None:
    """20,000 levels end in the line-wise layer: no RecursionError, name and description survive."""
    started = time.process_time()
    skill = read_skill(skill_md("name: deep", "description: Sorts files.", f"tree: {nested}"))
    assert (skill.name, skill.description) == ("deep", "Sorts files.")
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "unit", ["a: b: c\n", 'a: "x\n', "---x\n", "\n# h\n", "<!-- x\n", "\u200b", "- ", "a: &a *a\n", " x\n", "[a],"]
)
def test_f03_hostile_repetition_stays_linear(unit: str) -> None:
    """Two hundred thousand characters of one unit, fenced or not, are read in a moment."""
    hostile = unit * (200_000 // len(unit))
    started = time.process_time()
    for content in (hostile, f"---\nname: a\n{hostile}", f"---\nname: a\n{hostile}\n---\nText.\n"):
        parse_text(content)
    assert time.process_time() - started < 3


def test_f03_both_sides_of_the_depth_and_node_caps() -> None:
    """A depth of 31 below the root and a few thousand values are read by YAML; beyond that only the field is lost."""
    shallow = skill_md("name: a", "description: b", "x: " + "[" * 30 + "1" + "]" * 30)
    assert problem_codes(shallow) == []
    assert "yaml-too-deep" in problem_codes(skill_md("name: a", "description: b", "x: " + "[" * 33 + "]" * 33))
    assert problem_codes(skill_md("name: a", "description: b", "x: [" + "1," * 4_000 + "]")) == []
    assert "frontmatter-too-large" in problem_codes(skill_md("name: a", "description: b", "x: [" + "1," * 10_001 + "]"))
