"""A file's bytes → its text with plain line ends and nothing hidden, and what had to be repaired for that.

First step of `parse_skill`. UTF-8 is the rule; UTF-16 is known by its mark, GB 18030 by its pairs of high bytes (F08).
Every other encoding is read as UTF-8 with U+FFFD for each broken byte.
"""

import codecs
import re
import unicodedata
from collections import Counter

from hub_index.base.characters import clean_text, is_plain_utf8
from hub_index.frozen import FrozenValue
from hub_index.hub.skill.problems import ProblemList

_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_SAVE_AS_UTF8 = "save the file as UTF-8 without BOM"
_MAX_LOST = 0.3  # a text in an unknown encoding still shows its ASCII; a picture does not
# In UTF-16 almost any two bytes are a letter. Of random ones 10 % are for private use and 3 % half a character, of a
# text next to none: its icons, where it has any.
_MAX_NOISE = 0.05
_NOISE = re.compile("[\ue000-\uf8ff\ufffd]")
_FEWEST_NOISE = 4
_FEWEST_HIGH_BYTES = 4  # two characters in GB 18030; fewer bytes are no evidence
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
    if encoding := _UTF_16.get(content[:2]):
        problems.warn(1, "utf-16", "the file is UTF-16, not UTF-8", _SAVE_AS_UTF8)
        return content[2:].decode(encoding, "replace")
    text = _decode_gb18030(content)
    done = "it was read as GB 18030" if text else "each broken byte was replaced by U+FFFD"
    reason = f"byte {offset} (0x{content[offset]:02x}) is not UTF-8; {done}"
    fix = "save the file as UTF-8 and check the characters on this line"
    problems.warn(content.count(b"\n", 0, offset) + 1, "not-utf-8", reason, fix)
    return text or content.decode("utf-8", "replace")


def _decode_gb18030(content: bytes) -> str:
    """The text where all high bytes come in pairs and few of them are whole characters in UTF-8, else ''."""
    lengths = [len(run) for run in _HIGH_RUN.findall(content)]
    whole = sum(1 for char in content.decode("utf-8", "ignore") if not char.isascii())
    if sum(lengths) < _FEWEST_HIGH_BYTES or any(length % 2 for length in lengths) or whole * 4 >= sum(lengths):
        return ""
    try:
        return content.decode("gb18030")
    except UnicodeDecodeError:
        return ""


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
    fix = "delete them; an editor that shows invisible characters helps"
    if code == "nul":
        fix = "save the file as UTF-8 without them"
    return code, f"{kind} were removed: {named}{more}", fix
