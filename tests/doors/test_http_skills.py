"""Search, skills, texts, files, spans and status over HTTP, with their ETags, and every refusal as a problem."""

import json
from typing import Any

import jsonschema
import pytest
from support.servers.serving_world import ServingWorld

from hub_index.errors import IndexStale
from hub_index.limits import MAX_SERVED_QUESTION_BYTES
from hub_index.serve.http.answer import problem_answer
from hub_index.serve.http.openapi import describe_server

CANARY = "canary-that-nobody-may-log"


def test_an_index_behind_its_checkout_is_a_conflict_that_no_retry_mends() -> None:
    """409 without Retry-After, under the error's own name."""
    answer = problem_answer(IndexStale("zz-new is not in the index"))
    assert (answer.status, answer.headers) == (409, ())
    assert json.loads(answer.body)["error"] == "IndexStale"


def get(world: ServingWorld, path: str) -> Any:
    reply = world.ask("GET", path)
    assert reply.status == 200, reply.body
    return reply.value


def test_an_id_is_one_segment_however_many_folders_it_has(odd: ServingWorld) -> None:
    """`ann/db` is written ann%2Fdb; with a plain slash it is another path."""
    assert get(odd, "/skills/ann%2Fdb")["id"] == "ann/db"
    assert get(odd, "/skills/odd%3Aann%2Fdb")["id"] == "ann/db"
    assert get(odd, "/skills/%E4%B8%AD%E6%96%87%E5%86%99%E4%BD%9C")["id"] == "中文写作"
    assert odd.ask("GET", "/skills/ann/db").status == 404


def test_texts_files_spans_and_neighbours(odd: ServingWorld) -> None:
    """What can be asked of one skill."""
    whole = get(odd, "/skills/ann%2Fdb")
    assert [heading["text"] for heading in whole["headings"]] == ["One", "Two"]
    assert {file["path"] for file in whole["files"]} == {"SKILL.md", "picture.bin", "references/guide.md"}
    assert get(odd, "/skills/ann%2Fdb?heading=Two")["text"] == "# Two\nsecond line"
    assert get(odd, "/skills/ann%2Fdb/files/references/guide.md")["text"] == "# Guide\nRead me."
    assert get(odd, "/skills/ann%2Fdb/files/references%2Fguide.md?start=2")["text"] == "Read me."
    span = get(odd, "/spans?skill=ann/db&start=2&end=2")
    assert (span["start"], span["end"], span["text"]) == (2, 2, "name: db")
    assert len(get(odd, "/skills/ann%2Fdb/related?k=2")["hits"]) == 2


def test_skills_are_listed_page_by_page_and_filtered(odd: ServingWorld) -> None:
    """Every skill once; type is skill, workflow, command or agent."""
    seen, cursor = [], ""
    while True:
        page = get(odd, f"/skills?limit=3&cursor={cursor}" if cursor else "/skills?limit=3")
        seen += [skill["id"] for skill in page["skills"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == page["total"]
    assert [skill["id"] for skill in get(odd, "/skills?type=workflow")["skills"]] == ["workflows:release"]
    assert [hit["id"] for hit in get(odd, "/search?q=database&path=skills/ann")["hits"]] == ["ann/db"]


def test_what_has_not_changed_is_304(odd: ServingWorld) -> None:
    """The ETag is that of the hubs' revision; another one gets the whole answer."""
    first = odd.ask("GET", "/search?q=slides")
    again = odd.ask("GET", "/search?q=slides", If_None_Match=first.headers["etag"])
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert odd.ask("GET", "/search?q=slides", If_None_Match='W/"other"').status == 200


def test_head_status_health_and_metrics(odd: ServingWorld) -> None:
    """What a monitor looks at; no label is a word of a client's."""
    assert odd.ask("HEAD", "/status").body == b""
    status = get(odd, "/status")
    assert [(hub["name"], hub["state"]) for hub in status["hubs"]] == [("odd", "ready")]
    assert get(odd, "/healthz") == {"status": "ok"}
    odd.ask("GET", f"/{CANARY}")
    text = odd.ask("GET", "/metrics").body.decode()
    assert 'hub_index_requests_total{method="GET",route="/status",status="200"}' in text
    assert "hub_index_search_waiting 0" in text
    assert CANARY not in text
    assert CANARY not in "\n".join(odd.lines)


PROBLEM = describe_server(())["components"]["schemas"]["Problem"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "name"),
    [
        ("GET", "/search", None, 400, "RequestRefused"),
        ("GET", "/search?q=", None, 400, "ConfigError"),
        ("GET", "/search?q=a&k=0", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&k=1001", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&k=1e3", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&q=b", None, 400, "RequestRefused"),
        ("GET", "/search?q=%ff", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&mode=canary", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&hub=canary", None, 400, "ConfigError"),
        ("GET", "/search?q=a&alpha=nan", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&max_tokens=1", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&cursor=canary", None, 400, "ConfigError"),
        ("GET", "/search?q=a&canary=1", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&stream=canary", None, 400, "RequestRefused"),
        ("GET", "/search?q=a&context_lines=99&stream=sse", None, 400, "RequestRefused"),
        ("GET", "/search?q=" + "a" * 40_000, None, 414, "RequestRefused"),
        ("POST", "/search", b"[]", 400, "RequestRefused"),
        ("POST", "/search", b'{"query": NaN}', 400, "RequestRefused"),
        ("POST", "/search", b"{" * 10_000, 400, "RequestRefused"),
        ("POST", "/search", b'{"query": "' + b"a" * MAX_SERVED_QUESTION_BYTES + b'"}', 413, "RequestRefused"),
        ("GET", "/skills/canary", None, 404, "SkillUnknown"),
        ("GET", "/skills/ann%2Fdb/files/nope.md", None, 404, "SkillUnknown"),
        ("GET", "/skills/%ff", None, 400, "RequestRefused"),
        ("GET", "/skills/ann%2Fdb?start=0", None, 400, "RequestRefused"),
        ("GET", "/skills/ann%2Fdb?start=2&heading=One", None, 400, "ConfigError"),
        ("GET", "/skills/ann%2Fdb/files/..%2F..%2Fcanary", None, 400, "ConfigError"),
        ("GET", "/skills/ann%2Fdb/files/secret", None, 400, "ConfigError"),
        ("GET", "/skills/ann%2Fdb/files/picture.bin", None, 400, "ConfigError"),
        ("GET", "/skills/ann%2Fdb/files/", None, 404, "RequestRefused"),
        ("GET", "/skills?limit=1001", None, 400, "RequestRefused"),
        ("GET", "/skills?type=canary", None, 400, "RequestRefused"),
        ("GET", "/spans", None, 400, "RequestRefused"),
        ("DELETE", "/skills", None, 405, "RequestRefused"),
        ("GET", "/rpc", None, 405, "RequestRefused"),
        ("GET", "//search?q=a", None, 404, "RequestRefused"),
        ("GET", "/search/?q=a", None, 404, "RequestRefused"),
    ],
)
def test_each_refusal_is_a_problem_with_the_errors_name(  # noqa: PLR0917 - a table's columns
    odd: ServingWorld, method: str, path: str, body: bytes | None, status: int, name: str
) -> None:
    """RFC 9457, with the name and the exit code that the command line has for it."""
    reply = odd.ask(method, path, body, **({"Content_Type": "application/json"} if body else {}))
    assert reply.status == status, reply.body
    assert reply.headers["content-type"] == "application/problem+json"
    jsonschema.validate(reply.value, PROBLEM)
    assert (reply.value["error"], reply.value["status"]) == (name, status)
    assert "Traceback" not in reply.value["detail"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("colour", "colour"), ("max-tokens", "max-tokens"), ("sk-123", "an argument"), ("a" * 31, "an argument")],
)
def test_an_unknown_argument_is_named_if_it_looks_like_a_name(odd: ServingWorld, name: str, said: str) -> None:
    """Whoever misspelt it sees where; a key or a text that was put in a name's place is not repeated."""
    assert odd.ask("GET", f"/search?q=a&{name}=1").value["detail"].startswith(f"{said} is not known here; those that")


def test_a_missing_question_is_called_as_its_place_calls_it(odd: ServingWorld) -> None:
    """`q` in an address, `query` in a body: what the client can add, and what it may be called there."""
    assert odd.ask("GET", "/search?k=3").value["detail"] == "q is missing"
    assert (
        odd.ask("GET", "/search?query=slides").value["detail"].startswith("query is not known here; those that are: q,")
    )
    assert odd.post("/search", {"k": 3}).value["detail"] == "query is missing"
    assert (
        odd.post("/search", {"q": "slides"}).value["detail"].startswith("q is not known here; those that are: query,")
    )


def test_a_question_that_takes_too_long_is_504(odd: ServingWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit is the server's own; the client may ask for less."""
    from hub_index.service.requests import Deadline

    monkeypatch.setattr("hub_index.serve.http.handlers.skills.Deadline", lambda _seconds: Deadline(0.0))
    reply = odd.ask("GET", "/search?q=slides")
    assert (reply.status, reply.value["error"]) == (504, "AnswerStopped")


def test_answers_show_hidden_characters_as_escapes_only(odd: ServingWorld) -> None:
    """A program that prints the JSON cannot be misled; the values are those of the service."""
    body = odd.ask("GET", "/search?q=sly").body.decode()
    assert not {"\u200b", "\u202e"} & set(body)
    assert json.loads(body)["hits"][0]["id"] == "sly"
