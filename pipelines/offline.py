"""Prefect's settings for a quiet, offline run; to be put in place before anybody imports Prefect."""

from collections.abc import MutableMapping

# stack: a cold embedded server takes 9 to 26 s on a busy 2-core machine, Prefect's own patience is 20 s
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
