"""The hubs of a command: those that the user names, by folder or name, else the synced one and all of hubs.toml."""

import os

from hub_index.errors import ConfigError
from hub_index.limits import MAX_OPEN_HUBS
from hub_index.service.hubs.open_hubs import HUBS_FILE, SYNCED, HubPlace, default_place, name_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.service.hubs.hub_list import ListedHub


def choose_places(named: "Sequence[str]", index_dir: str, home: str) -> tuple[HubPlace, ...]:
    """The places of the hubs, with unique names. Raises ConfigError.

    `named` are folders and names; `index_dir` is an index folder for one named hub, or for none.
    """
    if index_dir:
        if len(named) > 1:
            raise ConfigError("--index-dir is the index of one hub; name one --hub beside it, or none")
        folder = named[0] if named else ""
        return (HubPlace(name_folder(folder or index_dir, ()), folder, index_dir),)
    if not named and not os.path.lexists(os.path.join(home, HUBS_FILE)):
        return (default_place(),)
    names_of_list = not named or not all(map(os.path.isdir, named))  # else a mistake in that file is of no concern
    listed: Sequence[ListedHub] = ()
    if names_of_list:
        from hub_index.service.hubs.hub_list import read_hub_list

        listed = read_hub_list(home)
    places = _named_places(named, listed) if named else _all_places(listed, home)
    if len(places) > MAX_OPEN_HUBS:
        raise ConfigError(f"at most {MAX_OPEN_HUBS} hubs can be searched at once; these are {len(places)}")
    return tuple(places)


def _named_places(named: "Sequence[str]", listed: "Sequence[ListedHub]") -> list[HubPlace]:
    places_by_name = {hub.name: _place(hub) for hub in listed} | {SYNCED: default_place()}
    places: list[HubPlace] = []
    for text in dict.fromkeys(named):
        is_name = text in places_by_name and not os.path.isdir(text)
        places.append(
            places_by_name[text] if is_name else HubPlace(name_folder(text, [place.name for place in places]), text)
        )
    return places


def _all_places(listed: "Sequence[ListedHub]", home: str) -> list[HubPlace]:
    """All listed hubs, after the synced hub or the user's own index if there is one."""
    has_synced = any(os.path.isdir(os.path.join(home, name)) for name in ("repo", "search"))
    present = [hub for hub in listed if not hub.is_relative or os.path.isdir(hub.folder)]
    if not present:
        return [default_place()]
    return [default_place()] * has_synced + [_place(hub) for hub in present]


def _place(hub: "ListedHub") -> HubPlace:
    return HubPlace(hub.name, hub.folder, is_listed=True)
