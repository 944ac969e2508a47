"""`python -m benchmarks.house [TREE] [--json] [--against FILE]`: how a tree's hub_index is built, as figures.

Files in a folder, chains of imports, imports inside functions, kinds of values, names that occur twice. TREE is a
checkout (default: this one); nothing of it is imported, so that trees of different times can be compared:
`--json > before.json`, later `--against before.json`.

How it is counted: lines are physical ones, files of a folder are all but `__init__.py`. A chain's length is its number
of modules. The first chain follows imports at the top of modules, the second one also those inside
functions, the third one also those for types alone. An import is a statement, however many names it has. A module has
one importer by imports of every kind but those for types. A search option stands in a file that has it as an identifier
or as a text (a key of JSON). Names that occur twice are those of modules, of functions at the top of a module and of
classes; private ones are left out. `such as` is no marked word.
"""

import argparse
import ast
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.house_tree import (
    Import,
    Module,
    find_imports,
    identifiers,
    import_graph,
    is_typing_guard,
    longest_chain,
    read_modules,
    sole_importers,
)

HEAVY = frozenset(
    {"numpy", "pyarrow", "prefect", "openai", "voyageai", "onnxruntime", "tantivy", "psycopg", "jsonschema"}
    | {"huggingface_hub", "tokenizers", "httpx", "dask", "distributed", "prefect_dask", "cohere", "git"}
)
OPTIONS = (
    *("diverse", "min_score", "recency", "alpha", "fusion", "scoring", "rerank", "filters", "explain", "cross_script"),
    *("max_per_folder", "per_folder", "collapse"),
)
WORDS = (
    *(
        "whoever",
        "nobody",
        "of which",
        "where there is none",
        "that is not it",
        "such(?! as)",
        "is meant",
        "of its own",
    ),
    "comes to stand",
)
_SHOWN_NAMES = 12
_Functions = ast.FunctionDef | ast.AsyncFunctionDef
_Documented = ast.Module | ast.ClassDef | _Functions


def main() -> None:
    """Prints the figures of a tree, beside earlier ones where they are given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__.partition("\n")[0])
    parser.add_argument("tree", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--against", type=Path, metavar="FILE", help="earlier figures, printed by --json")
    arguments = parser.parse_args()
    figures = read_figures(arguments.tree)
    if arguments.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
        return
    before = json.loads(arguments.against.read_text("utf-8")) if arguments.against else None
    for name, value in figures.items():
        print("\n".join(_lines(name, value, before and before.get(name))))


def read_figures(tree: Path) -> dict[str, Any]:
    """Every figure of a tree, by its name."""
    modules = read_modules(tree, ("hub_index",))
    imports = find_imports(modules)
    return _sizes(modules) | _imports(modules, imports) | _values(modules) | _names(modules)


def _sizes(modules: list[Module]) -> dict[str, Any]:
    folders = Counter(module.folder for module in modules if not module.is_package)
    folders.pop("hub_index.cli.verbs", None)
    files = [len(module.source.splitlines()) for module in modules]
    nodes = [node for module in modules for node in ast.walk(module.tree) if isinstance(node, _Functions)]
    functions = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes]
    return {
        "lines": sum(files),
        "files": len(modules),
        "most files in a folder": dict(folders.most_common(8)),
        "file length, median": _quantile(files, 0.5),
        "file length, longest": max(files),
        "functions": len(functions),
        "function length, median": _quantile(functions, 0.5),
        "function length, 90 %": _quantile(functions, 0.9),
        "function length, longest": max(functions),
    }


def _imports(modules: list[Module], imports: list[Import]) -> dict[str, Any]:
    loaded = import_graph(modules, imports, inside=False, typing=False)
    called = import_graph(modules, imports, inside=True, typing=False)
    typed = import_graph(modules, imports, inside=True, typing=True)
    inside = [found for found in imports if found.is_inside and not found.is_typing]
    heavy = [found for found in inside if HEAVY & {target.partition(".")[0] for target in found.targets}]
    guards = [node for module in modules for node in ast.walk(module.tree) if is_typing_guard(node)]
    chain = longest_chain(loaded)
    return {
        "longest chain of imports": len(chain),
        "that chain": chain,
        "longest chain, functions included": len(longest_chain(called)),
        "longest chain, functions and types included": len(longest_chain(typed)),
        "imports inside functions": len(inside),
        "imports inside functions, heavy packages": len(heavy),
        "if TYPE_CHECKING": len(guards),
        "modules imported by one other": sole_importers(called),
    }


def _values(modules: list[Module]) -> dict[str, Any]:
    """How many classes are of which kind of value."""
    classes = [node for module in modules for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    bases = Counter(_last_name(base) for node in classes for base in node.bases)
    decorators = Counter(_last_name(each) for node in classes for each in node.decorator_list)
    kinds = {kind: bases[kind] for kind in ("FrozenValue", "NamedTuple", "TypedDict", "BaseModel")}
    return {"kinds of values": {"dataclass": decorators["dataclass"], **kinds}}


def _names(modules: list[Module]) -> dict[str, Any]:
    options = {option: sum(option in identifiers(module) for module in modules) for option in OPTIONS}
    tops = [node for module in modules for node in module.tree.body]
    docstrings = [_docstring(node) for module in modules for node in ast.walk(module.tree)]
    marked = {
        word.partition("(")[0]: sum(bool(re.search(rf"\b{word}\b", text)) for text in docstrings) for word in WORDS
    }
    any_word = re.compile(rf"\b({'|'.join(WORDS)})\b")
    return {
        "files that name a search option": {option: count for option, count in options.items() if count},
        **_twice("modules", [module.name.rpartition(".")[2] for module in modules if not module.is_package]),
        **_twice("functions", [node.name for node in tops if isinstance(node, _Functions)]),
        **_twice("classes", [node.name for node in tops if isinstance(node, ast.ClassDef)]),
        "docstrings with a marked word": sum(bool(any_word.search(text)) for text in docstrings),
        "marked words": marked,
    }


def _twice(what: str, names: list[str]) -> dict[str, Any]:
    counts = {name: count for name, count in Counter(names).most_common() if count > 1 and not name.startswith("_")}
    return {f"names of {what} that occur twice": len(counts), f"those {what}": dict(sorted(counts.items()))}


def _docstring(node: ast.AST) -> str:
    text = ast.get_docstring(node) if isinstance(node, _Documented) else None
    return " ".join((text or "").lower().split())


def _last_name(node: ast.expr) -> str:
    """`dataclass` of `@dataclasses.dataclass(frozen=True)`, `NamedTuple` of `typing.NamedTuple`."""
    plain = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else node
    return ast.unparse(plain).rpartition(".")[2]


def _quantile(numbers: list[int], share: float) -> int:
    return sorted(numbers)[int(len(numbers) * share)]


def _lines(name: str, value: Any, before: Any) -> list[str]:
    """A figure as people read it; of several ones a line each, of a list of names the most frequent."""
    if isinstance(value, int):
        return [f"{name:<48} {_change(value, before)}"]
    if isinstance(value, list):
        return [f"{name}: " + " → ".join(value)]
    earlier = before if isinstance(before, dict) else {}
    largest = sorted(value, key=lambda key: -value[key])[:_SHOWN_NAMES]
    return [name, *(f"  {key:<46} {_change(value[key], earlier.get(key))}" for key in largest)]


def _change(value: int, before: Any) -> str:
    return f"{value:>7,}" if not isinstance(before, int) else f"{before:>7,} → {value:,} ({value - before:+,})"


if __name__ == "__main__":
    main()
