"""`benchmarks.house` counts what a tree's modules import and name, without importing any of them."""

from pathlib import Path

from benchmarks.house import read_figures

_FILES = {
    "__init__.py": "",
    "a.py": "from hub_index import b\n\ndef low():\n    import numpy\n    from hub_index.e import high\n",
    "b.py": '"""Nobody reads it."""\nfrom hub_index.c import low\n',
    "c.py": "import hub_index.d\n\ndef low(alpha):\n    return {'diverse': alpha}\n",
    "d.py": "from hub_index.c import low\n",
    "e.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import low\n",
    "cli/__init__.py": "",
    "cli/verbs/__init__.py": "",
    "cli/verbs/one.py": "raise ZeroDivisionError  # imported by no one\n",
}


def test_figures_of_a_small_tree(tmp_path: Path) -> None:
    """A circle is one step of a chain; what stands inside functions or is for types alone is counted apart."""
    for name, text in _FILES.items():
        file = tmp_path / "hub_index" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    found = read_figures(tmp_path)
    assert found["that chain"] == ["hub_index.a", "hub_index.b", "hub_index.c (with 1 that import each other)"]
    assert (found["files"], found["most files in a folder"]) == (9, {"hub_index": 5})
    assert found["imports inside functions"] == 2
    assert found["imports inside functions, heavy packages"] == 1
    assert found["if TYPE_CHECKING"] == 1
    assert found["modules imported by one other"] == 3  # b and e by a, d by c
    assert found["files that name a search option"] == {"alpha": 1, "diverse": 1}
    assert found["those functions"] == {"low": 2}
    assert found["marked words"]["nobody"] == 1
