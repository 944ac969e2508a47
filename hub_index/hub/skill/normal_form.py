"""The one normal form of all text in records: NFC."""

import unicodedata


def nfc(text: str) -> str:
    """The text in NFC; free for ASCII."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
