"""Prefect's settings for a quiet, offline run; to be set before Prefect is imported."""

from collections.abc import MutableMapping

from hub_index.base.shown_address import is_well_formed, shown_address
from hub_index.errors import ConfigError

# a cold embedded server takes 9 to 26 s on a busy machine of 2 cores, and Prefect waits 20 s by default
_SETTINGS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}


def set_offline_defaults(environ: MutableMapping[str, str]) -> None:
    """Sets what the user has not set."""
    for name, value in _SETTINGS.items():
        environ.setdefault(name, value)


def check_server_address(environ: MutableMapping[str, str]) -> None:
    """Raises ConfigError for a malformed address: Prefect would quote a part of it that may be a password."""
    url = environ.get("PREFECT_API_URL", "")
    if url and not is_well_formed(url):
        raise ConfigError(f"PREFECT_API_URL is {shown_address(url)!a}; write it as http://host:4200/api")
