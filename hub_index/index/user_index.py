"""The user's own index: built from the synced hub, beside it, with the model that the user has configured.

Joins the way through at `build_index` and adds two promises: nothing is written below the hub, whose checkout belongs
to `sync`, and the model that the hub's settings name is not used.
"""

import os
from dataclasses import replace
from pathlib import Path

from hub_index.errors import ConfigError, SourceError
from hub_index.index.build import BuildOutcome, build_index
from hub_index.index.build_tools import BuildOptions, BuildTools


def build_user_index(hub: Path, folder: Path, tools: BuildTools, *, force: bool = False) -> BuildOutcome:
    """Brings the user's index up to date; vectors are reused by text, from any revision.

    Raises SourceError, ConfigError if the folder and the hub overlap (F74), and all errors of a build.
    """
    if not hub.is_dir():
        raise SourceError(f"there is no hub at {hub}; run `hub-index sync URL` first")
    check_apart(hub, folder)
    # A hub that has shrunk is not this user's mistake: an index of what is left is the right one.
    options = BuildOptions(out=folder, force=force, allow_shrink=True, takes_hub_alias=False)
    own_model = tools.encoder_for
    return build_index(hub, options, replace(tools, encoder_for=lambda _hub_model: own_model(None)))


def check_apart(hub: Path, folder: Path) -> None:
    """Raises ConfigError if one of the two folders lies in the other, through links or any spelling (F74)."""
    if _lies_in(folder, hub):
        raise ConfigError(
            f"{folder} lies inside the hub {hub}, which only `hub-index sync` changes; set AXON_HOME elsewhere"
        )
    if _lies_in(hub, folder):
        raise ConfigError(f"{folder} holds the hub {hub}, and an index needs a separate folder; change AXON_HOME")


def _lies_in(inner: Path, outer: Path) -> bool:
    """Whether `inner`, links followed, is `outer` or below it; a part that does not exist yet is taken as written."""
    real = Path(os.path.realpath(inner))
    return any(_is_same(place, outer) for place in (real, *real.parents))


def _is_same(place: Path, other: Path) -> bool:
    """Whether two names lead to one folder: asked of the file system, which knows about case and bind mounts."""
    try:
        return os.path.samefile(place, other)
    except OSError:
        return os.path.realpath(place) == os.path.realpath(other)
