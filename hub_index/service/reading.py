"""read: a skill's own file or one beside it → some of its lines, within the budget."""

from hub_index.errors import ConfigError, SkillUnknown
from hub_index.frozen import FrozenValue
from hub_index.service.answers import SkillText
from hub_index.service.budget import estimate_tokens
from hub_index.service.headings import choose_heading, find_headings
from hub_index.service.reference import find_reference
from hub_index.service.skill_files import FolderFiles, OwnText, body_line, list_files, read_file, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.service.answers import Heading
    from hub_index.service.deadline import Deadline
    from hub_index.service.requests import ReadRequest
    from hub_index.service.service import Service


class _Lines(FrozenValue):
    """Lines start to end, and the line after them where the budget ended them."""

    start: int
    end: int
    next_start: int | None = None
    cut: str = ""  # what is shown of the one line, where not even that fits


def read_skill(service: "Service", request: "ReadRequest", deadline: "Deadline") -> SkillText:
    """The lines that were asked for. Raises as `Service.read` says."""
    skill = find_reference(service, request.skill)
    deadline.check()
    hit, folder, beside = skill.hit, skill.hub.folder, request.file or skill.file
    if not skill.hub.has_texts:
        raise ConfigError(f"the hub {skill.hub.name} has an index but no checkout, so there are no texts to read")
    is_own = not beside or beside == hit.file.rpartition("/")[2]
    if not is_own and not folder:
        raise SkillUnknown(f"the hub {skill.hub.name} lies in a database, which holds no files beside a skill's own")
    own = skill.hub.read_own(hit) if is_own else OwnText(read_file(folder, hit, beside))
    lines = split_lines(own.text)
    body = body_line(own.text, lines) if is_own else 1
    is_markdown = is_own or beside.lower().endswith((".md", ".markdown"))
    headings = find_headings(lines, body) if is_markdown else ()
    chosen = _fit(lines, _choose(request, lines, headings, body), request.max_tokens)
    deadline.check()
    listed = list_files(folder, hit.id, hit.path, hit.file) if is_own and folder else FolderFiles(())
    return SkillText(
        hub=skill.hub.name,
        id=hit.id,
        uri=hit.uri,
        name=hit.name,
        description=hit.description,
        path=hit.path,
        file=hit.file if is_own else f"{hit.path}/{beside}",
        text=chosen.cut or ("\n".join(lines[chosen.start - 1 : chosen.end]) if chosen.start else ""),
        start=chosen.start,
        end=chosen.end,
        total_lines=len(lines),
        next_start=chosen.next_start,
        headings=headings,
        files=listed.files,
        notices=(*hit.notices, *own.notices, *listed.notices),
    )


def _choose(request: "ReadRequest", lines: "Sequence[str]", headings: "Sequence[Heading]", body: int) -> _Lines:
    """Which lines are meant. Raises ConfigError for a heading that is not there or a line beyond the last."""
    if not lines:
        return _Lines(0, 0)
    if request.heading:
        heading = choose_heading(headings, request.heading)
        start, end = heading.start, heading.end
    else:
        start = request.start or (body if request.end is None or request.end >= body else 1)
        end = min(len(lines), request.end or len(lines))
    if start > len(lines):
        raise ConfigError(f"start is line {start}, and the text has {len(lines)} lines")
    return _Lines(max(1, start - request.context), min(len(lines), end + request.context))


def _fit(lines: "Sequence[str]", chosen: _Lines, max_tokens: int | None) -> _Lines:
    """The lines that fit the budget; of a first one that does not, its beginning, and whoever goes on gets on."""
    if max_tokens is None or not chosen.start:
        return chosen
    left = max_tokens
    for number in range(chosen.start, chosen.end + 1):
        left -= estimate_tokens(lines[number - 1]) + 1
        if left < 0 and number > chosen.start:
            return _Lines(chosen.start, number - 1, number)
        if left < 0:
            after = number + 1 if number < chosen.end else None
            return _Lines(number, number, after, _cut_line(lines[number - 1], max_tokens))
    return chosen


def _cut_line(line: str, max_tokens: int) -> str:
    """The beginning of a line that is longer than the budget, and how much of it that is."""
    needed = estimate_tokens(line) + 1
    fits, too_many = 0, len(line)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if estimate_tokens(_mark_cut(line, middle, needed)) < max_tokens:
            fits = middle
        else:
            too_many = middle
    return _mark_cut(line, fits, needed)


def _mark_cut(line: str, shown: int, needed: int) -> str:
    return f"{line[:shown]}… [cut: {shown} of {len(line)} characters; the line has {needed} tokens]"
