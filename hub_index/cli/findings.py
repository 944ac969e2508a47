"""What the doctor looks at, one thing each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: ok, absent (nothing there, which may be meant) or bad."""

    what: str
    state: str
    detail: str
