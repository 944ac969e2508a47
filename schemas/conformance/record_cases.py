"""Records that are wrong, or look so: their values, and their places in the hub."""

from collections.abc import Iterator
from typing import Any

from schemas.conformance.case import Case, make_case, spelled, with_record
from schemas.conformance.small_indexes import encode_lines, encode_rows, make_record, make_rows, sealed

_FLAG = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
_SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
_WRONG_VALUES: dict[str, tuple[Any, ...]] = {
    "name": (
        "",
        [],
        7,
        None,
        "x" * 257,
        "a\nb",
        "a\x1bb",
        "a\x7fb",
        "a\x85b",
        "a\u202eb",
        "a\u2066b",
        "a\U000e0041b",
        "a\U000e007fb",
    ),
    "description": (
        [],
        None,
        "x" * 8_193,
        "a\tb",
        "a\rb",
        "a\u200fb",
        "🏴\U000e0041\U000e007f",
        "🏴" + _FLAG + _FLAG[1:],
        "🏴" + _FLAG + _SCOTLAND[1:],
    ),
    "text_hash": ("0" * 63, "G" * 64, "0" * 64 + "\n", 7),
    "updated_at": ("yesterday", "2026-02-30T00:00:00Z", None),
    "keywords": ("sql", [1], [""], [["x"]], {}, ["a\nb"], ["x" * 2_049], ["x"] * 2_049, None),
    "lang": (1, "x" * 17, "zh_CN", "ж", None),
    "type": (1, "", "Agent", "x" * 17, "agent\n", None, ["agent"]),
    "id": (7, None),
    "path": ([], None),
}
_RIGHT_VALUES: dict[str, tuple[Any, ...]] = {
    "name": ("x", "😀" * 256, f"{_FLAG} flag", "a\u200bb", "  "),
    "description": ("", "x" * 8_192, "two\nlines", "😀" * 8_192),
    "keywords": ([], ["x" * 2_048], ["x"] * 2_048),
    "lang": ("", "zh-Hant-TW"),
    "type": ("skill", "agent", "x" * 16),
    "stars": (5, [1, {"a": None}]),
}


def record_cases() -> Iterator[Case]:
    """Every field of a record."""
    for values, verdict, mark in ((_WRONG_VALUES, "corrupt", ""), (_RIGHT_VALUES, "good", "right-")):
        for key, found in values.items():
            for number, value in enumerate(found):
                yield make_case(f"record-{key}-{mark}{number}", verdict, with_record(make_record("d") | {key: value}))
    for key in ("id", "path", "name", "description", "text_hash", "updated_at"):
        record = make_record("d")
        del record[key]
        yield make_case(f"record-{key}-missing", "corrupt", with_record(record))


_GOOD_PLACES = (
    ("x", "x"),
    ("x/y", "skills/x/y"),
    ("root", "."),
    ("root", "skills/root"),
    ("x--help", "skills/x--help"),
    ("two words", "skills/two words"),
    ("x..hidden..", "skills/x..hidden.."),
    ("xcaf\u00e9", "skills/xcafe\u0301"),
    ("workflows:w1", "workflows"),
    ("workflows:sub:W2", "workflows/sub"),
    ("workflows:sub:W2", "workflows"),
    ("x:other", "x:other"),
    ("agents:a1", "agents"),
    ("agents:sub:a1", "agents/sub"),
    ("agents:sub:a1", "agents"),
    ("plugins:p:agents:a1", "plugins/p/agents"),
    ("plugins:p:commands:sub:c1", "plugins/p/commands/sub"),
    ("plugins:p:hooks:h1", "plugins:p:hooks:h1"),
    ("plugins:p:agents", "plugins:p:agents"),
    ("plugins/p/skills/s", "plugins/p/skills/s"),
    ("x" * 512, "x" * 512),
)
_BAD_PLACES = (
    ("x", "/etc/x"),
    ("x", "/x"),
    ("x", "../x"),
    ("x", "skills/../x"),
    ("x", "skills\\x"),
    ("x\\y", "skills/x\\y"),
    ("x", "skills//x"),
    ("x", "skills/./x"),
    ("x", "skills/x/"),
    ("x", "skills/y"),
    ("x", "skills/yx"),
    ("x", "."),
    ("x", ""),
    ("", ""),
    (".", "."),
    ("..", ".."),
    ("x/../y", "x/../y"),
    ("x\ny", "skills/x\ny"),
    ("x\x1b[31m", "skills/x\x1b[31m"),
    ("x\x85", "skills/x\x85"),
    ("workflows:w1", "commands"),
    ("workflows:x", "skills/workflows:x"),
    ("workflows:w1", "../workflows"),
    ("workflows:..:w1", "workflows/.."),
    ("workflows:..:w1", "workflows"),
    ("other:w1", "other"),
    ("agents:a1", "skills/agents:a1"),
    ("plugins:p:agents:a1", "plugins"),
    ("plugins:p:agents:a1", "plugins/p"),
    ("plugins:p:agents:a1", "plugins/q/agents"),
    ("plugins:..:agents:a1", "plugins/../agents"),
    ("plugins:p:hooks:h1", "plugins/p/hooks"),
    ("x" * 513, "skills/" + "x" * 513),
    ("x", "y" * 1_023 + "/x"),
    ("中" * 171, "中" * 171),
)


def place_cases() -> Iterator[Case]:
    """Ids and paths."""
    row = encode_rows(make_rows(1))
    for places, verdict in ((_GOOD_PLACES, "good"), (_BAD_PLACES, "corrupt")):
        for number, (id_, path) in enumerate(places):
            line = encode_lines([make_record(id_, path=path, name="x")])
            yield make_case(f"place-{verdict}-{number}", verdict, spelled(sealed(line, row)))
