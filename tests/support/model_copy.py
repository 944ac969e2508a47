"""One parsed copy of the embedded model, and the dictionary, for all tests that only read them."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from hub_index.embedding.local import LocalEncoder
from support.lent_dictionary import lend_dictionary


@cache
def model_cache() -> Path:
    """A cache folder with a copy in it."""
    folder = Path(tempfile.mkdtemp(prefix="hub-index-test-model-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    LocalEncoder(folder).embed_query("writes the copy")
    lend_dictionary(folder)
    return folder
