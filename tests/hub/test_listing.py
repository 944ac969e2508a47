"""Which files of a tree are indexed, under which ids."""

import hashlib
import subprocess
import sys

from hub_index.hub.config import HubConfig
from hub_index.hub.tree.listing import Listing, select_files, source_digest
from hub_index.models import SkillFile, TreeEntry


def listed(*paths: str, config: HubConfig | None = None, mode: str = "100644") -> Listing:
    """The listing of a tree with these files."""
    return select_files([TreeEntry(mode, "b" * 40, 1, path) for path in paths], config or HubConfig())


def ids(listing: Listing) -> list[tuple[str, str]]:
    """The (id, path) of each file."""
    return [(file.id, file.path) for file in listing.files]


def test_id_is_the_folder_below_the_root() -> None:
    """At any depth, also inside another skill or a dot folder; sorted by id, by code points."""
    listing = listed(
        "skills/b/SKILL.md",
        "skills/ann/db/SKILL.md",
        "skills/b/inner/SKILL.md",
        "skills/.x/SKILL.md",
        "skills/B/SKILL.md",
    )
    assert ids(listing) == [
        (".x", "skills/.x"),
        ("B", "skills/B"),
        ("ann/db", "skills/ann/db"),
        ("b", "skills/b"),
        ("b/inner", "skills/b/inner"),
    ]


def test_other_files_are_not_skills() -> None:
    """Only the name counts, and only as a whole; a Kelvin sign is not a K."""
    assert not listed(
        "skills/a/README.md", "skills/a/MYSKILL.md", "skills/a/SKILL.md.txt", "skills/a/S\u212aILL.md"
    ).files


def test_hub_with_skills_folder_is_not_searched_elsewhere() -> None:
    """Where `skills/` holds skills, a SKILL.md beside it is not taken."""
    assert ids(listed("skills/a/SKILL.md", "other/b/SKILL.md", "SKILL.md")) == [("a", "skills/a")]


def test_hub_without_skills_folder_is_searched_whole() -> None:
    """Ids are then paths from the hub's root, and the hub itself may be a skill."""
    listing = listed("SKILL.md", "a/SKILL.md", ".claude/skills/b/skill.md", "skills/README.md")
    assert ids(listing) == [(".claude/skills/b", ".claude/skills/b"), ("a", "a"), ("root", ".")]


def test_any_spelling_of_the_name_counts_for_the_root() -> None:
    """`skills/a/Skill.MD` makes `skills` the root."""
    assert ids(listed("skills/a/Skill.MD", "b/SKILL.md")) == [("a", "skills/a")]


def test_skill_at_the_root_folder_is_called_after_it() -> None:
    """`skills/SKILL.md` has no folder below the root: the root's own name is its id."""
    assert ids(listed("skills/SKILL.md")) == [("skills", "skills")]


def test_several_roots() -> None:
    """All but the first keep the root in the id; what is outside of them is not taken."""
    config = HubConfig(roots=("lib/main", "extra/x"))
    listing = listed("lib/main/a/SKILL.md", "extra/x/a/SKILL.md", "extra/x/SKILL.md", "lib/b/SKILL.md", config=config)
    assert ids(listing) == [("a", "lib/main/a"), ("extra/x", "extra/x"), ("extra/x/a", "extra/x/a")]
    assert ids(listed("lib/main/SKILL.md", config=config)) == [("main", "lib/main")]


def test_workflows_and_commands_are_documents() -> None:
    """Their ids are joined by colons, their path is the folder, their case is kept."""
    listing = listed("skills/a/SKILL.md", "workflows/w1.md", "workflows/sub/W2.md", "commands/c.md", "workflows/x.txt")
    assert [(file.id, file.path, file.kind) for file in listing.files] == [
        ("a", "skills/a", "skill"),
        ("commands:c", "commands", "document"),
        ("workflows:sub:W2", "workflows/sub", "document"),
        ("workflows:w1", "workflows", "document"),
    ]


def test_skill_among_workflows_in_a_hub_searched_whole() -> None:
    """A SKILL.md there is a skill once, not also a document."""
    listing = listed("workflows/a/SKILL.md", "workflows/b.md")
    assert [(file.id, file.kind) for file in listing.files] == [("workflows/a", "skill"), ("workflows:b", "document")]


def test_excluded_files_are_left_out() -> None:
    """They give neither a file nor a problem."""
    config = HubConfig(exclude=("skills/old", "**/draft-*"))
    listing = listed("skills/a/SKILL.md", "skills/old/x/SKILL.md", "skills/draft-b/SKILL.md", config=config)
    assert ids(listing) == [("a", "skills/a")]
    assert not listing.problems


def test_index_folder_is_left_out_but_a_skill_in_it_is_reported() -> None:
    """A hub searched whole may well have a skill called `search`: its author learns why it is missing."""
    listing = listed("search/SKILL.md", "search/skills.jsonl", "searching/SKILL.md")
    assert ids(listing) == [("searching", "searching")]
    assert [(problem.level, problem.path, problem.code) for problem in listing.problems] == [
        ("error", "search/SKILL.md", "in-index-folder")
    ]
    assert ids(listed("search/SKILL.md", config=HubConfig(output="published"))) == [("search", "search")]
    assert not listed("skills/a/SKILL.md", "search/SKILL.md").problems  # outside of the root nobody looks for it


def test_excluded_file_in_the_index_folder_is_not_reported() -> None:
    """Whoever excludes it has decided; elsewhere in the folder the report stays."""
    config = HubConfig(exclude=("search/old",))
    listing = listed("search/old/SKILL.md", "search/new/SKILL.md", "a/SKILL.md", config=config)
    assert ids(listing) == [("a", "a")]
    assert [(problem.path, problem.code) for problem in listing.problems] == [
        ("search/new/SKILL.md", "in-index-folder")
    ]


def test_executable_file_is_a_file() -> None:
    """Mode 100755 is indexed like 100644."""
    assert ids(listed("skills/a/SKILL.md", mode="100755")) == [("a", "skills/a")]


def test_oversized_file_is_listed() -> None:
    """Its size is for the reader to judge; it counts for the digest."""
    listing = select_files([TreeEntry("100644", "b" * 40, 1 << 40, "skills/a/SKILL.md")], HubConfig())
    assert listing.files[0].size == 1 << 40


def test_second_claim_to_an_id_is_reported() -> None:
    """The first path wins; the other is named with the one it collides with."""
    listing = listed("SKILL.md", "root/SKILL.md")
    assert ids(listing) == [("root", ".")]
    assert [(problem.level, problem.path, problem.code) for problem in listing.problems] == [
        ("error", "root/SKILL.md", "duplicate-id")
    ]
    assert "SKILL.md" in listing.problems[0].reason


def test_digest_is_over_sorted_paths_and_blobs() -> None:
    """The recipe of the format, independent of the order of the files."""
    files = [
        SkillFile("b", "skills/b", "skills/b/SKILL.md", "skill", "2" * 40, 1),
        SkillFile("a", "skills/é", "skills/é/SKILL.md", "skill", "1" * 40, 1),
    ]
    expected = f"skills/b/SKILL.md\0{'2' * 40}\nskills/é/SKILL.md\0{'1' * 40}\n".encode()
    assert source_digest(files) == f"sha256:{hashlib.sha256(expected).hexdigest()}"
    assert source_digest(reversed(files)) == source_digest(files)


def test_empty_hub_has_a_digest() -> None:
    """No files is a state like any other."""
    assert source_digest(listed().files) == f"sha256:{hashlib.sha256(b'').hexdigest()}"


def test_listing_needs_no_git_and_little_else() -> None:
    """The searching side lists a plain folder by the same rules: nothing heavy comes with them."""
    heavy = {"subprocess", "tomllib", "numpy", "yaml"}
    code = f"import sys, hub_index.hub.tree.listing; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
