"""Problems of a whole frontmatter block: missing, without fields, too large, with doubled keys or bad metadata."""

from hub_index.hub.skill.block_split import FileParts
from hub_index.hub.skill.characters import short_line
from hub_index.hub.skill.fields import Field
from hub_index.hub.skill.good_name import good_field, name_fix
from hub_index.hub.skill.problems import DESCRIPTION_HINT, METADATA_FIX, ProblemList
from hub_index.models import SkillFile

_LARGE_BLOCK_CHARS = 8 * 1024  # agents load every skill's frontmatter before they choose one


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
