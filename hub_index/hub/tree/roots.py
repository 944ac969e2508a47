"""Skills outside of `skills/`: how many a hub is missing, and the shortest `roots` that would take them in. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hub_index.errors import ConfigError
from hub_index.hub.config import DEFAULT_ROOT, parse_config
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.skill.problems import counted
from hub_index.limits import MAX_CONFIG_ENTRIES
from hub_index.models import Problem, Snapshot

_WHOLE_HUB = (".",)


@dataclass(frozen=True, slots=True)
class OutsideSkills:
    """The number of distinct skills outside of a hub's root, and roots that hold them all."""

    count: int = 0
    roots: tuple[str, ...] = ()

    def setting(self) -> str:
        """The line of hub-index.toml."""
        return f"roots = [{', '.join(map(_quoted, self.roots))}]"

    def sentence(self) -> str:
        """One line for people; empty if nothing is outside."""
        if not self.count:
            return ""
        lie, them = ("is", "it") if self.count == 1 else ("are", "them")
        more = counted(self.count, "more skill")
        return f"{more} {lie} outside {DEFAULT_ROOT}/: `{self.setting()}` in {CONFIG_FILE} takes {them} in"

    def problems(self) -> list[Problem]:
        """One problem, however many they are: one line of settings ends it."""
        reason, _, fix = self.sentence().partition(": ")
        fix = f'{fix}, and `hub-index init HUB` writes it; to silence this, set roots = ["{DEFAULT_ROOT}"]'
        return [Problem("advice", CONFIG_FILE, 0, "outside-roots", reason, fix)] if self.count else []


def shortest_roots(contents: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """`skills` and the fewest top folders that hold every content; each content is the files that have it.

    The whole hub where a skill lies at its root, in a folder that settings cannot name, or in too many folders.
    Fewest as far as taking the folder with most of the rest finds it: the exact answer is a puzzle for hours.
    """
    tops = [{file.partition("/")[0] for file in files if "/" in file} for files in contents]
    usable = {folder for folder in frozenset().union(*tops) if _is_root(folder)}
    left = [folders & usable for folders in tops]
    if not all(left):
        return _WHOLE_HUB
    chosen: list[str] = []
    while left:
        counts = Counter(folder for folders in left for folder in folders)
        best = min(counts, key=lambda folder: (-counts[folder], folder))
        chosen.append(best)
        left = [folders for folders in left if best not in folders]
        if len(chosen) == MAX_CONFIG_ENTRIES:  # one of the entries is `skills`
            return _WHOLE_HUB
    return (DEFAULT_ROOT, *sorted(chosen))


def count_unknown_names(snapshot: Snapshot) -> int:
    """The number of contents outside in folders with a new name: all that is known without reading."""
    if not snapshot.outside:
        return 0
    indexed_names = {skill_name(file.path) for file in snapshot.files}
    return len({file.blob for file in snapshot.outside if skill_name(file.path) not in indexed_names})


def skill_name(folder: str) -> str:
    """The last name of a skill's folder, as copies and translations of the skill keep it."""
    return folder.rpartition("/")[2].casefold()


def _is_root(folder: str) -> bool:
    """Whether the hub's settings accept this folder as a root."""
    try:
        return parse_config(f"roots = [{_quoted(folder)}]".encode()).roots == (folder,)
    except (ConfigError, UnicodeEncodeError):
        return False


def _quoted(text: str) -> str:
    """A string of TOML; a name with a backslash cannot be a root."""
    return '"' + text.replace('"', '\\"') + '"'
