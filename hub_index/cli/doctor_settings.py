"""The doctor's look at the settings file: names that nobody reads, and rights that let others read a key."""

import os
from collections.abc import Iterator

from hub_index import settings as known
from hub_index.cli.findings import Finding
from hub_index.settings import Settings, read_env_file

_NAMES = {value for name, value in vars(known).items() if name.endswith("_VARIABLE")} | {"AXON_HOME"}


def look_at_settings(settings: Settings) -> Iterator[Finding]:
    """What is odd about ~/.axon/.env; nothing where there is none."""
    path = settings.env_file
    if not os.path.exists(path):
        yield Finding("settings file", "absent", f"{path}; `hub-index init` writes one, and none is needed")
        return
    unknown = sorted(set(read_env_file(path)) - _NAMES)
    if unknown:
        yield Finding("settings file", "bad", f"{path}: nobody reads {', '.join(unknown)}; check the spelling")
    elif os.stat(path).st_mode & 0o077:
        yield Finding("settings file", "bad", f"{path}: others may read it; run `chmod 600` on it")
    else:
        yield Finding("settings file", "ok", path)
