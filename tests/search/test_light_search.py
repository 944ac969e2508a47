"""What a search does not need, it does not load."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

_PROBE = """
import sys
from hub_index.search import open_index
before = set(sys.modules)
index = open_index(hub=sys.argv[1], cache_dir=sys.argv[2])
results = index.search(sys.argv[4], mode=sys.argv[3])
print(results.mode, *sorted(set(sys.modules) & set(sys.argv[5:])))
"""
_TYPED = """
import sys
from hub_index.cli.main import main
status = main(["search", "slow queries", "--keyword", *sys.argv[1:]])
print(status, *sorted({"dataclasses", "numpy", "yaml"} & set(sys.modules)), file=sys.stderr)
"""
# Without `site`: the finder of an editable installation loads pathlib before us, and would hide who else does.
_BARE = """
import sys
from hub_index.cli.main import main
status = main(["search", "slow queries", "--keyword", "--hub", sys.argv[1]])
print(status, *sorted({"pathlib", "typing", "urllib.parse", "ipaddress"} & set(sys.modules)), file=sys.stderr)
"""
_HEAVY = (
    "git",
    "jsonschema",
    "pyarrow",
    "prefect",
    "openai",
    "voyageai",
    "subprocess",
    "asyncio",
    "sqlite3",
    "hub_index.traces",
)
_DICTIONARY = ("hub_index.search.lexical.translation.derived_file",)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub indexed by the embedded model."""
    from hub_index.embedding.local import LocalEncoder

    world = make_world(tmp_path_factory.mktemp("world"), build=False)
    world.story.encoder = LocalEncoder(cache_dir=world.cache, workers=0)  # type: ignore[assignment]
    world.story.encoder.texts = []
    world.story.build()
    return world


def probe(world: SearchWorld, mode: str, *modules: str, query: str = "slow queries") -> list[str]:
    """The mode that answered and which of the modules were loaded, in a second process on a warm cache."""
    command = [sys.executable, "-c", _PROBE, str(world.hub), str(world.cache), mode, query, *modules]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_keyword_search_loads_next_to_nothing(world: SearchWorld) -> None:
    """No numpy, no git, no JSON, no YAML, no dataclasses: only tantivy and the tokenizer."""
    light = ("numpy", "json", "yaml", "dataclasses", "hub_index.models", "sentencepiece", "tempfile", "shutil")
    assert probe(world, "keyword", *_HEAVY, *light, *_DICTIONARY) == ["keyword"]


@pytest.mark.parametrize("asked", ["one hub", "two hubs", "recorded", "recorded and learnt from"])
def test_a_typed_keyword_search_loads_no_dataclasses(world: SearchWorld, tmp_path: Path, asked: str) -> None:
    """What the command adds to the search stays as light: its values are of `FrozenValue`, which saves 18 to 25 ms."""
    other = tmp_path / "other"
    shutil.copytree(world.hub, other, symlinks=True)
    hubs = (world.hub, other) if asked == "two hubs" else (world.hub,)
    command = [sys.executable, "-c", _TYPED, *[part for hub in hubs for part in ("--hub", str(hub))]]
    learn = "on" if asked.endswith("learnt from") else "off"
    recorded = ["--track"] if asked.startswith("recorded") else []
    own = {"HUB_INDEX_CACHE": str(world.cache), "AXON_HOME": str(tmp_path / "axon"), "AXON_LEARN": learn}
    for _ in range(2):
        done = subprocess.run(
            [*command, *recorded], capture_output=True, text=True, check=True, env={**os.environ, **own}
        )
    assert done.stderr.splitlines()[-1] == "0"


def test_a_typed_keyword_search_loads_no_library_for_one_name(world: SearchWorld, tmp_path: Path) -> None:
    """Neither pathlib, which brings urllib and ipaddress, nor typing: 6 of 42 ms for a Path and a TYPE_CHECKING."""
    own = {"HUB_INDEX_CACHE": str(world.cache), "AXON_HOME": str(tmp_path / "axon"), "AXON_LEARN": "off"}
    own["PYTHONPATH"] = os.pathsep.join(folder for folder in sys.path if folder)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-S", "-c", _BARE, str(world.hub)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **own},
        )
    assert done.stderr.splitlines()[-1] == "0"


def test_a_hub_with_settings_is_searched_as_lightly(world: SearchWorld, tmp_path: Path) -> None:
    """hub-index.toml is read for where the index lies; what lists a hub's files stays unloaded."""
    settled = replace(world, home=tmp_path / "home")
    shutil.copytree(world.home, settled.home, symlinks=True)
    (settled.hub / "hub-index.toml").write_text('output = "search"\n')
    light = ("numpy", "yaml", "dataclasses", "hub_index.hub.tree.listing", "hub_index.search.checkout.files")
    assert probe(settled, "keyword", *light) == ["keyword"]


def test_a_chinese_keyword_search_loads_the_dictionary_and_little_else(world: SearchWorld) -> None:
    """Neither numpy nor the parser of the dictionary's source: the derived file is mapped."""
    light = ("numpy", "gzip", "base64", "dataclasses", "hub_index.search.lexical.translation.glosses")
    assert probe(world, "keyword", *_HEAVY, *light, *_DICTIONARY, query="慢查询") == ["keyword", *_DICTIONARY]


def test_a_hybrid_search_with_the_embedded_model_loads_no_build_tools(world: SearchWorld) -> None:
    """numpy, and nothing that builds, publishes or talks to an API."""
    assert probe(world, "hybrid", "numpy", "yaml", *_HEAVY) == ["hybrid", "numpy"]


def test_importing_the_way_in_costs_nothing() -> None:
    """`from hub_index.search import open_index` loads neither tantivy nor numpy."""
    code = "import sys, hub_index.search; print(*{'tantivy', 'numpy', 'Stemmer'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert done.stdout.split() == []


def test_the_body_of_an_edited_skill_is_split_without_dataclasses() -> None:
    """The first search after an edit reads one file: what that needs to load would take as long as the search."""
    code = (
        "import sys; from hub_index.search.lexical.preparing import body_of; "
        "assert body_of(b'---\\nname: a\\n---\\nWords.\\n').strip() == 'Words.'; "
        "print(*sorted({'dataclasses', 'typing', 'json', 'yaml', 'hub_index.models'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
