"""SKILL.md bytes → Skill and Problems; pure, and without an exception whatever the bytes are.

bytes → text (encoding) → block and body (block_split) → fields (frontmatter, in layers) → name, description, keywords,
language. What is missing is taken from the folder and the first paragraph; every repair is a Problem.

Each repair says how many real files need it: of the 18,568 in eight hubs, or "of all" 124,963 in 22 public hubs. One
that none needs is here for a fault (F02, F06, F08) or for a case in which the Axon client is known to lose data.
"""

from dataclasses import dataclass

from hub_index.base.characters import clean_text, nfc, short_line
from hub_index.hub.skill.block_split import FileParts, split_frontmatter
from hub_index.hub.skill.encoding import decode_content
from hub_index.hub.skill.fields import KEYWORD_KEYS, Field, plain_key
from hub_index.hub.skill.frontmatter import parse_frontmatter
from hub_index.hub.skill.good_name import folder_name, good_field, name_fix
from hub_index.hub.skill.keywords import collect_keywords, text_keywords
from hub_index.hub.skill.language import detect_language
from hub_index.hub.skill.name_description import read_description, read_name
from hub_index.hub.skill.problems import DESCRIPTION_HINT, METADATA_FIX, ProblemList
from hub_index.limits import MAX_KEYWORDS_CHARS
from hub_index.models import Problem, Skill, SkillFile

_EMPTY = ("empty-file", "the file is empty")
_NO_TEXT = (
    "unreadable", "the file holds no readable text", "if it is a text, save it as UTF-8; if not, delete the file"
)  # fmt: skip
_SAYS_NOTHING = ("unreadable", "the file has neither a name nor a description nor any text")

_LARGE_BLOCK_CHARS = 8 * 1024  # agents load every skill's frontmatter before they choose one


@dataclass(frozen=True, slots=True)
class WrittenLines:
    """The lines of what an author wrote; 0 for a name or description that was taken from elsewhere."""

    name: int = 0
    description: int = 0
    body: int = 0  # its first line; without a body, the line of the closing fence


NOTHING_WRITTEN = WrittenLines()


@dataclass(frozen=True, slots=True)
class ParsedSkill:
    """The skill in one file (None if nothing in it is readable) and all problems of the file."""

    skill: Skill | None
    problems: tuple[Problem, ...]
    lines: WrittenLines = NOTHING_WRITTEN


def parse_skill(file: SkillFile, content: bytes) -> ParsedSkill:
    """The skill that a file's bytes describe, with every repair reported."""
    problems = ProblemList(file.file)
    decoded = decode_content(content, problems)
    if decoded.is_blank or (decoded.is_junk and not decoded.text.lstrip().startswith("---")):
        if not content.strip():
            return _without_text(file, *_EMPTY, f"{template_fix(file)}, or delete the file")
        return _without_text(file, *_NO_TEXT)
    parts = split_frontmatter(decoded.text, problems)
    fields: tuple[Field, ...] = ()
    if parts.block is not None:
        read = _read_block(parts, parts.block, problems)
        fields, parts = read.fields, read.parts
    report_block(file, parts, fields, problems)
    name = read_name(file, fields, problems)
    description_found = read_description(file, fields, parts.body, problems)
    description = description_found.text or name.text
    if not description:
        return _without_text(file, *_SAYS_NOTHING, f"{template_fix(file)}, or delete the file")
    skill = Skill(
        id=file.id,
        path=file.path,
        name=name.text or folder_name(file),
        description=description,
        keywords=_keywords(fields, problems),
        text_keywords=nfc(clean_text(text_keywords(fields)).text)[:MAX_KEYWORDS_CHARS].strip(),
        lang=detect_language(name.text, description),
        body=parts.body.strip("\n"),
    )
    lines = WrittenLines(name.line, description_found.line, _body_line(decoded.text, parts.body))
    return ParsedSkill(skill, tuple(sorted(problems.found, key=lambda problem: problem.line)), lines)


@dataclass(frozen=True, slots=True)
class _Block:
    """The fields of a block, and the file cut where its author meant the block to end."""

    fields: tuple[Field, ...]
    parts: FileParts


def _read_block(parts: FileParts, block: str, problems: ProblemList) -> _Block:
    read = parse_frontmatter(block, parts.block_line, problems)
    if read.cut >= 0:  # F06: the fence that closed the block was a rule of the body
        body = f"{block[read.cut :]}\n---\n{parts.body}"
        parts = parts.replace(block=block[: read.cut], body=body)
    elif not read.fields:  # F16: the block is text between two rules
        parts = parts.replace(body=f"{block}\n{parts.body}")
    return _Block(read.fields, parts)


def _without_text(file: SkillFile, code: str, reason: str, fix: str) -> ParsedSkill:
    problems = ProblemList(file.file)  # a new list: a single error says it all
    problems.error(0, code, reason, fix)
    return ParsedSkill(None, tuple(problems.found))


def _body_line(text: str, body: str) -> int:
    if not text.endswith(body):  # a code fence around the frontmatter was taken off it
        return 0
    return text.count("\n", 0, len(text.rstrip()) - len(body.strip())) + 1


def _keywords(fields: tuple[Field, ...], problems: ProblemList) -> tuple[str, ...]:
    keywords = collect_keywords(fields)
    if keywords.cut:
        reason = f"the keywords have more than {MAX_KEYWORDS_CHARS:,} characters together; the rest was left out"
        line = next(field.line for field in fields if plain_key(field.key) in map(plain_key, KEYWORD_KEYS))
        problems.warn(line, "keywords-too-long", reason, "keep the ten words that people would search for")
    return tuple([nfc(word) for word in keywords.words])


def report_block(file: SkillFile, parts: FileParts, fields: tuple[Field, ...], problems: ProblemList) -> None:
    """Reports everything that is wrong with the block as a whole, not with a single value."""
    if parts.block is None or not fields:
        _report_no_fields(file, parts, problems)
        return
    if _length_without_description(parts.block, fields) > _LARGE_BLOCK_CHARS and not problems.has(
        "frontmatter-too-large"
    ):
        reason = f"the frontmatter has {len(parts.block):,} characters, and agents load all of it before they choose"
        problems.advise(parts.block_line, "frontmatter-large", reason, "move details below the closing '---'")
    seen: dict[str, Field] = {}
    for field in fields:
        first = seen.setdefault(field.key.lower(), field)
        if first is not field:
            taken = "the first one" if first.key == field.key else "the one in lower case"
            reason = f"`{short_line(field.key)}` stands on line {first.line} already; {taken} was taken"
            problems.warn(field.line, "duplicate-key", reason, "delete one of the two")
        if field.key == "metadata" and isinstance(field.value, str | list):
            problems.advise(field.line, "metadata-not-map", "`metadata` is not a map", METADATA_FIX)


def _length_without_description(block: str, fields: tuple[Field, ...]) -> int:
    """The block's length without descriptions: a long description has a separate problem."""
    texts = [field.value for field in fields if field.key.lower() == "description" and isinstance(field.value, str)]
    return len(block) - sum(map(len, texts))


def template_fix(file: SkillFile) -> str:
    """The frontmatter that a file without any should begin with."""
    lines = f"begin the file with the lines '---', '{good_field(file)}', 'description: {DESCRIPTION_HINT}', '---'"
    return lines + name_fix(file).removeprefix(f"write `{good_field(file)}`")


def _report_no_fields(file: SkillFile, parts: FileParts, problems: ProblemList) -> None:
    if parts.block is None:
        line, code, reason = 1, "frontmatter-missing", "the file has no frontmatter"  # 2,367 files of all
    else:
        line, code, reason = parts.block_line, "frontmatter-empty", "the frontmatter has no `key: value` line"
    report = problems.advise if file.kind == "document" else problems.warn  # a document needs none
    report(line, code, reason, template_fix(file))
