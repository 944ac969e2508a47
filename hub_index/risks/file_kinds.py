"""Programs and archives by name and first bytes."""

_PROGRAMS = ("exe", "dll", "so", "dylib", "jar", "class", "pyc", "pyd", "scr", "msi", "apk", "ipa", "dmg", "pkg", "deb",
             "rpm", "com", "cpl", "appimage", "bin", "o", "a", "node", "lnk")  # fmt: skip
_ARCHIVES = ("zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "7z", "rar", "zst", "skill", "whl", "egg", "cab",
             "iso", "nupkg", "crx", "xpi", "vsix", "br", "lz4")  # fmt: skip
_PROGRAM_BEGINS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xce",
                   b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe", b"\x00asm", b"dex\n")  # fmt: skip
_ARCHIVE_BEGINS = (b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07",
                   b"\x28\xb5\x2f\xfd")  # fmt: skip
_ZIPPED_DOCUMENTS = (
    "docx",
    "xlsx",
    "pptx",
    "odt",
    "ods",
    "odp",
    "epub",
    "xlsm",
    "dotx",
    "potx",
    "xltx",
    "vsdx",
    "sketch",
    "fig",
)
_TEXT_BYTES = bytes([7, 8, 9, 10, 12, 13, 27, *range(32, 256)])
_PROBED_BYTES = 1_024


def kind_of(path: str, content: bytes | None) -> str:
    """`executable`, `archive`, `binary` for other bytes that are no text, or `text`; without bytes, by name."""
    ending = path.rpartition(".")[2].lower()
    if content is None:
        return _kind_by_name(ending)
    begins = content[:8]
    is_text = is_text_like(content)
    if begins.startswith(_PROGRAM_BEGINS) and not is_text:
        return "executable"
    if begins.startswith(_ARCHIVE_BEGINS) and ending not in _ZIPPED_DOCUMENTS:
        return "archive"
    if is_text or not content:
        return "text"
    return "archive" if content[257:262] == b"ustar" else _kind_by_name(ending)


def _kind_by_name(ending: str) -> str:
    if ending in _PROGRAMS:
        return "executable"
    return "archive" if ending in _ARCHIVES else "binary"


def is_text_like(content: bytes) -> bool:
    """Whether the first bytes hold no control character; UTF-16 has its mark."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return b"\x00" not in content[:_PROBED_BYTES] and not content[:_PROBED_BYTES].translate(None, _TEXT_BYTES)
