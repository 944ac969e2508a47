"""How hits look: in a pipe, on wide and narrow terminals, with colour and without."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here
from support.processes.screen import on_a_terminal

from hub_index.cli.terminal import cell_width

_LONG_NAME = "a-skill-whose-name-is-longer-than-any-column-of-the-table-would-be"
_LONG_PATH = f"skills/teams/platform/databases/{_LONG_NAME}/"
_LONG_TEXT = "Analyze slow queries. " + "It goes on and on. " * 400  # past the widest terminal


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub with a long path, a Chinese one, a workflow in a folder, and texts longer than a line."""
    maker = HubMaker(tmp_path / "hub")
    maker.write(f"{_LONG_PATH}SKILL.md", f"---\nname: {_LONG_NAME}\ndescription: {_LONG_TEXT}\n---\n")
    maker.write(
        "skills/数据库慢查询分析与优化建议专家/SKILL.md", "---\nname: 慢查询\ndescription: 分析 slow queries。\n---\n"
    )
    maker.write("workflows/release/deploy.md", "---\ndescription: Deploy slow queries last.\n---\n")
    maker.commit("skills")
    return maker


def _search(hub: HubMaker, *options: str) -> list[str]:
    return ["search", "slow queries", "--keyword", "--hub", str(hub.root), *options]


def test_a_pipe_gets_names_and_paths_whole(hub: HubMaker) -> None:
    """Only descriptions of over 300 characters are cut where no terminal is; JSON and `show` have all of them."""
    hub.skill("just-so", "Slow queries. ".ljust(300, "x"))
    hub.skill("a-little-more", "Slow queries. ".ljust(301, "x"))
    hub.commit("more")
    out = hub_index_here(*_search(hub)).out
    assert len(out.splitlines()) == 6
    for whole in (_LONG_NAME, _LONG_PATH, "Slow queries. ".ljust(300, "x")):
        assert whole in out
    described = [line.partition("— ")[2].removesuffix(" (weak match)") for line in out.splitlines()]
    cut = sorted(text for text in described if text.endswith("…"))
    assert cut == [_LONG_TEXT[:299].rstrip() + "…", "Slow queries. ".ljust(299, "x") + "…"]
    hits = json.loads(hub_index_here(*_search(hub, "--json")).out)["hits"]
    assert _LONG_TEXT.strip() in [hit["description"] for hit in hits]
    assert _LONG_TEXT.strip() in hub_index_here("show", _LONG_NAME, "--hub", hub.root).out


def test_a_match_in_the_body_is_shown(tmp_path: Path) -> None:
    """One line with the passage, its words marked; none where name and description say why, nor with --json."""
    maker = HubMaker(tmp_path / "hub")
    filler = "Nothing of interest stands in this line.\n" * 30
    maker.skill(
        "invoices", "Writes bills.", body=f"# Use\n{filler}Exports a zugferd file for the tax office.\n{filler}"
    )
    maker.skill("zugferd-check", "Checks a zugferd bill.", body="# Use\nThe zugferd file is read.\n")
    maker.commit("skills")
    command = ("search", "how do I make a zugferd", "--keyword", "--hub", str(maker.root))
    lines = hub_index_here(*command).out.splitlines()
    at = next(number for number, line in enumerate(lines) if "Writes bills." in line)
    assert lines[at + 1].startswith("     body: …")
    assert "Exports a *zugferd* file for the tax office." in lines[at + 1]
    assert sum("body: " in line for line in lines) == 1
    explained = hub_index_here(*command, "--explain").out
    assert explained.count("Exports a *zugferd* file") == 1
    narrow = on_a_terminal(*command, columns=60, NO_COLOR="1").splitlines()
    assert max(map(cell_width, narrow)) <= 60
    assert any("body: " in line for line in narrow)


@pytest.mark.parametrize("arguments", [("doctor",), ("cache", "info"), ("lint", "."), ("plan", ".")])
def test_no_table_is_cut_in_a_pipe(hub: HubMaker, arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A long folder stands in every verb's table whole, whatever COLUMNS says."""
    cache = str(tmp_path / ("long" * 40) / ("folder" * 30))
    out = hub_index_here(*arguments, cwd=hub.root, HUB_INDEX_CACHE=cache, COLUMNS="40").out
    assert (cache if arguments[0] in ("doctor", "cache") else _LONG_PATH[len("skills/") : -1]) in out


@pytest.mark.parametrize("columns", [40, 80, 250])
def test_a_path_on_a_terminal_can_be_pasted(hub: HubMaker, columns: int) -> None:
    """However narrow it is, paths and names are whole; only descriptions are cut, to the width in columns."""
    lines = on_a_terminal(*_search(hub), columns=columns, NO_COLOR="1").splitlines()
    places = [_LONG_PATH, "skills/数据库慢查询分析与优化建议专家/", "workflows/release/deploy.md"]
    for text in (*places, _LONG_NAME):
        assert any(text in line for line in lines)
    described = [line for line in lines if line.strip() not in places and _LONG_NAME not in line]
    assert max(cell_width(line) for line in described) <= columns


def test_a_workflow_names_its_file(hub: HubMaker) -> None:
    """In the text, in JSON and in show: the file, as it is spelled in the hub."""
    hub.write("commands/Sum.MD", "---\ndescription: Slow queries, summed up.\n---\n")
    hub.commit("a command")
    out = hub_index_here(*_search(hub)).out
    assert "workflows/release/deploy.md  " in out
    assert "commands/Sum.MD  " in out
    hits = json.loads(hub_index_here(*_search(hub, "--json")).out)["hits"]
    assert {hit["id"]: hit["file"] for hit in hits} == {
        f"teams/platform/databases/{_LONG_NAME}": f"{_LONG_PATH}SKILL.md",
        "数据库慢查询分析与优化建议专家": "skills/数据库慢查询分析与优化建议专家/SKILL.md",
        "workflows:release:deploy": "workflows/release/deploy.md",
        "commands:Sum": "commands/Sum.MD",
    }
    assert "workflows/release/deploy.md" in hub_index_here("show", "workflows:release:deploy", "--hub", hub.root).out


def test_colour_is_for_terminals_that_want_it(hub: HubMaker) -> None:
    """Names and matched words stand out; NO_COLOR, a dumb terminal and a pipe get none of it, but asterisks."""
    command = _search(hub, "--explain")
    coloured = on_a_terminal(*command, TERM="xterm")
    assert "\x1b[1mslow\x1b[0m \x1b[1mqueries\x1b[0m" in coloured
    assert "*slow*" not in coloured
    for plain in (
        on_a_terminal(*command, TERM="xterm", NO_COLOR="1"),
        on_a_terminal(*command, TERM="dumb"),
        hub_index_here(*command, TERM="xterm").out,
    ):
        assert "\x1b" not in plain
        assert "*slow*" in plain
    assert "\x1b" not in on_a_terminal(*_search(hub, "--json"), TERM="xterm")
