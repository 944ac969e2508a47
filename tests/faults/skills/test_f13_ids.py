"""F13 (and F10 for ids): which names are refused, and that odd ones are not."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hubs.hub_maker import HubMaker

from hub_index.hub.config import HubConfig
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.hub.tree.listing import select_files
from hub_index.index.format.records import problem_with
from hub_index.limits import MAX_ID_BYTES, MAX_PATH_BYTES
from hub_index.models import TreeEntry

HARMLESS = [
    "--help",
    "-21risk",
    "with space",
    " leading",
    "数据库-顾问",
    "日本語",
    "한국어",
    "café",
    "naïve.v1.2",
    "a:b",
    "$(reboot)",
    "`x`",
    "'quoted'",
    '"double"',
    "*",
    "a|b",
    "🚀-launch",
    "👩‍💻-dev",
    "❤️",
    "...",
    ".hidden",
    "नमस्ते",
    "می‌خواهم",  # Persian is written with a joiner
]
REFUSED = [
    "..",
    ".",
    "a/../b",
    "a/./b",
    "a//b",
    "/abs",
    "a\\b",
    "..\\x",
    "tab\there",
    "line\nend",
    "nul\x01",
    "del\x7f",
    "c1\x9b31m",
    "bidi\u202eexe",
    "isolate\u2066x",
    "mark\u200fx",
    "zero\u200bwidth",
    "join\u200dx",
    "bom\ufeff",
    "soft\u00adhyphen",
    "tag\U000e0041",
    "sep\u2028x",
    "selector\U000e0100",
    "raw\udcff",
    ".git",
    "a/.GIT/b",
]


def _select(path: str, config: HubConfig | None = None) -> tuple[list[str], list[str]]:
    listing = select_files([TreeEntry("100644", "b" * 40, 1, path)], config or HubConfig())
    for problem in listing.problems:
        assert problem.level == "error"
        assert problem.path.isprintable()
        assert problem.reason.startswith("not indexed: ")
        assert problem.fix
    return [file.id for file in listing.files], [problem.code for problem in listing.problems]


@pytest.mark.parametrize("name", HARMLESS)
def test_f13_odd_but_harmless_names_pass(name: str) -> None:
    """A folder may be called what its author likes, and the index's reader accepts it."""
    assert _select(f"skills/{name}/SKILL.md") == ([name], [])
    assert _select(f"{name}/SKILL.md") == ([name], [])
    assert problem_with(name, f"skills/{name}") == ""


@pytest.mark.parametrize("name", REFUSED)
def test_f13_misleading_names_are_refused(name: str) -> None:
    """Each gets a Problem whose path can be printed, below a root and in a hub searched whole."""
    assert _select(f"skills/{name}/SKILL.md") == ([], ["name-refused"])
    assert _select(f"{name}/SKILL.md") == ([], ["name-refused"])
    assert _select(f"workflows/{name}/x.md") == ([], ["name-refused"])


def test_f13_drive_letters_are_refused_where_a_path_starts() -> None:
    """`C:` is an ordinary name inside a folder and a drive at the start of a path."""
    assert _select("C:/SKILL.md") == ([], ["name-refused"])
    assert _select("skills/C:/SKILL.md") == (["C:"], [])


@pytest.mark.parametrize("path", ["workflows/.md", "workflows/a:b.md", "workflows/a:b/c.md", "commands/sub/x:y.md"])
def test_f13_document_names_that_make_no_clear_id(path: str) -> None:
    """An empty name, or a colon where colons separate folders."""
    assert _select(path) == ([], ["name-refused"])


def test_f13_both_sides_of_the_caps() -> None:
    """The longest id and path pass, one byte more is refused; bytes are counted, not characters."""
    longest = "x" * MAX_ID_BYTES
    assert _select(f"skills/{longest}/SKILL.md") == ([longest], [])
    assert _select(f"skills/{longest}x/SKILL.md") == ([], ["name-refused"])
    assert _select(f"skills/{'é' * (MAX_ID_BYTES // 2)}/SKILL.md")[1] == []
    assert _select(f"skills/{'é' * (MAX_ID_BYTES // 2)}x/SKILL.md")[1] == ["name-refused"]
    root = "/".join(["r" * 99] * 9)  # 899 bytes
    config = HubConfig(roots=(root,))
    fits = "x" * (MAX_PATH_BYTES - len(root) - 1)
    assert _select(f"{root}/{fits}/SKILL.md", config) == ([fits], [])
    assert _select(f"{root}/{fits}x/SKILL.md", config) == ([], ["name-refused"])


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec=None), min_size=1, max_size=12))
def test_f13_whatever_is_listed_our_reader_accepts(name: str) -> None:
    """For any name: either a Problem, or an id and path that may stand in an index."""
    for path in (f"skills/{name}/SKILL.md", f"{name}/SKILL.md", f"workflows/{name}.md"):
        listing = select_files([TreeEntry("100644", "b" * 40, 1, path)], HubConfig())
        assert len(listing.files) + len(listing.problems) == 1
        for file in listing.files:
            assert problem_with(file.id, file.path) == ""
            assert not {"..", ".", ""} & set(file.id.split("/"))
            assert "\\" not in file.id
            assert not any(sign < " " or "\x7f" <= sign < "\xa0" or "\u202a" <= sign <= "\u202e" for sign in file.id)


def test_f13_real_trees_with_hostile_names(tmp_path: Path) -> None:
    """A tree made by hand with `..` in it, and names that git itself lets through, are read from real objects."""
    hub = HubMaker(tmp_path / "hub")
    blob = hub.git("hash-object", "-w", "--stdin", stdin=b"text")
    leaf = hub.git("mktree", "-z", stdin=f"100644 blob {blob}\tSKILL.md\0".encode())
    names = ["--help", "..", "a\nb", "fine", "x\\y"]
    skills = hub.git("mktree", "-z", stdin="".join(f"040000 tree {leaf}\t{name}\0" for name in names).encode())
    top = hub.git("mktree", "-z", stdin=f"040000 tree {skills}\tskills\0".encode())
    hub.git("update-ref", "refs/heads/main", hub.git("commit-tree", top, "-m", "hostile"))
    repo = open_repository(hub.root)
    snapshot = read_hub(repo).snapshot
    assert [file.id for file in snapshot.files] == ["--help", "fine"]
    assert [content for _, content in read_contents(repo, snapshot.files)] == [b"text", b"text"]
    assert sorted(problem.path for problem in snapshot.problems) == [
        "skills/../SKILL.md",
        "skills/a\\x0ab/SKILL.md",
        "skills/x\\y/SKILL.md",
    ]
