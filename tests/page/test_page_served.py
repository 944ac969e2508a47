"""`serve --page`: the page's files and no others, with types, tags, ranges and a strict policy, past the same gate."""

import gzip
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.pages.page_world import PageWorld, make_page_world
from support.servers.serving_world import ServingWorld, serving

from hub_index.cli.verbs import serve
from hub_index.cli.wiring import page_wiring
from hub_index.cli.wiring.page_wiring import find_site
from hub_index.errors import ConfigError, IndexMissing
from hub_index.serve.http.site import Site
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> PageWorld:
    """A small hub with its page."""
    world = make_page_world(tmp_path_factory.mktemp("served"))
    world.write()
    return world


@pytest.fixture(scope="module")
def server(world: PageWorld) -> Iterator[ServingWorld]:
    """A server of that page alone."""
    with serving(site=find_site(str(world.folder), None, None)) as server:
        yield server


def test_every_file_of_the_page_is_served_as_it_is(server: ServingWorld, world: PageWorld) -> None:
    """Bytes are those on the disk, a script is a script, and a browser guesses no type."""
    for name, content in world.files().items():
        reply = server.ask("GET", f"/page/{name}")
        assert (reply.status, reply.body) == (200, content)
        assert reply.headers["x-content-type-options"] == "nosniff"
    assert server.ask("GET", "/page/app.js").headers["content-type"] == "text/javascript; charset=utf-8"
    assert server.ask("GET", "/page/").headers["content-type"] == "text/html; charset=utf-8"
    assert server.ask("GET", "/").headers["location"] == "/page/"
    index = world.folder / ".well-known/agent-skills/index.json"
    assert server.ask("GET", "/.well-known/agent-skills/index.json").body == index.read_bytes()


def test_the_policy_of_the_page_is_in_a_header_too(server: ServingWorld) -> None:
    """It says all that the page's own says, and that nobody may frame it."""
    reply = server.ask("GET", "/page/")
    own = re.search(rb'Content-Security-Policy" content="([^"]+)"', reply.body)
    assert own is not None
    assert reply.headers["content-security-policy"] == own[1].decode() + "; frame-ancestors 'none'"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "nothing.js",
        "secret.txt",
        "data",
        "data/",
        "//etc/passwd",
    ],
)
def test_nothing_else_is_served(server: ServingWorld, world: PageWorld, path: str) -> None:
    """Only what the page's list names, however the path is written."""
    (world.root / "secret.txt").write_text("secret")
    reply = server.ask("GET", f"/page/{path}")
    assert reply.status == 404
    assert b"secret" not in reply.body


def test_texts_are_packed_for_those_who_unpack(server: ServingWorld, world: PageWorld) -> None:
    """gzip where it is accepted and helps; data files are packed already."""
    reply = server.ask("GET", "/page/app.js", Accept_Encoding="br, gzip")
    assert reply.headers["content-encoding"] == "gzip"
    assert gzip.decompress(reply.body) == (world.folder / "app.js").read_bytes()
    assert "content-encoding" not in server.ask("GET", "/page/app.js", Accept_Encoding="gzip;q=0").headers
    assert "content-encoding" not in server.ask("GET", "/page/data/ids.bin", Accept_Encoding="gzip").headers


def test_what_a_client_has_is_not_sent_again(server: ServingWorld) -> None:
    """The tag is of the bytes that were sent, packed or not."""
    for accepted in ("identity", "gzip"):
        tag = server.ask("GET", "/page/style.css", Accept_Encoding=accepted).headers["etag"]
        again = server.ask("GET", "/page/style.css", Accept_Encoding=accepted, If_None_Match=tag)
        assert (again.status, again.body) == (304, b"")
    assert server.ask("GET", "/page/style.css", If_None_Match='"another"').status == 200


@pytest.mark.parametrize(
    ("wanted", "status", "part"),
    [
        ("bytes=0-3", 206, slice(0, 4)),
        ("bytes=4-", 206, slice(4, None)),
        ("bytes=-5", 206, slice(-5, None)),
        ("bytes=10-999999999", 206, slice(10, None)),
        ("bytes=0-1,4-5", 200, slice(None)),
        ("lines=1-2", 200, slice(None)),
        ("bytes=999999999-", 416, slice(0, 0)),
        ("bytes=5-2", 416, slice(0, 0)),
    ],
)
def test_a_part_of_a_file_is_served(
    server: ServingWorld, world: PageWorld, wanted: str, status: int, part: slice
) -> None:
    """One range of bytes; anything else is answered by the whole, or refused where no byte is meant."""
    content = (world.folder / "data/documents.bin").read_bytes()
    reply = server.ask("GET", "/page/data/documents.bin", Range=wanted)
    assert (reply.status, reply.body) == (status, content[part])
    if status == 206:
        assert reply.headers["content-range"].endswith(f"/{len(content)}")
    outdated = server.ask("GET", "/page/data/documents.bin", Range=wanted, If_Range='"older"')
    assert outdated.body == content


def test_a_new_page_is_served_at_once(tmp_path: Path) -> None:
    """The folder is exchanged while the server runs."""
    world = make_page_world(tmp_path)
    world.write()
    with serving(site=find_site(str(world.folder), None, None)) as server:
        before = server.ask("GET", "/page/data/page.json")
        world.hub.skill("another", "Does another thing.")
        world.index()
        world.write()
        after = server.ask("GET", "/page/data/page.json", If_None_Match=before.headers["etag"])
        assert after.value["count"] == before.value["count"] + 1
        assert server.ask("GET", "/page/.well-known/agent-skills/another/SKILL.md").status == 200


def test_the_page_is_behind_the_gate(world: PageWorld, tmp_path: Path) -> None:
    """Where tokens are asked for they are asked for here, and a page of another site gets nothing."""
    (tmp_path / "tokens").write_text("ann 0123456789abcdef-token\n")
    with serving(site=find_site(str(world.folder), None, None), token_file=str(tmp_path / "tokens")) as server:
        assert server.ask("GET", "/page/").status == 401
        assert server.ask("GET", "/page/", Authorization="Bearer 0123456789abcdef-token").status == 200
        assert server.ask("GET", "/page/", Host="evil.example").status == 403


def test_a_folder_that_is_no_page_is_refused(tmp_path: Path) -> None:
    """The message says how to make one."""
    with pytest.raises(ConfigError, match="hub-index page"):
        find_site(str(tmp_path), None, None)
    with pytest.raises(ConfigError, match="one hub"):
        find_site("", None, None)


def test_without_a_folder_the_one_hubs_page_is_made_in_the_cache(world: PageWorld) -> None:
    """`--page` may stand alone, in front of other options too."""
    assert serve.parse(["--page", "--port", "0"]).page is True
    assert serve.parse(["--page", "site"]).page == "site"
    site = _find_own(world)
    assert site.folder.startswith(str(Path.home()))
    _wait_for(lambda: bool(site.read_names()))
    assert {"index.html", "data/model/model.bin"} <= set(site.read_names())


def test_the_server_answers_while_its_page_is_made(world: PageWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's paths say in one sentence that it comes, and when to ask again; then it is there."""
    may_end = threading.Event()

    def make(_hub: Path, folder: Path, **_options: object) -> None:
        may_end.wait(60)
        world.write(folder)

    monkeypatch.setattr(page_wiring, "make_page", make)
    with serving(site=_find_own(world)) as server:
        for path in ("/page/", "/page/app.js", "/.well-known/agent-skills/index.json"):
            reply = server.ask("GET", path)
            assert (reply.status, reply.headers["retry-after"]) == (503, "5")
            assert "is being made" in reply.value["detail"]
        assert server.ask("GET", "/healthz").status == 200
        may_end.set()
        _wait_for(lambda: server.ask("GET", "/page/").status == 200)
        assert server.ask("GET", "/page/nothing.js").status == 404


def test_a_page_that_cannot_be_made_is_said(
    world: PageWorld, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason is told where the server was started; a visitor learns that it stands there."""

    def make(_hub: Path, _folder: Path, **_options: object) -> None:
        raise IndexMissing("the hub has no index: build it")

    monkeypatch.setattr(page_wiring, "make_page", make)
    with serving(site=_find_own(world)) as server:
        _wait_for(lambda: "could not be made" in server.ask("GET", "/page/").value["detail"])
        assert server.ask("GET", "/page/").status == 503
    assert "the hub has no index: build it" in capsys.readouterr().err


def _find_own(world: PageWorld) -> Site:
    with open_service([HubPlace("hub", str(world.hub.root))], embed="never") as service:
        return find_site("", service, None)


def _wait_for(is_true: Callable[[], bool]) -> None:
    end_s = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < end_s
        time.sleep(0.05)


@pytest.mark.parametrize(
    "name", ["../secret.txt", "..%2Fsecret.txt", "%2E%2E/secret.txt", "linked/secret.txt", "secret.txt", "{absolute}"]
)
def test_a_page_that_comes_with_a_hub_lists_nothing_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    """Its list of files is the hub's word: neither a path that goes up nor a link is followed."""
    (tmp_path / "secret.txt").write_text("canary")
    site = tmp_path / "site"
    site.mkdir()
    (site / "linked").symlink_to(tmp_path)
    (site / "secret.txt").symlink_to(tmp_path / "secret.txt")
    absolute = str(tmp_path / "secret.txt")
    names = ("../secret.txt", "linked/secret.txt", "secret.txt", absolute)
    (site / "page_files.json").write_text(json.dumps({"hub_index_page": 1, "files": dict.fromkeys(names, "")}))
    with serving(site=find_site(str(site), None, None)) as server:
        reply = server.ask("GET", f"/page/{name.format(absolute=absolute.replace('/', '%2F'))}")
    assert (reply.status, b"canary" in reply.body) == (404, False)
