"""`lang:` and `since:`: the text after the colon → a value in one spelling, or a sentence about what was expected."""

FILTERS = ("lang", "since")
DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
MAX_SHOWN_CHARS = 40  # of a wrong value, in a notice


def normalize_value(field: str, text: str) -> str:
    """A language tag in lower case, or the eight digits of a day; empty if the text is neither."""
    return _normalize_tag(text.strip()) if field == "lang" else _normalize_day(text.strip())


def explain_value(field: str, text: str) -> str:
    """The notice on a filter that was taken for plain text."""
    wanted = "language (en, zh, zh-CN)" if field == "lang" else "date (YYYY, YYYY-MM or YYYY-MM-DD)"
    shown = text if len(text) <= MAX_SHOWN_CHARS else text[:MAX_SHOWN_CHARS] + "…"
    return f"{field}:{shown} is not a {wanted}; it was searched as words"


def _normalize_tag(text: str) -> str:
    parts = text.lower().replace("_", "-").split("-")
    if not text.isascii() or not parts[0].isalpha() or len(parts[0]) not in (2, 3):
        return ""
    return "-".join(parts) if all(part.isalnum() and len(part) <= 8 for part in parts) else ""


def _normalize_day(text: str) -> str:
    """`2026` and `2026-03` begin with their first day."""
    parts = text.split("-")
    if [len(part) for part in parts] not in ([4], [4, 2], [4, 2, 2]) or not "".join(parts).isdecimal():
        return ""
    if not text.isascii():
        return ""
    year, month, day = [*map(int, parts), 1, 1][:3]
    if not 1 <= month <= 12 or not 1 <= day <= DAYS[month - 1]:
        return ""
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return f"{year:04}{month:02}{day:02}" if (month, day) != (2, 29) or is_leap else ""
