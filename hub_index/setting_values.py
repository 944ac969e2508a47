"""The text of one setting → its value; an error names the variable and never repeats what it holds.

Beside `settings`, and as cheap to import: a cold keyword search reads its settings, too.
"""

from hub_index.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def whole_number(values: "Mapping[str, str]", name: str) -> int | None:
    """A whole number above 0; None if nothing is set. Raises ConfigError."""
    text = values.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0):
        raise ConfigError(f"{name} must be a whole number above 0")
    return int(text)


def number(
    values: "Mapping[str, str]", name: str, least: float = float("-inf"), most: float = float("inf")
) -> float | None:
    """A finite number within these bounds; None if nothing is set. Raises ConfigError."""
    text = values.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (least <= value <= most and abs(value) < float("inf")):  # nor is NaN
        bounds = f" from {least:g} to {most:g}" if abs(least) < float("inf") else ""
        raise ConfigError(f"{name} must be a number{bounds}")
    return value


def switch(values: "Mapping[str, str]", name: str) -> bool:
    """True if the setting is switched on; False if it is not set. Raises ConfigError."""
    text = values.get(name, "").strip().lower()
    if text not in _YES + _NO:
        raise ConfigError(f"{name} must be on or off (1 or 0)")
    return text in _YES


def one_of(values: "Mapping[str, str]", name: str, choices: "Sequence[str]") -> str:
    """One of these words, the first if nothing is set. Raises ConfigError."""
    text = values.get(name, "").strip().lower()
    if text and text not in choices:
        raise ConfigError(f"{name} must be one of {', '.join(choices)}")
    return text or choices[0]
