"""One risk: a code, a file and a line, never the matched text. What `lint` shows of the line is made beside it."""

from dataclasses import dataclass, replace
from typing import Literal

RiskLevel = Literal[
    "risk", "note"
]  # a note: the text speaks of it rather than asks for it, or many good skills have it

REASONS = {  # code → what was found, what to do
    "pipe-to-shell": (
        "a download is run as a program without a look at it",
        "download to a file, check its digest, then run it; or name a package",
    ),
    "decoded-code": (
        "encoded text is decoded and run, so that a reader cannot see what runs",
        "write the commands as they are",
    ),
    "secret": ("the text holds what looks like a secret", "revoke it, then read it from the environment"),
    "key-file-sent": (
        "a file of keys or tokens is read and something is sent",
        "let the tool log in by itself; a skill needs no key file's text",
    ),
    "numeric-address": (
        "an address is a number, so that nobody can see whose it is",
        "use a host's name with https",
    ),
    "hidden-characters": (
        "the line holds characters that a reader cannot see or that turn text around",
        "delete them: copy the visible text anew",
    ),
    "reader-instruction": (
        "the text asks its reader to break earlier rules or to keep something from the user",
        "say what the skill does, and let the user know it",
    ),
    "executable": ("a program without source lies in the folder", "bring the source, or name a package to install"),
    "archive": ("an archive lies in the folder, whose files nobody reviews", "unpack it into the folder"),
    "wide-tools": (
        "allowed-tools lets the skill run any command without a question",
        "name the commands that it needs, such as Bash(git status:*)",
    ),
}


@dataclass(frozen=True, slots=True, order=True)
class Risk:
    """One finding, in the order of places."""

    path: str  # the file, from where the caller's paths start
    line: int  # 1-based; 0 means the file as a whole
    code: str
    level: RiskLevel

    @property
    def reason(self) -> str:
        """What was found, in words that quote nothing."""
        return REASONS[self.code][0]

    @property
    def fix(self) -> str:
        """What to do instead."""
        return REASONS[self.code][1]


@dataclass(frozen=True, slots=True)
class Finding:
    """A risk, and a short piece of its line with every secret masked, for the one who asked to see it."""

    risk: Risk
    shown: str = ""

    def below(self, folder: str) -> "Finding":
        """The same finding with the path from further up."""
        return replace(self, risk=replace(self.risk, path=f"{folder}/{self.risk.path}")) if folder else self
