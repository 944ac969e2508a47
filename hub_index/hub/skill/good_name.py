"""The name that a skill should have: its folder's, in the letters that the specification allows."""

from collections.abc import Set as AbstractSet
from itertools import chain, count

from hub_index.base.characters import clean_line, nfc
from hub_index.hub.skill.scalars import name_field, quoted_field
from hub_index.limits import SPEC_NAME_CHARS
from hub_index.models import SkillFile

_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_NUMBER_CHARS = 7  # `-` and as many digits as a hub may have skills
_HUB_ROOT = "."  # the path of a SKILL.md that lies in no folder


def folder_name(file: SkillFile) -> str:
    """The name that a file's place gives it: its folder, or for a document its id."""
    return nfc(clean_line(file.id if file.kind == "document" else file.id.rpartition("/")[2]))


def is_kebab(name: str) -> bool:
    """Whether a name has only the letters that the specification allows."""
    return bool(name) and _NAME_CHARS.issuperset(name) and name[0] != "-" and name[-1] != "-" and "--" not in name


def good_field(file: SkillFile, name: str = "") -> str:
    """The line that gives a file the name it should have; `name` is the one that it has."""
    if file.kind == "document":  # may be called as it likes
        return quoted_field("name", folder_name(file))
    return name_field(_good_name(file, name))


def name_fix(file: SkillFile, name: str = "", taken: AbstractSet[str] = frozenset()) -> str:
    """The advice for the name and its folder that leaves no problem with the name.

    `taken` are the folders of the hub's skills, which are not advised.
    """
    good = _free_name(file, _good_name(file, name), taken)
    field = quoted_field("name", folder_name(file)) if file.kind == "document" else name_field(good)
    steps = [] if name == good else [f"write `{field}`"]
    if file.kind == "skill" and is_in_folder(file) and folder_name(file) != good:
        steps.append(f"rename the folder to `{good}`")
    return " and ".join(steps)


def is_in_folder(file: SkillFile) -> bool:
    """Whether the file lies in a folder that its name can be equal to."""
    return file.path != _HUB_ROOT


def _good_name(file: SkillFile, name: str) -> str:
    folder = folder_name(file)
    if is_in_folder(file) and is_kebab(folder) and len(folder) <= SPEC_NAME_CHARS:
        return folder
    return _kebab(name) or _kebab(folder) or "a-short-name"


def _free_name(file: SkillFile, good: str, taken: AbstractSet[str]) -> str:
    """The name, or with the first number that no other folder beside this one has."""
    above = file.path.rpartition("/")[0]
    numbered = (f"{good[: SPEC_NAME_CHARS - _NUMBER_CHARS]}-{number}" for number in count(2))
    places = ((name, f"{above}/{name}" if above else name) for name in chain((good,), numbered))
    return next(name for name, place in places if place == file.path or place not in taken)


def _kebab(text: str) -> str:
    """The nearest name that the specification allows; '' if no letter of the text can be kept."""
    kept = "".join(char if char in _NAME_CHARS else "-" for char in text.lower())
    return "-".join(filter(None, kept.split("-")))[:SPEC_NAME_CHARS].rstrip("-")
