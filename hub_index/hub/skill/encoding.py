"""A file's bytes → its text with plain line ends and nothing hidden, and what had to be repaired for that.

First step of `parse_skill`. UTF-8 is the rule; UTF-16 and UTF-32, GB 18030, Windows-1252 and Windows-1250 are
recognised where that is certain enough (F08); anything else is read as UTF-8 with U+FFFD for each broken byte.
"""

import codecs
import re
import unicodedata
from collections import Counter

from hub_index.frozen import FrozenValue
from hub_index.hub.skill.characters import clean_text, is_plain_utf8
from hub_index.hub.skill.problems import ProblemList

_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAVE_AS_UTF8 = "save the file as UTF-8 without BOM"
_MAX_LOST = 0.3  # a text in an unknown encoding still shows its ASCII; a picture does not
# In UTF-16 almost any two bytes are a letter. Of random ones 10 % are for private use and 3 % half a character, of a
# text next to none: its icons, where it has any.
_MAX_NOISE = 0.05
_NOISE = re.compile("[\ue000-\uf8ff\ufffd]")
_FEWEST_NOISE = 4
_MAX_NAMED = 4  # kinds of hidden characters that a message names


class DecodedText(FrozenValue):
    """A file's text: line ends are `\\n`, and no control but that and the tab is left."""

    text: str
    lost: int  # characters that could not be read or had to go

    @property
    def is_blank(self) -> bool:
        """Whether nothing is left to read."""
        return not self.text or self.text.isspace()

    @property
    def is_junk(self) -> bool:
        """Whether so little of the bytes is text that they cannot have been meant as such."""
        return self.lost > _MAX_LOST * (len(self.text) + 1)


def decode_content(content: bytes, problems: ProblemList) -> DecodedText:
    """The file's text, whatever the bytes are."""
    if content.startswith(codecs.BOM_UTF8):  # 19 files of all
        content = content[3:]
        reason = "the file begins with a byte order mark, which hides the first '---' from many readers"
        problems.warn(1, "bom", reason, _SAVE_AS_UTF8)
    try:
        text = content.decode()
        plain = is_plain_utf8(content)
    except UnicodeDecodeError as broken:  # 2 files of all
        text = _decode_foreign(content, broken.start, problems)
        plain = False
    if not plain and text.count("\0") * 3 > len(text):
        text = _without_nul_bytes(content, text, problems)
    if "\r" in text:  # 259 files of all
        line = text.count("\n", 0, text.index("\r")) + 1
        problems.advise(line, "crlf", "lines end in carriage returns", "save the file with Unix line ends (LF)")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain:
        return DecodedText(text, 0)
    clean = clean_text(text, keep="\n\t")
    if clean.removed:  # 15 real files
        line = text.count("\n", 0, clean.first_removed) + 1
        problems.warn(line, *hidden_report(clean.removed))
    lost = clean.text.count("\ufffd") + len(clean.removed)
    return DecodedText(clean.text, len(text) if problems.has("utf-16") and _is_noise(text) else lost)


def _is_noise(text: str) -> bool:
    """Whether what was read as UTF-16 holds more than a text's share of characters that texts do not have."""
    return len(_NOISE.findall(text)) >= max(_FEWEST_NOISE, _MAX_NOISE * len(text))


def _decode_foreign(content: bytes, offset: int, problems: ProblemList) -> str:
    encoding, mark = _wide_encoding(content)
    if encoding:
        problems.warn(1, "utf-16", f"the file is {encoding[:6].upper()}, not UTF-8", _SAVE_AS_UTF8)
        return content[len(mark) :].decode(encoding, "replace")
    from hub_index.hub.skill.narrow_encodings import NAMES, guess_narrow  # here: hardly a file needs it

    guess = guess_narrow(content)
    text = content.decode(guess) if guess else content.decode("utf-8", "replace")
    done = f"it was read as {NAMES[guess]}" if guess else "each broken byte was replaced by U+FFFD"
    reason = f"byte {offset} (0x{content[offset]:02x}) is not UTF-8; {done}"
    fix = "save the file as UTF-8 and check the characters on this line"
    problems.warn(content.count(b"\n", 0, offset) + 1, "not-utf-8", reason, fix)
    return text


def _wide_encoding(content: bytes) -> tuple[str, bytes]:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return encoding, mark
    return "", b""


def _without_nul_bytes(content: bytes, text: str, problems: ProblemList) -> str:
    """UTF-16 that carries no mark, known by a NUL in every other byte."""
    for encoding, zeros in (("utf-16-le", content[1::2]), ("utf-16-be", content[::2])):
        if zeros.count(0) > 0.9 * len(zeros):
            problems.warn(1, "utf-16", "the file is UTF-16, not UTF-8", _SAVE_AS_UTF8)
            return content.decode(encoding, "replace")
    return text


def end_of_line(text: str, position: int) -> int:
    """Where the line at a position ends, in a text that was decoded here: at its `\\n`, or at the end of the text."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def hidden_report(removed: tuple[str, ...]) -> tuple[str, str, str]:
    """Code, reason and fix for characters that were taken out."""
    counts = Counter(removed)
    named = ", ".join(f"U+{ord(char):04X} ×{count}" for char, count in counts.most_common(_MAX_NAMED))
    more = ", …" if len(counts) > _MAX_NAMED else ""
    if "\x00" in counts:
        code, kind = "nul", "NUL characters"
    elif all(unicodedata.category(char) == "Cc" for char in counts):
        code, kind = "control-characters", "control characters"
    else:
        code, kind = "hidden-characters", "invisible characters"
    return code, f"{kind} were removed: {named}{more}", "delete them; an editor that shows invisible characters helps"
