"""Name and description → the language they are written in, as a short tag.

By script where the script decides, by common words among languages in Latin letters; `und` if there is nothing
to go by. An author's own `lang` field is not asked: in real files it names the translation's source as often.
"""

_ASCII_LETTERS_ONLY = bytes(code for code in range(256) if not (65 <= code <= 90 or 97 <= code <= 122))
_ENOUGH = 4  # common English words, beyond which no other language is tried
_MAX_CHARS = 1_000  # enough to tell, and a cap on what an outsider can make us count
_STOP_WORDS = {
    "en": frozenset("the and for with use when this that from your are you or to of in is an by skill how".split()),
    "de": frozenset("der die das und für mit nicht ein eine einer ist von zu den dem wenn oder auf bei zur".split()),
    "fr": frozenset("le la les des et pour avec une un est dans du sur vos votre ou lorsque en par qui".split()),
    "es": frozenset("el la los las de y para con una un es en del por cuando que su usa o como".split()),
    "pt": frozenset("o a os as de e para com uma um é em do da por quando que seu use ou como não".split()),
    "it": frozenset("il lo la gli le di e per con una un è in del della che quando da su o come non".split()),
    "tr": frozenset("ve bir için ile bu da de olarak veya kullan kullanın gibi olan en çok ne".split()),
    "vi": frozenset("và của các cho với một khi là được trong sử dụng để không này những".split()),
}


def _script_table() -> bytes:
    """High byte of a UTF-16 unit → a letter for its script."""
    table = bytearray(b"." * 256)
    for letter, blocks in (
        (b"H", [*range(0x34, 0xA0), *range(0xF9, 0xFB), 0xD8]),
        (b"K", [0x11, 0x31, *range(0xAC, 0xD8)]),
        (b"J", [0x30]),
        (b"C", [0x04]),
        (b"A", [0x06, 0x07, 0x08]),
        (b"G", [0x03]),
        (b"D", [0x09]),
        (b"T", [0x0E]),
        (b"E", [0x05]),
    ):
        for block in blocks:
            table[block] = letter[0]
    table[0xD8] = ord(".")  # surrogates: emoji far more often than rare ideographs
    return bytes(table)


_SCRIPTS = _script_table()
_BY_SCRIPT = {b"H": "zh", b"K": "ko", b"C": "ru", b"A": "ar", b"G": "el", b"D": "hi", b"T": "th", b"E": "he"}


def detect_language(name: str, description: str) -> str:
    """`en`, `zh`, `ja`, `ko`, `ru`, `ar`, … or `und`; the same answer for the same text, always."""
    text = f"{description[:_MAX_CHARS]} {name}"
    if text.isascii():
        return _latin(text)
    letters = len(text.encode("ascii", "ignore").translate(None, _ASCII_LETTERS_ONLY))
    scripts = text.encode("utf-16-be", "replace")[::2].translate(_SCRIPTS)
    counts = {letter: scripts.count(letter) for letter in _BY_SCRIPT}
    kana = sum("\u3041" <= char <= "\u30fa" for char in text) if b"J" in scripts else 0
    script, count = max(counts.items(), key=lambda item: item[1])
    if count + kana == 0:
        return _latin(text)
    if script == b"H" or kana > count:
        count += kana
        # one ideograph says as much as three or four letters: mixed descriptions are common
        if count * 3 < letters:
            return _latin(text)
        return "ja" if kana * 8 >= count else "zh"
    return _BY_SCRIPT[script] if count * 2 >= letters else _latin(text)


def _latin(text: str) -> str:
    """The language in Latin letters: English unless the common words of another clearly prevail."""
    words = set(text.lower().split())
    english = len(words & _STOP_WORDS["en"])
    if english >= _ENOUGH:
        return "en"
    best, hits = "en", max(2, 2 * english)
    for language, common in _STOP_WORDS.items():
        if language != "en" and (count := len(words & common)) > hits:
            best, hits = language, count
    return best if any(char.isalpha() for char in text) else "und"
