"""Whether a line speaks of a trick or asks for it: a text about security quotes what it warns of."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_ABOUT_CHARS = 1_500  # name, description and title
_ABOUT = re.compile(
    r"secur|vulnerab|malicious|malware|audit|pentest|penetration|exploit|injection|jailbreak|threat|red[ -]team"
    r"|guardrail|sanitiz|\bscan|detect|\bvett|safety|forensic|attack|ctf\b|hack|hardening|phishing|trojan"
    r"|moderation|prompt firewall|安全|漏洞|恶意|注入|攻击|检测|审计|渗透|审查|防护|风险|扫描"
)
_WARNS = re.compile(
    r"malicious|suspicious|dangerous|unsafe|insecure|\battack|injection|red flags?|\bdetect|\breject"
    r"|\bflag(?:s|ged)?\b|❌|🚫|anti-?pattern|\brefuse|vulnerab|exploit|jailbreak|\bmalware|threat"
    r"|\bforbidden|hijack|phishing|恶意|危险|攻击|注入|检测|拦截|拒绝|警惕|风险|可疑|反例|错误示例|禁止以下"
)
_FORBIDS = re.compile(
    r"(?:\bnever|\bavoid|\bdon.?t|\bdo not|\binstead of|\brather than|\bmust not|\bno\b"
    r"|不要|禁止|避免|切勿|不得|不能|而不是|严禁"
    r"|such as|e\.g\.|like|例如|比如|诸如|如)[^.。!\n]{0,80}$"
)
_QUOTES = "\"'“”‘’`「『«‹"
_FENCE = re.compile(r"^[ \t>]{0,12}(```+|~~~+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} .{0,200}$", re.MULTILINE)
_LINES_BEFORE = 3


@dataclass(slots=True)
class TextContext:
    """What is known of a text around its lines; `lowered` has the text's own length."""

    lowered: str
    is_markdown: bool
    fences: list[int] = field(init=False)  # where code fences begin and end, in turn
    headings: list[int] = field(init=False)
    is_about_security: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_about_security = _ABOUT.search(self.lowered[:_ABOUT_CHARS]) is not None
        self.fences = [match.start() for match in _FENCE.finditer(self.lowered)] if self.is_markdown else []
        self.headings = [match.start() for match in _HEADING.finditer(self.lowered)] if self.is_markdown else []

    def is_quoted(self, start: int, end: int, *, is_grave: bool = False) -> bool:
        """Whether what stands there is an example of what a text warns of; a grave one needs a text about security."""
        if is_grave and not self.is_about_security:
            return False
        line_start = self.lowered.rfind("\n", 0, start) + 1
        before = self.lowered[max(line_start, start - 200) : start]
        if _FORBIDS.search(before) or _WARNS.search(before) or self._is_warned(start, end):
            return True
        if not self.is_about_security:
            return False
        return (
            self._is_in_fence(start) or self._is_in_marks(start, before) or before.lstrip().startswith(("|", "-", "*"))
        )

    def is_in_quotation_marks(self, start: int) -> bool:
        """Whether a quotation mark opens directly before: a phrase that is talked about."""
        before = self.lowered[max(0, start - 4) : start].rstrip(" [*<!-")
        return before[-1:] in _QUOTES if before else False

    def _is_in_marks(self, start: int, before: str) -> bool:
        return any(before.count(sign) % 2 for sign in '"`') or "“" in before or self.is_in_quotation_marks(start)

    def _is_in_fence(self, start: int) -> bool:
        return bisect_right(self.fences, start) % 2 == 1

    def _is_warned(self, start: int, end: int) -> bool:
        """Whether the rest of the line, the lines before it, or the heading above speak of a danger."""
        first = start
        for _ in range(_LINES_BEFORE):
            first = self.lowered.rfind("\n", max(0, start - 600), max(0, first - 1)) + 1
        line_end = self.lowered.find("\n", end, end + 200)
        around = (
            self.lowered[max(first, start - 600) : start],
            self.lowered[end : line_end if line_end >= 0 else end + 200],
        )
        return any(_WARNS.search(text) for text in (*around, self._heading_above(start)))

    def _heading_above(self, start: int) -> str:
        place = bisect_right(self.headings, start)
        if not place:
            return ""
        heading = self.headings[place - 1]
        return self.lowered[heading : heading + 200].partition("\n")[0]
