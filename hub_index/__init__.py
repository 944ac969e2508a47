"""hub-index: a package index for hubs of agent skills."""

__version__ = "0.1.0"
GENERATOR = f"hub-index {__version__}"
