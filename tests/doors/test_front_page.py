"""`GET /` where no page is served: what is here, for people, programs and terminals."""

import re
from pathlib import Path

import pytest
from support.models.fake_encoder import FakeEncoder
from support.servers.serving_world import ServingWorld, serving

from hub_index.serve.http.site import Site

_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_a_person_sees_what_is_here_and_every_link_leads_on(odd: ServingWorld) -> None:
    """A small page that runs, loads and sends nothing."""
    reply = odd.ask("GET", "/", Accept=_BROWSER)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    assert reply.headers["content-security-policy"] == policy
    text = reply.body.decode()
    assert not re.search("<(script|style|img|link|form)", text)
    links = re.findall('href="([^"]+)"', text)
    assert {"/openapi.json", "/status", "/skills"} <= set(links)
    assert [odd.ask("GET", link).status for link in links] == [200] * len(links)
    assert len(reply.body) < 8_000


@pytest.mark.parametrize("accept", ["*/*", "text/plain", ""])
def test_a_terminal_gets_lines(odd: ServingWorld, accept: str) -> None:
    """As curl asks: a path and what it does in each."""
    reply = odd.ask("GET", "/", Accept=accept)
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    lines = reply.body.decode().splitlines()
    assert any(re.fullmatch(r"GET +/search +Find skills\.", line) for line in lines)
    assert any(" /mcp " in line for line in lines)
    assert any(" /ws " in line for line in lines)


def test_a_program_gets_json(odd: ServingWorld) -> None:
    """The same list."""
    reply = odd.ask("GET", "/", Accept="application/json")
    assert reply.value["paths"]["GET /skills"]
    assert odd.ask("HEAD", "/").status == 200


def test_only_what_is_served_is_listed() -> None:
    """A server of the model alone names neither skills nor MCP."""
    with serving(FakeEncoder(dim=512)) as world:
        paths = world.ask("GET", "/", Accept="application/json").value["paths"]
    assert "POST /v1/embeddings" in paths
    assert not [path for path in paths if path.endswith(("/search", "/mcp", "/ws"))]


def test_where_a_page_is_served_the_way_leads_to_it(tmp_path: Path) -> None:
    """The page stands in for the list."""
    (tmp_path / "index.html").write_text("<p>here</p>")
    with serving(site=Site(str(tmp_path), lambda: ["index.html"])) as world:
        assert world.ask("GET", "/", Accept=_BROWSER).headers["location"] == "/page/"
