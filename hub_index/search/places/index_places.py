"""The places of an index, in order of preference.

The user's own index first (~/.axon/search), then the hub's (~/.axon/repo/search), then the checkout's own files.
"""

import os

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import RootedPath, rooted
from hub_index.errors import IndexMissing
from hub_index.frozen import FrozenValue
from hub_index.hub.tree.hub_folder import looks_like_hub
from hub_index.search.checkout.config import read_config
from hub_index.search.places.verified_records import MANIFEST

USER, HUB, GIVEN = "user", "hub", "given"


class IndexPlace(FrozenValue):
    """A folder that may hold an index, and the checkout that its records speak of."""

    kind: str
    folder: RootedPath
    hub: str  # empty if no checkout is known

    @property
    def index_dir(self) -> str:
        """The folder as it is shown and compared; files are opened by `folder`."""
        return str(self.folder)


def plan_places(index_dir: str, hub: str, home: str) -> list[IndexPlace]:
    """The places to look at, best first."""
    if index_dir:
        return [IndexPlace(GIVEN, rooted(index_dir), hub or _checkout_beside(index_dir))]
    if hub:
        return [IndexPlace(GIVEN, RootedPath(hub, _output_of(hub)), hub)]
    repo = os.path.join(home, "repo")
    return [
        IndexPlace(USER, rooted(os.path.join(home, "search")), repo),
        IndexPlace(HUB, RootedPath(repo, _output_of(repo)), repo),
    ]


def check_places(places: list[IndexPlace], index_dir: str, hub: str) -> None:
    """Raises IndexMissing, in Python's words, if there is neither an index nor a checkout; nothing is read."""
    if any(_has_index(place.index_dir) for place in places):
        return
    if hub and _has_index(hub):
        raise IndexMissing(f"{hub} is an index folder and not a hub; call open_index({hub!r})")
    if hub and not os.path.isdir(hub):
        raise IndexMissing(f"there is no folder {hub}; hub= is the folder of a hub's checkout")
    if index_dir and not hub:
        raise IndexMissing(_why_no_index(index_dir))
    repo = places[-1].hub
    if not hub and not os.path.isdir(repo):
        raise IndexMissing(
            f"there is neither an index in {places[0].index_dir} nor a synced hub in {repo}; run `hub-index sync`, "
            "or name a hub's checkout: open_index(hub=…)"
        )


def _why_no_index(folder: str) -> str:
    if not os.path.isdir(folder):
        return f"there is no folder {folder}; the first argument of open_index is an index folder"
    return f"there is no index in {folder}, and it is no hub; name a hub's checkout, or the folder of an index"


def is_only_hub(folder: str) -> bool:
    """Whether a folder is a hub's and not an index's."""
    return not _has_index(folder) and looks_like_hub(folder)


def _has_index(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, MANIFEST))


def check_named(index_dir: str) -> None:
    """Raises IndexMissing if an index folder that the user named has no index: no other place replaces it."""
    if not _has_index(index_dir):
        raise IndexMissing(explain_no_index(IndexPlace(GIVEN, rooted(index_dir), "")))


def explain_no_index(place: IndexPlace, *, has_skills: bool = False) -> str:
    """The error message for a named folder without an index; `has_skills`: whether its hub has skills."""
    folder = place.index_dir
    if place.hub:
        if not has_skills:
            return explain_no_skills(place)
        return f"there is no index in {quote_line(folder)}; run `hub-index build`, or sync the hub"
    if not os.path.isdir(folder):
        return f"there is no folder {folder}; --index-dir is an index folder, such as a hub's search"
    if looks_like_hub(folder):
        return f"there is no index in {folder}; it looks like a hub: name it with --hub {folder}"
    return f"there is no index in {folder}; `hub-index build HUB --out DIR` makes one"


def explain_no_skills(place: IndexPlace) -> str:
    """The error message for a place with neither an index nor skills."""
    return _explain_no_folder(place) or (
        f"the hub in {place.hub} has no skills: no SKILL.md, workflow, command or agent; name another folder with --hub"
    )


def _explain_no_folder(place: IndexPlace) -> str:
    hub = place.hub
    if os.path.isdir(hub):
        return ""
    if place.kind != GIVEN:
        return f"no hub was synced to {hub} yet; run `hub-index sync ADDRESS`, or name a hub's folder with --hub"
    what = f"{hub} is not a folder" if os.path.lexists(hub) else f"there is no folder {hub}"
    return (
        f"{what}; name the hub's folder, run `hub-index sync` if it is one of hubs.toml's, or run "
        "`hub-index sync ADDRESS` and search without --hub"
    )


def _checkout_beside(index_dir: str) -> str:
    """The folder around the index if this is where that hub would put its index; any other neighbour is a guess."""
    parent, name = os.path.split(os.path.abspath(index_dir))
    has_skills = os.path.isdir(os.path.join(parent, "skills"))
    return parent if has_skills or (os.path.exists(os.path.join(parent, ".git")) and name == _output_of(parent)) else ""


def _output_of(hub: str) -> str:
    """The hub's output folder; its settings are read only if it has some."""
    if not os.path.isfile(os.path.join(hub, "hub-index.toml")):
        return "search"

    return read_config(hub).output
