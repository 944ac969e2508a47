"""A hub with a branch beside main, and the check of what the branch changes: what the tests of a change act with."""

from pathlib import Path

from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.hub.change import RevisionRange
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.change_check import ChangeCheck, CheckTools, check_change
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

PULL_REQUEST = RevisionRange("main", "work")


def make_hub(root: Path) -> HubMaker:
    """A hub of four skills on main, without an index; nothing is committed on `work` yet."""
    maker = HubMaker(root)
    maker.skills(4)
    maker.commit("skills")
    maker.git("branch", "work")
    return maker


def publish(hub: HubMaker, encoder: FakeEncoder, **options: str) -> None:
    """Commits an index to main and lets `work` begin there."""
    hub.git("checkout", "-q", "main")
    build_index(hub.root, BuildOptions(**options), BuildTools(encoder_for=lambda _: encoder))  # type: ignore[arg-type]
    hub.commit("index")
    hub.git("branch", "-f", "work")
    encoder.texts.clear()


def work(hub: HubMaker) -> HubMaker:
    """The hub with `work` checked out."""
    hub.git("checkout", "-q", "work")
    return hub


def check(hub: HubMaker, encoder: FakeEncoder, cache: VectorCache | None = None) -> ChangeCheck:
    """The check of `work`, with the encoder as the embedded model and as the hub's own."""
    return check_change(hub.root, PULL_REQUEST, CheckTools(lambda _: encoder, lambda: encoder, cache))
