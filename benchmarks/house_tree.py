"""The Python files of a tree as `benchmarks.house` counts them: modules, their imports, functions and names."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Graph = dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class Module:
    """One file: its dotted name, its source and what it parses to."""

    name: str
    is_package: bool
    source: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement of a module: what it names, and where it stands."""

    module: str
    targets: tuple[str, ...]  # modules of the tree where they are there, else what the statement names
    is_inside: bool  # a function's body
    is_typing: bool  # the body of `if TYPE_CHECKING`


def read_modules(root: Path, packages: tuple[str, ...]) -> list[Module]:
    """Every module below the packages, in the order of their names."""
    files = sorted(path for package in packages for path in (root / package).rglob("*.py"))
    return [_read(path, root) for path in files]


def find_imports(modules: list[Module]) -> list[Import]:
    """Every import statement of the modules."""
    names = {module.name for module in modules}
    return [found for module in modules for found in _imports(module, names)]


def import_graph(modules: list[Module], imports: list[Import], *, inside: bool, typing: bool) -> Graph:
    """Module → modules of the tree that it imports; with those inside functions, or for types alone, or without."""
    graph: Graph = {module.name: set() for module in modules}
    for found in imports:
        if (inside or not found.is_inside) and (typing or not found.is_typing):
            graph[found.module].update(target for target in found.targets if target in graph)
    return graph


def longest_chain(graph: Graph) -> list[str]:
    """The longest chain of imports, from the importing end; modules that import each other count as one step."""
    part_of = _condense(graph)
    longest: dict[str, list[str]] = {}

    def chain(part: str) -> list[str]:
        if part not in longest:
            members = [name for name in graph if part_of[name] == part]
            below = {part_of[target] for name in members for target in graph[name]} - {part}
            label = part if len(members) == 1 else f"{part} (with {len(members) - 1} that import each other)"
            longest[part] = [label, *max((chain(other) for other in sorted(below)), key=len, default=[])]
        return longest[part]

    return max((chain(part) for part in sorted(set(part_of.values()))), key=len, default=[])


def sole_importers(graph: Graph) -> int:
    """How many modules are imported by exactly one other module."""
    importers = Counter(target for name, targets in graph.items() for target in targets if target != name)
    return sum(count == 1 for count in importers.values())


def identifiers(module: Module) -> set[str]:
    """Every name, attribute, argument and keyword of a module, and every text that is one word: keys of JSON."""
    fields = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg", ast.Constant: "value"}
    found = {getattr(node, fields[type(node)]) for node in ast.walk(module.tree) if type(node) in fields}
    return {name for name in found if isinstance(name, str) and name.isidentifier()}


def _read(path: Path, root: Path) -> Module:
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    source = path.read_text("utf-8")
    return Module(".".join(parts[:-1] if is_package else parts), is_package, source, ast.parse(source))


def _imports(module: Module, names: set[str]) -> Iterator[Import]:
    def visit(node: ast.AST, is_inside: bool, is_typing: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield Import(module.name, _targets(node, module, names), is_inside, is_typing)
        is_inside = is_inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            is_guarded = isinstance(node, ast.If) and is_typing_guard(node) and child in node.body
            yield from visit(child, is_inside, is_typing or is_guarded)

    return visit(module.tree, False, False)


def is_typing_guard(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING`, by whatever way the name came."""
    return isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING"


def _targets(node: ast.Import | ast.ImportFrom, module: Module, names: set[str]) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    above = module.folder.split(".")[: -(node.level - 1) or None] if node.level else []
    base = ".".join([*above, *([node.module] if node.module else [])])
    submodules = (f"{base}.{alias.name}" for alias in node.names)
    return tuple(name if name in names else base for name in submodules)


def _condense(graph: Graph) -> dict[str, str]:
    """Module → the first name among those that it imports, and that import it, in a circle; most stand alone."""
    reach = {name: _reachable(graph, name) for name in graph}
    return {name: min({name, *(other for other in reach[name] if name in reach[other])}) for name in graph}


def _reachable(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] - found:
            found.add(target)
            waiting.append(target)
    return found
