"""What programs import: the names, their types, and the page that explains them."""

import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.searches.search_world import SearchWorld, make_world

import hub_index
from hub_index import HubIndexError, open_index
from hub_index.errors import ConfigError, IndexMissing
from hub_index.record import Record

_PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A synced hub with a fresh index."""
    return make_world(tmp_path_factory.mktemp("world"))


def test_the_exported_names_are_these() -> None:
    """Whoever removes or renames one breaks somebody's program."""
    values = ["GENERATOR", "Hit", "HubIndexError", "Index", "Record", "Results", "__version__"]
    names = [*values, "build_index", "check", "open_index"]
    assert sorted(hub_index.__all__) == names
    assert all(hasattr(hub_index, name) for name in names)
    assert hub_index.search.__all__ == ["open_index"]
    assert hub_index.search.open_index is open_index
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        hub_index.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_imports_nothing_else() -> None:
    """Not even the errors; types come from a stub, and the marker that there are types is shipped."""
    code = "import sys, hub_index; print(*[name for name in sys.modules if name.startswith('hub_index.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=_PROJECT)
    assert done.stdout.split() == []
    assert '"hub_index" = ["py.typed", "__init__.pyi"' in (_PROJECT / "pyproject.toml").read_text("utf-8")
    assert all((_PROJECT / "hub_index" / name).is_file() for name in ("py.typed", "__init__.pyi"))


def test_results_are_a_sequence_of_frozen_hits(world: SearchWorld) -> None:
    """Length, order, a readable repr; no value can be changed on its way, and equal ones are equal."""
    with world.open() as index:
        results = index.search("slides", k=2, mode="keyword")
        again = index.search("slides", k=2, mode="keyword")
        nothing = index.search("zymurgy", mode="keyword")
    assert (len(results), list(results), results[0]) == (1, list(results.hits), results.hits[0])
    assert repr(results) == "<Results of keyword search for 'slides': ppt-maker>"
    assert repr(nothing) == "<Results of keyword search for 'zymurgy': none>"
    assert results == again
    assert isinstance(results[0].record, Record)
    for value, field in ((results, "mode"), (results[0], "score"), (results[0].record, "id")):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(value, field, "other")


def test_the_end_of_a_with_closes_the_encoders(world: SearchWorld) -> None:
    """Whatever happens inside."""
    closed: list[bool] = []
    world.encoder.close = lambda: closed.append(True)  # type: ignore[method-assign]
    with contextlib.suppress(ZeroDivisionError), world.open() as index:
        index.search("slides")
        raise ZeroDivisionError
    assert closed == [True]


def test_a_folder_without_an_index_is_reported_at_once_in_pythons_words(world: SearchWorld, tmp_path: Path) -> None:
    """What is wrong and what to call, before the first query."""
    hub, empty = str(world.hub), tmp_path / "empty"
    empty.mkdir()
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"index_dir": empty}, f"there is no index in {empty}, and it is no hub; name a hub's checkout, or"),
        ({"index_dir": tmp_path / "no"}, f"there is no folder {tmp_path}/no; the first argument of open_index is an"),
        ({"hub": tmp_path / "no"}, f"there is no folder {tmp_path}/no; hub= is the folder of a hub's checkout"),
        ({"home": tmp_path / "no"}, f"there is neither an index in {tmp_path}/no/search nor a synced hub in"),
    )
    for arguments, said in cases:
        with pytest.raises(IndexMissing, match=re.escape(said)) as raised:
            open_index(**arguments)
        assert "--" not in str(raised.value)
        assert open_index(**arguments, must_exist=False).reader.places
    assert isinstance(raised.value, HubIndexError)
    with pytest.raises(ConfigError, match=f"is a folder inside the hub {re.escape(hub)}: name that"):
        open_index(hub=world.hub / "search")


def test_a_hub_without_an_index_can_be_opened(tmp_path: Path) -> None:
    """Its files are searched by keyword, with the reason."""
    world = make_world(tmp_path, build=False)
    results = open_index(hub=world.hub, cache_dir=world.cache).search("slides")
    assert (results.mode, results[0].id) == ("keyword", "ppt-maker")
    assert results.fallback_reason


def test_the_first_argument_is_a_hub_or_an_index(world: SearchWorld) -> None:
    """`open_index("path")` is what most people write; both answer alike."""
    for folder in (world.hub, world.hub / "search"):
        with open_index(folder, cache_dir=world.cache, connect=lambda *_: world.encoder) as index:
            assert index.search("slides", mode="keyword")[0].id == "ppt-maker"


def test_the_examples_of_the_page_are_typed(tmp_path: Path) -> None:
    """All blocks of docs/python.md together pass `mypy --strict`, and the mode of results is one of three words."""
    page = (_PROJECT / "docs" / "python.md").read_text("utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    (tmp_path / "examples.py").write_text(f'{code}\nassert results.mode == "hybird"\n', "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--strict-equality", str(tmp_path / "examples.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=_PROJECT)
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(lines) == 1, done.stdout
    assert "Non-overlapping equality check" in lines[0]


def test_every_example_of_the_page_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block of docs/python.md, in its order, beside the example hub with its index."""
    hub = tmp_path / "path" / "to" / "hub"
    shutil.copytree(_PROJECT / "examples" / "hub", hub)
    shutil.copytree(_PROJECT / "artifacts", hub / "search")
    monkeypatch.chdir(tmp_path)
    page = (_PROJECT / "docs" / "python.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", page, re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, object] = {}
    for code, said in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == said
