"""Moments as people and programs write them."""

import argparse
import time
from datetime import UTC, datetime

from hub_index.cli.arguments import age


def as_utc_text(at: float | None) -> str | None:
    """Seconds since 1970 as 2026-01-31T12:00:00Z."""
    return None if at is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def moment(text: str) -> float:
    """A day or a moment in UTC, or an age (30d), as seconds since 1970; else a usage error."""
    if text[-1:] in "mhd" and text[:-1].isdigit():
        return time.time() - age(text)
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: write 2026-01-31, or 30d for so long ago") from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
