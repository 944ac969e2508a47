"""The hub's own settings in a checkout: the folder of its index, and the problems of the settings.

A separate file, because every cold search of a hub with settings reads them, and few list the hub's files.
"""

from hub_index.base.safe_open import read_below
from hub_index.errors import ConfigError
from hub_index.hub.config import HubConfig, ReadableConfig, parse_readable
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.limits import MAX_HUB_CONFIG_BYTES


def read_config(hub: str) -> HubConfig:
    """The hub's settings in the checkout; a wrong one counts as not set, and search goes on."""
    return _read_config(hub).config


def config_notices(hub: str) -> tuple[str, ...]:
    """The problems of the hub's settings, one line each."""
    return tuple(f"{error}; until then it counts as not set" for error in _read_config(hub).problems)


def _read_config(hub: str) -> ReadableConfig:
    try:
        return parse_readable(read_below(hub, CONFIG_FILE, MAX_HUB_CONFIG_BYTES))
    except FileNotFoundError:
        return ReadableConfig(HubConfig(), ())
    except OSError as error:
        unreadable = ConfigError(f"{CONFIG_FILE} cannot be read ({error.strerror or error})")
        return ReadableConfig(HubConfig(), (unreadable,))
    except ConfigError as error:
        return ReadableConfig(HubConfig(), (error,))
