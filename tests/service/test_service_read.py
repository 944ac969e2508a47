"""read, show, list and status: texts by line, heading and file, and what a hub holds."""

import os

import pytest
from support.builds.build_story import BuildStory
from support.servers.service_world import LONG_BODY, ServiceWorld

from hub_index.errors import ConfigError, SkillUnknown
from hub_index.service.answers import encode_list, encode_status, encode_text
from hub_index.service.budget import estimate_tokens
from hub_index.service.requests import ListRequest, ReadRequest, RelatedRequest
from hub_index.service.service import Service


def test_a_skill_is_read_without_its_frontmatter(one: Service) -> None:
    """The whole body, with the line numbers of the file."""
    answer = one.read(ReadRequest("db-advisor"))
    assert answer.text == LONG_BODY.rstrip("\n")
    assert (answer.start, answer.end, answer.next_start) == (6, answer.total_lines, None)
    assert [file.path for file in answer.files] == ["SKILL.md"]


@pytest.mark.parametrize(
    "said",
    ["db-advisor", "one:db-advisor", "skills/db-advisor", "one:skills/db-advisor/SKILL.md", "DB Advisor"],
)
def test_a_skill_has_many_names(one: Service, said: str) -> None:
    """Id, path or name, with the hub before it or not."""
    assert one.read(ReadRequest(said)).id == one.show(said).id == "db-advisor"


def test_a_uri_names_a_skill_or_a_file_beside_it(both: Service) -> None:
    """What `find` and `list` call a skill can be read; so can the files of its folder."""
    uri = "skill://right/skills/sql-explain/SKILL.md"
    assert both.read(ReadRequest(uri)).uri == uri
    beside = both.read(ReadRequest("skill://right/skills/sql-explain/scripts/plan.py"))
    assert (beside.id, beside.text) == ("sql-explain", "print('plan')")
    with pytest.raises(SkillUnknown):
        both.read(ReadRequest("skill://right/skills/nobody/SKILL.md"))
    with pytest.raises(ConfigError, match="no hub"):
        both.read(ReadRequest("skill://nowhere/skills/sql-explain/SKILL.md"))


def test_a_skill_that_stands_in_two_hubs_can_be_read_from_either(both: Service) -> None:
    """By the hub's name before the id."""
    assert both.read(ReadRequest("left:sql-explain")).hub == "left"
    assert both.read(ReadRequest("right:sql-explain")).hub == "right"


def test_lines_come_with_their_context(one: Service) -> None:
    """From start to end, and some lines around them."""
    answer = one.read(ReadRequest("db-advisor", start=10, end=12, context=1))
    assert (answer.start, answer.end) == (9, 13)
    assert answer.text.split("\n")[1:-1] == ["## Collect", "", "Read pg_stat_statements first."]


def test_a_heading_is_its_section(one: Service) -> None:
    """With what stands below it, to the next heading of its level; code is no heading."""
    answer = one.read(ReadRequest("db-advisor", heading="## judge the indexes"))
    assert answer.text.startswith("## Judge the indexes")
    assert answer.text.rstrip().endswith("A foreign key needs one.")
    assert [heading.text for heading in answer.headings] == [
        "Database advisor", "Collect", "Judge the indexes", "Details", "Report",
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="“Collect”, “Judge the indexes”"):
        one.read(ReadRequest("db-advisor", heading="Nothing"))


def test_a_budget_ends_at_a_line_and_says_where_to_go_on(one: Service) -> None:
    """The pieces together are the whole."""
    pieces, start = [], None
    while True:
        answer = one.read(ReadRequest("db-advisor", start=start, max_tokens=50))
        pieces.append(answer.text)
        if answer.next_start is None:
            break
        start = answer.next_start
    assert len(pieces) > 1
    assert "\n".join(pieces) == LONG_BODY.rstrip("\n")


def test_a_line_longer_than_the_budget_is_cut_and_passed(world: ServiceWorld) -> None:
    """The budget is hard; the mark says how much of the line is shown, and going on reaches the line after it."""
    world.add_hub("wide", {"a": ("Wide.", "word " * 30_000 + "\nlast\n")})
    with world.open("wide") as service:
        answer = service.read(ReadRequest("a", max_tokens=50))
        assert estimate_tokens(answer.text) <= 50
        assert answer.text.startswith("word word ")
        assert " of 150000 characters; the line has " in answer.text
        assert answer.next_start == answer.start + 1
        assert service.read(ReadRequest("a", start=answer.next_start, max_tokens=50)).text == "last"


@pytest.mark.parametrize(
    "file",
    ["../go-server/SKILL.md", "/etc/passwd", "scripts/../../x", "nothing.txt", "picture.bin", ".git/config", "a\0b"],
)
def test_nothing_outside_of_the_folder_is_read(both: Service, file: str) -> None:
    """Neither what lies elsewhere, nor what is hidden, nor what is not text."""
    with pytest.raises(ConfigError):
        both.read(ReadRequest("right:sql-explain", file=file))


def test_links_are_neither_listed_nor_followed(world: ServiceWorld) -> None:
    """A link in a skill's folder might lead anywhere."""
    hub = world.add_hub("linked", {"a": ("Does a thing.", "# A\n")})
    (world.root / "secret.txt").write_text("secret")
    os.symlink(world.root / "secret.txt", hub.root / "skills/a/link.txt")
    os.symlink(world.root, hub.root / "skills/a/folder")
    with world.open("linked") as service:
        assert [file.path for file in service.read(ReadRequest("a")).files] == ["SKILL.md"]
        for file in ("link.txt", "folder/secret.txt"):
            with pytest.raises(ConfigError):
                service.read(ReadRequest("a", file=file))
        with pytest.raises(ConfigError, match="is a link; links are not followed"):
            service.read(ReadRequest("a", file="link.txt"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"skill": 7},
        {"skill": "nobody"},
        {"start": 0},
        {"start": 9_999},
        {"start": 5, "end": 4},
        {"start": 1, "heading": "Collect"},
        {"context": 51},
        {"max_tokens": 1},
        {"file": None},
    ],
)
def test_every_wrong_argument_of_read_is_one_line(one: Service, wrong: dict[str, object]) -> None:
    """A stranger's argument of any type or size is refused."""
    with pytest.raises(ConfigError):
        one.read(ReadRequest(**{"skill": "db-advisor", **wrong}))  # type: ignore[arg-type]


def test_hidden_characters_are_gone(world: ServiceWorld) -> None:
    """Nothing that a reader cannot see comes out of a file."""
    hub = world.add_hub("hidden", {"a": ("Does a thing.", "# A\n")})
    hub.write("skills/a/notes.md", "plain\u202etext\u200b\n")
    hub.write("skills/a/SKILL.md", "---\nname: a\ndescription: Does a thing.\n---\n\nbo\u2066dy\n")
    hub.commit("hide")
    with world.open("hidden") as service:
        assert service.read(ReadRequest("a", file="notes.md")).text == "plaintext"
        assert service.read(ReadRequest("a")).text == "body"


def test_a_list_goes_on_after_a_sync_where_it_was(world: ServiceWorld) -> None:
    """Skills that come or go before the page's end, its last one too, move nothing."""
    hub = world.add_hub("growing", {f"s{n}": (f"Thing {n}.", "") for n in range(4)})
    with world.open("growing") as service:
        first = service.list(ListRequest(limit=2))
        hub.skill("a-first-one", "Thing.")
        hub.skill("another-one", "Thing.")
        hub.git("rm", "-q", "-r", "skills/s1")
        hub.commit("sync")
        BuildStory(hub, world.encoder).build()
        rest = service.list(ListRequest(limit=2, cursor=first.next_cursor))
    assert [entry.record.id for entry in rest.skills] == ["s2", "s3"]
    assert (rest.total, rest.next_cursor) == (5, "")


def test_list_has_pages_and_counts_all(both: Service) -> None:
    """By hub and id, each skill once a hub, with a cursor as long as there is more."""
    first = both.list(ListRequest(limit=4))
    rest = both.list(ListRequest(limit=4, cursor=first.next_cursor))
    names = [f"{entry.hub}:{entry.record.id}" for entry in (*first.skills, *rest.skills)]
    assert (len(names), first.total, rest.next_cursor) == (6, 6, "")
    assert names == sorted(names)
    assert encode_list(first)["total"] == 6


def test_status_says_what_each_hub_is(both: Service) -> None:
    """How many skills, of which model, at which revision."""
    status = both.status()
    assert [(hub.name, hub.state, hub.model_id) for hub in status.hubs] == [
        ("left", "ready", "fake:words"),
        ("right", "ready", "fake:words"),
    ]
    assert encode_status(status)["hubs_digest"] == both.hubs_digest()


def test_related_looks_in_all_hubs(both: Service, one: Service) -> None:
    """The neighbours of a skill are those of the one hub; its own copy elsewhere is not one."""
    alone = [hit.id for hit in one.related(RelatedRequest("db-advisor", 3))]
    found = both.related(RelatedRequest("db-advisor", 3))
    assert [hit.id for hit in found] == alone
    copies = both.related(RelatedRequest("left:sql-explain", 5))
    assert "sql-explain" not in [hit.id for hit in copies]


def test_the_encoded_text_has_every_field(one: Service) -> None:
    """Programs get what Python gets."""
    encoded = encode_text(one.read(ReadRequest("db-advisor", start=6, end=6)))
    assert encoded["text"] == "# Database advisor"
    assert {"hub", "uri", "start", "end", "next_start", "headings", "files"} <= encoded.keys()
