"""A skill's files → its risks, each with what may be shown of it. In time that grows with the bytes alone."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from hub_index.base.characters import short_line
from hub_index.risks.addresses import find_addresses
from hub_index.risks.context import TextContext
from hub_index.risks.file_kinds import kind_of
from hub_index.risks.hidden import find_hidden
from hub_index.risks.key_files import find_sent_keys
from hub_index.risks.risk import Finding, Risk, RiskLevel
from hub_index.risks.rules import read_rules
from hub_index.risks.secrets import find_secrets, mask_secrets
from hub_index.risks.tools import find_wide_tools

MAX_SCANNED_BYTES = 2 * 1024 * 1024  # of one file: as much as is read of a SKILL.md
_MAX_OF_CODE = 5  # findings of one code in one file
_MAX_OF_SKILL = 100
_MAX_MATCHES = 40  # of one rule in one file
_SHOWN_CHARS = 60
_SHOWN_AROUND = 400
_MARKDOWN = (".md", ".markdown", ".mdx", ".txt", ".rst")
_WIDE = re.compile(r"[A-Z\u00c0-\U0010ffff]+")
_KNOWN_INSTALLERS = re.compile(
    r"//(?:sh\.rustup\.rs|astral\.sh|(?:www\.)?bun\.(?:sh|com)|deno\.land|get\.docker\.com|get\.pnpm\.io|ollama\.(?:com|ai)|"
    r"raw\.githubusercontent\.com/(?:nvm-sh|homebrew|golangci|ohmyzsh|rvm|pyenv|helm|anchore|aquasecurity|foundry-rs)/|"
    r"fnm\.vercel\.app|install\.python-poetry\.org|(?:deb|rpm)\.nodesource\.com|get\.sdkman\.io|claude\.ai|opencode\.ai|"
    r"starship\.rs|mise\.(?:run|jdx\.dev)|nixos\.org|install\.determinate\.systems|bootstrap\.pypa\.io|get\.k3s\.io|"
    r"tailscale\.com|foundry\.paradigm\.xyz|cli\.github\.com|get\.volta\.sh|pixi\.sh|"
    r"(?:www\.)?get\.rvm\.io|pyenv\.run|cursor\.com|fly\.io|release\.solana\.com|release\.anza\.xyz|git\.io|community\.chocolatey\.org|"
    r"chocolatey\.org|get\.scoop\.sh|packagecloud\.io)"
)
_NO_ADDRESS = re.compile(r"^(?:(?!https?://|www\.|\b[\w-]+\.[a-z]{2,}[/\s]|\$).)*$", re.DOTALL)


_GRAVE = ("decoded-code", "key-file-sent")  # malware comes with warnings and advice of its own


class _Match(NamedTuple):
    """A place in a text; `shown` replaces what stands there."""

    start: int
    end: int
    code: str
    level: RiskLevel
    shown: str = ""


def find_risks(files: Iterable[tuple[str, bytes]]) -> tuple[Finding, ...]:
    """The findings of a skill's files (path, bytes), by place; at most a hundred."""
    found = (finding for path, content in files for finding in scan_file(path, content))
    return tuple(sorted(islice(found, _MAX_OF_SKILL), key=lambda finding: finding.risk))


def scan_file(path: str, content: bytes | None) -> list[Finding]:
    """The findings of one file, by line; of a program or archive its name is one, as of a file without bytes (None)."""
    kind = kind_of(path, content)
    if kind in ("executable", "archive"):
        return [Finding(Risk(path, 0, kind, "risk"))]
    return _scan_text(path, _decode(content[:MAX_SCANNED_BYTES])) if kind == "text" and content else []


def _decode(content: bytes) -> str:
    """The text; line ends of other systems are one character, so that lines count as editors count them."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    text = content.decode(encoding, "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _lower(text: str) -> str:
    """The text in lower case, with every character in its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return _WIDE.sub(lambda match: "".join(char.lower() if len(char.lower()) == 1 else char for char in match[0]), text)


def _scan_text(path: str, text: str) -> list[Finding]:
    lowered = _lower(text)
    matches = sorted(set(_find(path, text, lowered)), key=lambda match: (match.start, match.code))
    if not matches:
        return []
    line_ends = [match.start() for match in re.finditer("\n", text)]
    findings: dict[tuple[int, str], Finding] = {}
    counts = Counter[str]()
    for match in sorted(matches, key=lambda match: match.level == "note"):  # where some are left out, notes are
        line = bisect_right(line_ends, match.start - 1) + 1
        if (line, match.code) not in findings and counts[match.code] < _MAX_OF_CODE:
            counts[match.code] += 1
            risk = Risk(path, line, match.code, match.level)
            findings[line, match.code] = Finding(risk, match.shown or _show(text, match))
    return sorted(findings.values(), key=lambda finding: finding.risk)


def _find(path: str, text: str, lowered: str) -> Iterator[_Match]:
    context = TextContext(lowered, path.lower().endswith(_MARKDOWN))
    for rule in read_rules():
        if rule.may_match(lowered):
            for match in islice(rule.pattern.finditer(lowered), _MAX_MATCHES):
                yield _judged(context, rule.code, *match.span())
    for span in islice(find_addresses(lowered), _MAX_MATCHES):
        yield _judged(context, "numeric-address", *span)
    for span in islice(find_sent_keys(lowered), _MAX_MATCHES):
        yield _judged(context, "key-file-sent", *span)
    for start, end, beginning in islice(find_secrets(text, lowered), _MAX_MATCHES):
        yield _Match(start, end, "secret", "risk", f"{beginning}… ({end - start} characters)")
    for start, end, level in (
        islice(find_hidden(text), _MAX_MATCHES) if not text.isascii() or not text.isprintable() else ()
    ):
        yield _Match(start, end, "hidden-characters", level, f"U+{ord(text[start]):04X}")
    if path.lower().rpartition("/")[2] == "skill.md":
        yield from (_Match(start, end, "wide-tools", level) for start, end, level in find_wide_tools(lowered))


def _judged(context: TextContext, code: str, start: int, end: int) -> _Match:
    is_note = context.is_quoted(start, end, is_grave=code in _GRAVE)
    if code == "reader-instruction":
        is_note = is_note or context.is_in_quotation_marks(start)
    if code == "pipe-to-shell":
        run = context.lowered[start : end + 200].partition("\n")[0]
        is_note = is_note or _KNOWN_INSTALLERS.search(run) is not None or _NO_ADDRESS.match(run) is not None
    return _Match(start, end, code, "note" if is_note else "risk")


def _show(text: str, match: _Match) -> str:
    """The first characters of what was found, with every possible secret around it masked first."""
    first = max(0, match.start - _SHOWN_AROUND)
    masked = mask_secrets(text[first : match.start + _SHOWN_AROUND])
    piece = masked[match.start - first : match.end - first]
    return short_line(re.sub("•+", "•••", piece), _SHOWN_CHARS)
