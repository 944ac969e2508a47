"""read: a skill's own file or one beside it → some of its lines, within the budget."""

from dataclasses import replace

from hub_index.errors import ConfigError, SkillUnknown
from hub_index.service.answers import SkillText
from hub_index.service.budget import count_fitting_chars, estimate_tokens
from hub_index.service.hubs.reference import find_reference
from hub_index.service.reading.passages import Passage, choose_heading, find_headings
from hub_index.service.reading.skill_files import FolderFiles, OwnText, body_line, list_files, read_file, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.service.answers import Heading
    from hub_index.service.requests import Deadline, ReadRequest
    from hub_index.service.service import Service


_MOST_CHARS = 8  # of a token, white space aside


def read_skill(service: "Service", request: "ReadRequest", deadline: "Deadline") -> SkillText:
    """The lines that were asked for. Raises as `Service.read` says."""
    skill = find_reference(service, request.skill, deadline)
    deadline.check()
    hit, folder, beside = skill.hit, skill.hub.folder, request.file or skill.file
    if not skill.hub.has_texts:
        raise ConfigError(f"the hub {skill.hub.name} has an index but no checkout, so there are no texts to read")
    is_own = not beside or beside == hit.file.rpartition("/")[2]
    if not is_own and not folder:
        raise SkillUnknown(f"the hub {skill.hub.name} lies in a database, which holds no files beside a skill's own")
    own = skill.hub.read_own(hit) if is_own else OwnText(read_file(folder, hit, beside, deadline))
    lines = split_lines(own.text)
    body = body_line(own.text, lines) if is_own else 1
    is_markdown = is_own or beside.lower().endswith((".md", ".markdown"))
    headings = find_headings(lines, body) if is_markdown else ()
    chosen = _choose(request, lines, headings, body)
    deadline.check()
    listed = list_files(folder, hit.id, hit.path, hit.file, deadline) if is_own and folder else FolderFiles(())
    answer = SkillText(
        hub=skill.hub.name,
        id=hit.id,
        uri=hit.uri,
        name=hit.name,
        description=hit.description,
        path=hit.path,
        file=hit.file if is_own else f"{hit.path}/{beside}",
        text="\n".join(lines[chosen.start - 1 : chosen.end]) if chosen.start else "",
        start=chosen.start,
        end=chosen.end,
        total_lines=len(lines),
        headings=headings,
        files=listed.files,
        notices=(*hit.notices, *own.notices, *listed.notices),
    )
    return answer if request.max_tokens is None else shorten_text(answer, request.max_tokens, deadline)


def _choose(request: "ReadRequest", lines: "Sequence[str]", headings: "Sequence[Heading]", body: int) -> Passage:
    """The lines of a request. Raises ConfigError for an unknown heading or a line beyond the last."""
    if not lines:
        return Passage(0, 0)
    if request.heading:
        heading = choose_heading(headings, request.heading)
        start, end = heading.start, heading.end
    else:
        start = request.start or (body if request.end is None or request.end >= body else 1)
        end = min(len(lines), request.end or len(lines))
    if start > len(lines):
        raise ConfigError(f"start is line {start}, and the text has {len(lines)} lines")
    return Passage(max(1, start - request.context), min(len(lines), end + request.context))


def shorten_text(answer: SkillText, max_tokens: int, deadline: "Deadline") -> SkillText:
    """The answer with the lines that fit the budget; of a first line that does not, its beginning.

    `next_start` goes on behind what is shown. Raises AnswerStopped.
    """
    left = max_tokens
    lines = answer.text.split("\n") if answer.start else []
    for count, line in enumerate(lines):
        deadline.check()
        needed = _count_tokens(line, left)
        if needed > left:
            text = "\n".join(lines[:count]) if count else _cut_line(line, max_tokens)
            after = answer.start + max(1, count)
            return replace(answer, text=text, end=after - 1, next_start=after if after <= answer.end else None)
        left -= needed
    return answer


def _count_tokens(line: str, left: int) -> int:
    """The tokens of a line and its end; for a line that surely has more than are left, those of its beginning."""
    beginning = line[: _MOST_CHARS * (left + 1)]
    needed = estimate_tokens(beginning) + 1
    return needed if needed > left or len(beginning) == len(line) else estimate_tokens(line) + 1


def _cut_line(line: str, max_tokens: int) -> str:
    """The beginning of a line that is longer than the budget, and how much of it that is."""
    left = max_tokens - estimate_tokens(_mark_cut("", len(line), len(line))) - 1
    shown = count_fitting_chars(line, left)
    return _mark_cut(line[:shown], len(line), len(line) * max_tokens // max(1, shown))


def _mark_cut(shown: str, chars: int, tokens: int) -> str:
    return f"{shown}… [cut: {len(shown)} of {chars} characters; the line has about {tokens} tokens]"
