"""A caller's name for a skill → the hub and the skill: `hub:id`, an id, path or name in any hub, or a skill:// uri."""

from dataclasses import dataclass, replace
from urllib.parse import unquote_to_bytes

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, IndexUnusable, SkillAmbiguous, SkillUnknown
from hub_index.hub.record_file import is_document_record
from hub_index.limits import MAX_PATH_BYTES, MAX_PATH_STEPS
from hub_index.search.results import Place
from hub_index.service.several.same_skill import is_same_skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Hit
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.requests import Deadline
    from hub_index.service.service import Service

_SCHEME = "skill://"
_MAX_LISTED = 10
_SHELL_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:")


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """The named skill, its hub, and the file of its folder that the uri named; empty: the skill's own."""

    hub: "OpenHub"
    hit: "Hit"
    file: str = ""


def find_reference(service: "Service", said: str, deadline: "Deadline | None" = None) -> FoundSkill:
    """The one skill that `said` names. Raises SkillUnknown if it is none or more than one, and AnswerStopped."""
    if said.startswith(_SCHEME):
        return _find_uri(service, said, deadline)
    name, colon, rest = said.partition(":")
    named = [hub for hub in service.hubs if hub.name == name] if colon and rest else []
    if named:
        return FoundSkill(named[0], show(named[0], rest))
    return _find_anywhere(service.hubs, said)


def install_line(id_: str, path: str) -> str:
    """The command that installs a skill for an agent, for any POSIX shell; empty for a document, which is no skill.

    The page has the same function, in `install_line.js`.
    """
    if is_document_record(id_, path):
        return ""
    word = id_ if _SHELL_SIGNS.issuperset(id_) else "'" + id_.replace("'", "'\\''") + "'"
    return f"hub-index add {'-- ' * id_.startswith('-')}{word}"


def show(hub: "OpenHub", said: str, *, suggests: bool = True) -> "Hit":
    """The skill of one hub. Raises SkillUnknown; the ids to choose from are right among several hubs, too."""
    try:
        with hub.lock:
            return hub.index.show(said, suggests=suggests).replace(hub=hub.name)
    except SkillAmbiguous as error:
        names = tuple([f"{hub.name}:{id_}" for id_ in error.candidates])
        raise SkillAmbiguous(str(error), names) from error


def _find_anywhere(hubs: "tuple[OpenHub, ...]", said: str) -> FoundSkill:
    """The skill in any hub; as in a search, an unreadable hub does not hide the others."""
    skills: list[FoundSkill] = []
    unknown: SkillUnknown | None = None
    trouble: IndexUnusable | None = None
    for hub in hubs:
        try:
            skills.append(FoundSkill(hub, show(hub, said)))
        except SkillAmbiguous as error:
            unknown = unknown if isinstance(unknown, SkillAmbiguous) else error  # the more precise error
        except SkillUnknown as error:
            unknown = unknown or error
        except IndexUnusable as error:
            trouble = trouble or error
    if len(skills) == 1 or (skills and _are_same(skills)):
        places = tuple([Place(other.hub.name, other.hit.id, other.hit.file) for other in skills[1:]])
        return replace(skills[0], hit=skills[0].hit.replace(also_in=places)) if places else skills[0]
    if skills:
        names = tuple([f"{skill.hub.name}:{skill.hit.id}" for skill in skills[:_MAX_LISTED]])
        what = f"{len(skills)} hubs have a skill of this name; choose one of {', '.join(map(quote_line, names))}"
        raise SkillAmbiguous(what, names)
    raise unknown or trouble or SkillUnknown("there is no hub to look in; open one")


def _are_same(found: list[FoundSkill]) -> bool:
    """True if all are one skill, as a search would fold them: then any of them is the answer."""
    folders = {skill.hub.name: skill.hub.folder for skill in found}
    return all(is_same_skill(found[0].hit, other.hit, folders) for other in found[1:])


def _find_uri(service: "Service", uri: str, deadline: "Deadline | None") -> FoundSkill:
    """The skill whose folder holds the file of the uri: the nearest one above it."""
    name, _, quoted = uri[len(_SCHEME) :].partition("/")
    hub = service.choose((name,))[0]
    path = _unquote(quoted)
    steps = path.split("/")
    for depth in range(min(len(steps), MAX_PATH_STEPS + 1), -1, -1):  # a document's file is one step more
        folder = "/".join(steps[:depth]) or "."
        if len(folder) > MAX_PATH_BYTES:  # no record's: a file beside a skill may lie deeper
            continue
        if deadline is not None:
            deadline.check()
        try:
            hit = show(hub, folder, suggests=False)
        except SkillUnknown:
            continue
        if hit.file == path or hit.path in (folder, path):
            return FoundSkill(hub, hit, "" if path in (hit.file, hit.path) else path[len(_prefix(hit.path)) :])
    raise SkillUnknown(f"the hub {name} has no skill at that uri; search for it: each hit has its uri")


def _prefix(folder: str) -> str:
    return "" if folder == "." else f"{folder}/"


def _unquote(text: str) -> str:
    """The text without percent signs. Raises ConfigError if the decoded bytes are not UTF-8."""
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError("a skill:// uri must be percent-encoded UTF-8") from error
