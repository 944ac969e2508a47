"""What skills/list and skills/get say of a skill's frontmatter: nothing that a reader of the file would not see."""

import pytest

from hub_index.serve.mcp.skills_extension import read_frontmatter

HIDDEN = (r"\u202e", r"\e", r"\U000e0049", r"\u200b", r"\u2066", r"\u200d", r"\0", r"\x9b", r"\ufe01", r"\r", r"\L")


def read(lines: str, description: str = '"Makes slides."') -> object:
    return read_frontmatter(f"---\nname: slides\ndescription: {description}\n{lines}---\nText.\n".encode())


@pytest.mark.parametrize("escape", HIDDEN)
@pytest.mark.parametrize(
    "lines",
    [
        '"a{}b": 1\n',
        'a: "b{}c"\n',
        'metadata:\n  "a{}b": c\n',
        'm:\n  a: [b, {{c: "d{}e"}}]\n',
        '? ["a{}b"]\n: 1\n',
    ],
    ids=["key", "value", "inner key", "list", "list as a key"],
)
def test_a_value_that_hides_something_is_not_the_extensions(lines: str, escape: str) -> None:
    """YAML's escapes are visible in the file, what they stand for is not; at any depth, in keys as well."""
    assert read(lines.format(escape)) is None
    assert read("", f'"Makes{escape} slides."') is None


@pytest.mark.parametrize("text", [r"caf\u00e9", r"a\tb", r"a\nb", r"a\\u202e", r"\U0001f600", "'a\\u202e'"])
def test_escapes_of_what_can_be_seen_stay(text: str) -> None:
    """Letters, tabs, line ends, emoji, and a backslash that is none of YAML's."""
    assert read(f'metadata:\n  "{text}": "{text}"\n' if "'" not in text else f"metadata:\n  a: {text}\n")


def test_values_keep_their_types() -> None:
    """Numbers, truth values and nulls beside texts, none of which can hide anything."""
    found = read("version: 2\nok: true\nnone: ~\n")
    assert found == {"name": "slides", "description": "Makes slides.", "version": 2, "ok": True, "none": None}
