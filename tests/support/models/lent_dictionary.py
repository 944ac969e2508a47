"""One derived dictionary for all tests that only read it: making it takes a second or two, and every sync would."""

import os
import shutil
from functools import cache
from pathlib import Path

from hub_index.search.lexical.translation.translator import KIND, Translator
from support.processes.made_once import made_once


@cache
def dictionary_file() -> Path:
    """The dictionary as a first use makes it."""
    (made,) = (made_once("dictionary", _derive) / KIND).glob("*.words")
    return made


def _derive(folder: Path) -> None:
    assert Translator(str(folder)).open().file is not None


def lend_dictionary(cache_folder: Path) -> None:
    """Puts it where a first use would have put it."""
    folder = cache_folder / KIND
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    lent = folder / dictionary_file().name
    if not lent.exists():
        try:
            os.link(dictionary_file(), lent)
        except OSError:  # --basetemp on another disk
            shutil.copy2(dictionary_file(), lent)
