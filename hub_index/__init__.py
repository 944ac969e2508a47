"""hub-index: a package index for hubs of agent skills. From Python: `from hub_index import open_index`."""

__version__ = "0.2.0"
GENERATOR = f"hub-index {__version__}"

# The public names and where they stand; their types are in __init__.pyi.
_MODULES = {
    "Hit": "hub_index.search.results",
    "HubIndexError": "hub_index.errors",
    "Index": "hub_index.search.index",
    "Record": "hub_index.record",
    "Results": "hub_index.search.results",
    "build_index": "hub_index.index.build",
    "check": "hub_index.index.change_check",
    "open_index": "hub_index.search",
}
__all__ = [
    "GENERATOR",
    "Hit",
    "HubIndexError",
    "Index",
    "Record",
    "Results",
    "__version__",
    "build_index",
    "check",
    "open_index",
]


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for: `import hub_index` itself costs nothing."""
    if name not in _MODULES:
        raise AttributeError(f"module 'hub_index' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
