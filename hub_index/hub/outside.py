"""Skills outside of the chosen root, compared with the indexed ones: the copies are left out.

The same bytes, or the same text (name, description, keywords), are a copy. A skill in a folder with the name of an
indexed skill's folder is its translation if its path names a language, or if the two texts are in two languages.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.skill import parse_skill
from hub_index.hub.snapshot import read_contents
from hub_index.hub.text import embedding_text
from hub_index.hub.tree.roots import OutsideSkills, shortest_roots, skill_name
from hub_index.models import Problem, Skill, SkillFile, Snapshot

_UNKNOWN_LANGUAGES = frozenset(("", "und"))
# A folder that is a language (zh, pt-BR, zh_Hans), or ends in one (skills.zh-CN, docs-ja), or holds translations.
# Codes that are everyday words or abbreviations (it, no, id, is, en) are left to the text's own language.
_LANGUAGE = "ar|cn|de|el|es|fa|fr|he|hi|hu|ja|jp|ko|kr|nl|pl|pt|ru|sv|th|tr|tw|uk|vi|zh"
_LANGUAGE_FOLDER = re.compile(
    rf"(?:(?:docs?|skills?|i18n|locales?)[._-])?(?:{_LANGUAGE})(?:[_-](?:[a-z]{{2}}|hans|hant|419))?"
    r"|i18n|l10n|locales?|translations?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The compared facts of an indexed skill."""

    path: str  # its folder
    text_hash: str
    lang: str


def read_outside(repo: Repository, snapshot: Snapshot, indexed: Iterable[IndexedText]) -> OutsideSkills:
    """The number of skills that are missing in the index because of their place. Raises SourceError."""
    if not snapshot.outside:
        return OutsideSkills()
    hashes, languages = set[str](), dict[str, set[str]]()
    for text in indexed:
        hashes.add(text.text_hash)
        languages.setdefault(skill_name(text.path), set()).add(text.lang)
    files_of: dict[str, list[str]] = {}  # {text_hash: files}
    for file, skill in _read_distinct(repo, snapshot.outside):
        text_hash = embedding_text(skill).text_hash
        if text_hash not in hashes and not _is_translation(file, skill, languages.get(skill_name(file.path), ())):
            files_of.setdefault(text_hash, []).append(file.file)
    return OutsideSkills(len(files_of), shortest_roots(files_of.values()))


def _read_distinct(repo: Repository, files: Iterable[SkillFile]) -> Iterable[tuple[SkillFile, Skill]]:
    """Each file with what it says, its bytes read once; files without anything readable are left out."""
    twins: dict[str, list[SkillFile]] = {}
    for file in files:
        twins.setdefault(file.blob, []).append(file)
    for file, content in read_contents(repo, [first for first, *_ in twins.values()]):
        skill = None if isinstance(content, Problem) else parse_skill(file, content).skill
        if skill is not None:
            yield from ((twin, skill) for twin in twins[file.blob])


def _is_translation(file: SkillFile, skill: Skill, languages: Iterable[str]) -> bool:
    """True if this is an indexed skill in another language; `languages` are those of the indexed skills of its name."""
    indexed_languages = set(languages)
    if not indexed_languages:
        return False
    if any(_LANGUAGE_FOLDER.fullmatch(part) for part in file.path.split("/")[:-1]):
        return True
    return skill.lang not in indexed_languages and _UNKNOWN_LANGUAGES.isdisjoint(indexed_languages | {skill.lang})
