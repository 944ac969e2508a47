"""One derived dictionary for all tests that only read it: making it takes a second or two, and every sync would."""

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from hub_index.search.lexical.translation.translator import KIND, Translator


@cache
def dictionary_file() -> Path:
    """The dictionary as a first use makes it."""
    folder = Path(tempfile.mkdtemp(prefix="hub-index-test-dictionary-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    assert Translator(str(folder)).open().file is not None
    (made,) = (folder / KIND).glob("*.words")
    return made


def lend_dictionary(cache_folder: Path) -> None:
    """Puts it where a first use would have put it."""
    folder = cache_folder / KIND
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    if not (folder / dictionary_file().name).exists():
        os.link(dictionary_file(), folder / dictionary_file().name)
