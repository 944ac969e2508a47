"""Addresses by number, however spelled; those of private networks, examples and well-known servers are left out."""

import re
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address

_ADDRESS = re.compile(
    r"://(?:[^\s/@]{1,80}@)?"
    r"(?P<host>\[[0-9a-f:.]{2,45}\]|"
    r"(?:0x[0-9a-f]+|[0-9]+)(?:\.(?:0x[0-9a-f]+|"
    r"[0-9]+)){0,3})(?![\w.\[-])"
    r"|(?<=/dev)/(?:tcp|udp)/(?P<device>[0-9]{1,3}(?:\.[0-9]{1,3}){3})"
    r"|\b(?:nc|ncat|netcat|telnet)\s(?:-\w+\s){0,4}(?P<raw>[0-9]{1,3}(?:\.[0-9]{1,3}){3})\b"
    r"|\b(?:ssh|scp|sftp|rsync)\s[^\n]{0,80}?@(?P<login>[0-9]{1,3}(?:\.[0-9]{1,3}){3})\b"
)
_BEGINS = ("://", "/dev/tcp/", "/dev/udp/", "nc ", "ncat ", "netcat ", "telnet ", "ssh ", "scp ", "sftp ", "rsync ")
_WELL_KNOWN = frozenset(("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "114.114.114.114",
                         "223.5.5.5", "223.6.6.6", "119.29.29.29", "1.2.3.4", "5.6.7.8", "9.9.9.10"))  # fmt: skip
# what gives a machine's keys to every program that asks there
_CLOUD_KEYS = frozenset(("169.254.169.254", "100.100.100.200", "fd00:ec2::254"))


def find_addresses(lowered: str) -> Iterator[tuple[int, int]]:
    """The places of addresses that are numbers."""
    if not any(begin in lowered for begin in _BEGINS):
        return
    for match in _ADDRESS.finditer(lowered):
        if _is_public(next(filter(None, match.groups()))):
            yield match.span()


def _is_public(host: str) -> bool:
    with suppress(ValueError):
        address = ip_address(_number(host) if not host.startswith("[") else host.strip("[]"))
        return str(address) in _CLOUD_KEYS or (address.is_global and str(address) not in _WELL_KNOWN)
    return False


def _number(host: str) -> int | str:
    """A number as programs read it: of one to four parts, each decimal, octal or hexadecimal. Raises ValueError."""
    parts = host.split(".")
    values = [_part(part) for part in parts]
    *heads, last = values
    if any(value > 255 for value in heads) or last >= 256 ** (5 - len(values)):
        raise ValueError("no address")
    if len(values) == 1 and last < 2**24:  # http://8080 and the like
        raise ValueError("no address")
    return sum(value << (24 - 8 * place) for place, value in enumerate(heads)) + last


def _part(text: str) -> int:
    if len(text) > 12:
        raise ValueError("no address")
    if text.startswith("0x"):
        return int(text, 16)
    return int(text, 8) if len(text) > 1 and text.startswith("0") else int(text)
