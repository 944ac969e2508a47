"""One parsed copy of the embedded model, and the dictionary, for all tests that only read them."""

import contextlib
import os
from functools import cache
from pathlib import Path

from hub_index.base.file_permissions import make_private_folder
from hub_index.embedding.local import LocalEncoder
from support.models.lent_dictionary import lend_dictionary
from support.processes.made_once import made_once


@cache
def model_cache() -> Path:
    """A cache folder with a copy in it."""
    folder = made_once("model", _write_copy)
    lend_dictionary(folder)
    return folder


def _write_copy(folder: Path) -> None:
    LocalEncoder(folder).embed_query("writes the copy")


def lend_model_copy(cache_dir: Path) -> None:
    """Links the copy into an empty cache folder: to write its 80 MB takes a build longer than everything else.

    A test that damages a copy, or wants none, names a cache folder of its own. On another disk nothing is lent.
    """
    make_private_folder(cache_dir)
    for copy in model_cache().glob("usem3-*.copy"):
        with contextlib.suppress(OSError):
            os.link(copy, cache_dir / copy.name)
