"""JSON that two parsers may read differently, in the manifest and in a record."""

import base64
from collections.abc import Iterator

from schemas.conformance.case import RECORDS, ROWS, SMALL, Case, make_case, spell, spelled
from schemas.conformance.small_indexes import MANIFEST, encode_lines, encode_manifest, sealed

_BAD_OPENINGS = {
    "nan": '{"extra": NaN, ',
    "infinity": '{"extra": -Infinity, ',
    "overflow": '{"extra": 1e999, ',
    "key-twice": '{"extra": 1, "extra": 2, ',
    "key-twice-inside": '{"extra": {"x": 1, "x": 2}, ',
    "key-twice-by-escape": '{"extra": {"x": 1, "\\u0078": 2}, ',
    "deep-list": '{"extra": ' + "[" * 16 + "]" * 16 + ", ",
    "very-deep-list": '{"extra": ' + "[" * 9_000 + "]" * 9_000 + ", ",
    "deep-object": '{"extra": ' + '{"a":' * 16 + "1" + "}" * 16 + ", ",
    "long-number": '{"extra": ' + "9" * 21 + ", ",
    "very-long-number": '{"extra": ' + "9" * 5_000 + ", ",
    "half-character": '{"extra": "\\ud800", ',
    "half-character-in-a-key": '{"\\udfff": 1, ',
    "halves-in-wrong-order": '{"extra": "\\ude00\\ud83d", ',
    "control-character": '{"extra": "\x01", ',
    "tab-in-a-text": '{"extra": "a\tb", ',
    "comment": "{ /* no */ ",
    "single-quotes": "{'extra': 1, ",
    "comma-too-many": '{"extra": [1, ], ',
    "number-with-zero": '{"extra": 01, ',
    "number-with-plus": '{"extra": +1, ',
    "number-without-digits": '{"extra": 1., ',
    "bad-escape": '{"extra": "\\x41", ',
    "short-escape": '{"extra": "\\u12", ',
    "no-comma": '{"extra": 1 ',
    "no-break-space": '{\u00a0"extra": 1, ',
}
_GOOD_OPENINGS = {
    "deep-enough": '{"extra": ' + "[" * 15 + "]" * 15 + ", ",
    "whole-characters": '{"extra": "\\ud83d\\ude00 [[[[{{{{ \\" [[[[ \\\\", ',
    "brackets-in-a-text": '{"extra": "' + "[{" * 40 + '", ',
    "long-enough-number": '{"extra": ' + "9" * 20 + ", ",
    "numbers": '{"extra": [0, -0, 1e3, 1E-3, -1.5e+2, 1e-999, 0.0], ',
    "odd-keys": '{"": 1, "__proto__": {"x": 1}, "constructor": null, ',
    "spaces": '{ \t "extra" : true , "more" : [ ] , ',
}


def json_cases() -> Iterator[Case]:
    """Each opening of an object, what is no object, and bytes that are no text."""
    manifest, lines = (
        encode_manifest(SMALL.manifest()).decode(),
        [encode_lines([record]).decode() for record in RECORDS],
    )
    for openings, verdict in ((_BAD_OPENINGS, "corrupt"), (_GOOD_OPENINGS, "good")):
        for name, opening in openings.items():
            yield make_case(f"json-{name}", verdict, {MANIFEST: spell((opening + manifest[1:].lstrip()).encode())})
            line = lines[0] + opening + lines[1][1:] + lines[2]
            yield make_case(f"json-{name}-in-a-record", verdict, spelled(sealed(line.encode(), ROWS)))
    for number, text in enumerate(("", "[]", "null", '"x"', "7", "{", "{}", manifest + "x", manifest * 2)):
        yield make_case(f"json-no-object-{number}", "corrupt", {MANIFEST: text})
    for name, data in (("bom", b"\xef\xbb\xbf"), ("utf-16", "\ufeff".encode("utf-16-le"))):
        yield make_case(f"json-{name}", "corrupt", {MANIFEST: {"base64": _base64(data + manifest.encode())}})
    for name, raw in (("not-utf-8", b"\xff"), ("raw-surrogate", b"\xed\xa0\x80"), ("overlong", b"\xc0\xaf")):
        data = manifest.encode().replace(b"local:example", b"local:" + raw)
        yield make_case(f"json-{name}", "corrupt", {MANIFEST: {"base64": _base64(data)}})
        record = lines[2].encode().replace(b"useful", raw)
        wrong = (lines[0] + lines[1]).encode() + record
        yield make_case(f"json-{name}-in-a-record", "corrupt", spelled(sealed(wrong, ROWS)))
    for number, digits in enumerate(("NaN", "Infinity", "1e999", "1" * 5_000, "04", "4.0", "4e0")):
        yield make_case(
            f"json-dim-{number}",
            "corrupt",
            {MANIFEST: spell(manifest.replace('"dim": 4', f'"dim": {digits}').encode())},
        )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
