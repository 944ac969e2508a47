"""Which encoding of one or two bytes a letter a file that is not UTF-8 was written in, where its letters tell.

GB 18030 is known by its pairs of high bytes. Windows-1252 and Windows-1250 share most of their bytes, so the letters
decide: a text in Windows-1250, read as Windows-1252, has letters that no western language has together (`Tøídí
mìsíce` for `Třídí měsíce`) and signs inside of words (`by³y` for `były`). Without clear evidence it is Windows-1252.
"""

import re
from collections import Counter

NAMES = {"gb18030": "GB 18030", "cp1250": "Windows-1250", "cp1252": "Windows-1252"}

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_HIGH_LETTER = re.compile(r"[^\W\d_\x00-\x7f]")
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[¿¡](?=[^\W\d_])|(?<!\d)[¹³¼¾¯£¥ªº](?=[^\W\d_])")
_LONE_ACCENT = re.compile("[ˇ˛˝˙]")  # nobody types these: they are ¡ ² ½ ÿ
_NEVER_PORTUGUESE = re.compile("õ(?!e)", re.IGNORECASE)

_ALSO_WESTERN = "éªºµ"  # café, 2ª, Nº, µm: in texts of every western language
_ALSO_CENTRAL = "µ"
_WESTERN = (
    "àâçèêëîïôœùûüÿ",  # French
    "äöüß",  # German
    "áíóúüñ",  # Spanish
    "áâãàçêíóôõúü",  # Portuguese
    "àèìíîòóùú",  # Italian
    "àçèíïòóúü",  # Catalan
    "æøåäöüàèêòô",  # Danish, Norwegian
    "åäöüàšž",  # Swedish, Finnish
    "äõöüšž",  # Estonian
    "áíóúýþæöð",  # Icelandic
    "áíóúýæøð",  # Faroese
    "áèêëïíóöúüç",  # Dutch
)
_CENTRAL = (
    "ąćęłńóśźż",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "ăâîşţ",  # Romanian
    "čćđšž",  # Croatian, Slovene
)
_SIGN_WEIGHT = 2  # a sign inside of a word says more than a letter that may belong to a foreign name
_MIN_WESTERN_MISFITS = 2  # one may be a name in a text of another language
_TIMES_BETTER = 4  # so many times fewer letters must be out of place


def guess_narrow(content: bytes) -> str:
    """A key of NAMES where the high bytes speak for it, else ''."""
    runs = [len(run) for run in _HIGH_RUN.findall(content)]
    whole = sum(1 for char in content.decode("utf-8", "ignore") if not char.isascii())
    if not whole and runs.count(1) * 2 > len(runs):  # single letters with accents among ASCII ones
        return _guess_latin(content)
    if not whole and any(length % 2 for length in runs) and _is_central(content):  # letters in a row: `żółć`
        return "cp1250"
    if sum(runs) >= 4 and all(length % 2 == 0 for length in runs) and whole * 4 < sum(runs):
        return "gb18030" if _decoded(content, "gb18030") else ""
    return ""  # most characters are whole: UTF-8 with a broken byte in it


def _guess_latin(content: bytes) -> str:
    western, central = _decoded(content, "cp1252"), _decoded(content, "cp1250")
    if not central:
        return "cp1252" if western else ""
    central_misfits = _central_misfits(central)
    if not western:
        letters = len(_HIGH_LETTER.findall(central))
        return "cp1250" if central_misfits * _TIMES_BETTER < letters else ""
    western_misfits = _western_misfits(western)
    is_clear = western_misfits >= max(_MIN_WESTERN_MISFITS, _TIMES_BETTER * central_misfits)
    return "cp1250" if is_clear else "cp1252"


def _is_central(content: bytes) -> bool:
    """Whether every letter belongs to one central European language: bytes of anything else never do."""
    central = _decoded(content, "cp1250")
    return bool(central) and not _central_misfits(central) and _guess_latin(content) == "cp1250"


def _central_misfits(text: str) -> int:
    return _fewest_misfits(text, _CENTRAL, _ALSO_CENTRAL) + len(_LONE_ACCENT.findall(text))


def _western_misfits(text: str) -> int:
    signs = len(_SIGN_IN_WORD.findall(text)) * _SIGN_WEIGHT
    if _NEVER_PORTUGUESE.search(text):
        alphabets = tuple(letters for letters in _WESTERN if "ã" not in letters)
    else:
        alphabets = _WESTERN
    return signs + _fewest_misfits(text, alphabets, _ALSO_WESTERN)


def _fewest_misfits(text: str, alphabets: tuple[str, ...], also: str) -> int:
    """How many letters are foreign to the language that fits best."""
    counts = Counter(char.lower() for char in _HIGH_LETTER.findall(text))
    return min(sum(count for char, count in counts.items() if char not in letters + also) for letters in alphabets)


def _decoded(content: bytes, encoding: str) -> str:
    """The text, or '' where some byte means nothing in this encoding."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return ""
