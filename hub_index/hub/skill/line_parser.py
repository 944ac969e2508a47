"""A block that YAML refuses → its fields, one by one.

Second and third layer of reading frontmatter: the block is cut where a line begins with a key; each piece goes
through YAML alone, and only the pieces that YAML still refuses are read as if their value stood in quotes. So one
broken value never costs the other fields, and all of them are reported at once.
"""

import re
from dataclasses import dataclass, field

from hub_index.hub.skill.fields import LIST_KEYS, NAMING_KEYS, TOO_MUCH, Field, Node, NotYaml, Parse, is_known_key
from hub_index.hub.skill.scalars import LooseScalar, is_block_header, read_scalar, unquote
from hub_index.limits import MAX_FRONTMATTER_CHARS

_KEY = re.compile(r"""(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?:[ \t]+|$)""")
_MARKED_KEY = re.compile(  # `**Name:** x`, `name：x`, `名称：x`, `name:x`: 2 real files
    rf"(?i)[ \t]*(?:\*\*)?({'|'.join(NAMING_KEYS)})[ \t]*[:：](?:\*\*)?[ \t]*"
)
_MAX_ALONE = 200  # fields that go through YAML one by one; real frontmatter has a few dozen at most


@dataclass(slots=True)
class Piece:
    """The lines of one field."""

    key: str
    line: int  # 0-based in the block
    inline: str
    rest: list[str] = field(default_factory=list)
    source: list[str] = field(default_factory=list)  # as written, for YAML; empty if the key line itself is odd
    odd_key: str = "yaml-key"


@dataclass(frozen=True, slots=True)
class GuessedValue:
    """One value that had to be guessed."""

    code: str
    line: int
    key: str
    text: str
    items: tuple[str, ...] | None  # of a key that has a list
    is_block: bool  # begun with '>' or '|', on the lines below


@dataclass(slots=True)
class LooseFields:
    """The fields, the guessed values, and whether some fields were read without YAML."""

    fields: list[Field]
    guesses: list[GuessedValue]
    unasked: bool = False


def read_lines(block: str, parse: Parse, *, is_whole: bool = True, most: int = MAX_FRONTMATTER_CHARS) -> LooseFields:
    """The fields of a block, or of its beginning; `parse` is the YAML layer, `most` how many are wanted."""
    result = LooseFields([], [])
    anchors: dict[str, str] = {}
    asked: set[str] = set()
    pieces = _cut(block)
    for number, piece in enumerate(pieces[:most]):
        verdict = _parse_alone(piece, parse, number, asked)
        if isinstance(verdict, Field):
            result.fields.append(verdict)
            continue
        value, scalar = _read_loosely(piece, anchors)
        if scalar.anchor:
            anchors[scalar.anchor] = scalar.text
        result.fields.append(Field(piece.key, value, piece.line, plain=False))
        is_cut = not is_whole and number == len(pieces) - 1  # whatever would have closed it was not seen
        if verdict == "refused" and not is_cut:
            code = scalar.code if piece.source else piece.odd_key
            items = tuple(map(str, value)) if isinstance(value, list) else None
            is_block = is_block_header(piece.inline)
            result.guesses.append(GuessedValue(code, piece.line, piece.key, scalar.text, items, is_block))
        elif verdict == "unasked":
            result.unasked = True
    return result


def _parse_alone(piece: Piece, parse: Parse, number: int, asked: set[str]) -> Field | str:
    """The field as YAML reads it; else `refused`, `too much` if only its size is wrong, or `unasked`.

    YAML reads the first fields, and everywhere the first field of each key that matters.
    """
    if not piece.source:
        return "refused"
    key = piece.key.lower()
    if number >= _MAX_ALONE and (key in asked or not is_known_key(key)):
        return "unasked"
    asked.add(key)
    try:
        fields = parse("\n".join(piece.source) + "\n")
    except NotYaml as refusal:
        return "too much" if refusal.code in TOO_MUCH else "refused"
    return Field(fields[0].key, fields[0].value, piece.line, fields[0].plain) if len(fields) == 1 else "refused"


def _cut(block: str) -> list[Piece]:
    lines = block.split("\n")
    pieces: list[Piece] = []
    for number, line in enumerate(lines):
        piece = _begin(line, number, pieces[-1] if pieces else None)
        if piece:
            pieces.append(piece)
        elif pieces and not line.startswith("#"):
            pieces[-1].rest.append(line)
            if pieces[-1].source:
                pieces[-1].source.append(line)
    return pieces


def _begin(line: str, number: int, previous: Piece | None) -> Piece | None:
    """The piece that begins on this line, if one does."""
    if strict := _KEY.match(line):
        return Piece(strict[2], number, line[strict.end() :].strip(), source=[line])
    marked = _MARKED_KEY.match(line)
    if not marked:
        return None
    if line[0] in " \t" and (previous is None or not previous.inline):
        return None  # belongs to the map or the text above it
    text = line[marked.end() :].strip()
    if marked[0].lstrip().startswith("**"):
        text = text.removesuffix("**").strip()
    return Piece(NAMING_KEYS[marked[1].lower()], number, text, odd_key="yaml-tab" if line[0] == "\t" else "yaml-key")


def _read_loosely(piece: Piece, anchors: dict[str, str]) -> tuple[Node, LooseScalar]:
    scalar = read_scalar(piece.inline, piece.rest, anchors)
    key = piece.key.lower()
    if key == "metadata":
        return {}, scalar  # 10 real files, none with keywords in it
    if key in LIST_KEYS and (items := _items(piece)) is not None:
        return items, scalar
    return scalar.text, scalar


def _items(piece: Piece) -> list[Node] | None:
    """A list's items, one a line or between brackets; None if it is not a list. References are left out (F02)."""
    if piece.inline.startswith("["):
        inside = " ".join([piece.inline, *piece.rest]).strip("[] \t").split(",")
        return [text for text in map(unquote, inside) if text and text[0] not in "*&!"]
    lines = [piece.inline, *(line.strip() for line in piece.rest)]
    items = [unquote(line[2:]) for line in lines if line.startswith("- ")]
    return [text for text in items if text and text[0] not in "*&!"] if items else None
